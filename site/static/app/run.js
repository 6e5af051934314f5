// A run: what it measured, one row each that opens to its samples and to why it has its tier, how far to trust it, and where it ran.
"use strict";

perftrack.page(["history", "catalogue", "charts"], () => {
  const { h, state, format, marks, root, utc, when } = perftrack;
  const index = perftrack.get("history");
  const catalogue = perftrack.get("catalogue");
  const element = (id) => document.getElementById(id);
  const query = element("filters").querySelector("[name=q]");
  const RANK = { failed: 0, skipped: 1, ok: 2 };
  const words = new Intl.Collator("en", { numeric: true });
  let shown = null; // the key of the run on the page
  let data = null;
  let all = [];
  let grid = null;

  // Shares of ceilings by series and lane: of what takes a second, so that a time divides them.
  const limits = new Map(catalogue.limits.map(([number, lane, share, name]) => [`${number}/${lane}`, { share, name }]));

  const rowsOf = ({ columns, rows, facets, notes, outputs }) => {
    let number = 0;
    const numbers = columns.series.map((difference) => (number += difference));
    const facet = (i) => facets[columns.facet[i]];
    const values = perftrack.numbers(columns, (i) => catalogue.reference[numbers[i]] ?? [0, 0, 0, 0], (i) => facet(i)[0] === "ok", (i) => facet(i)[4] === 1);
    const found = Array.from({ length: rows }, (_, i) => {
      const [at, [status, tier, lane, note]] = [numbers[i], facet(i)];
      const [value, lo, hi] = [values.value[i], values.lo[i], values.hi[i]];
      const [reasons, limitations, codes] = notes[note];
      const limit = value ? limits.get(`${at}/${lane}`) : undefined;
      return {
        at, case: catalogue.id[at], metric: catalogue.metric[at], unit: catalogue.unit[at], page: catalogue.page[at], key: catalogue.key[at],
        status, tier, lane, value, lo, hi, output: outputs[at] ?? "", notes: { reasons, limitations, codes },
        share: limit ? limit.share / value : null, share_of: limit?.name ?? "", protocol: lane < 0 ? "" : index.lane_protocol[lane],
        text: [catalogue.id[at], catalogue.metric[at], status, ...reasons, ...limitations].join(" ").toLowerCase(),
        relative: value && lo !== null ? (hi - lo) / 2 / Math.abs(value) : null,
      };
    }).filter((row) => row.key !== undefined);
    return found.sort((a, b) => RANK[a.status] - RANK[b.status] || words.compare(a.case, b.case)); // what failed comes first
  };

  const panel = (row, samples) => {
    const notes = (title, items) => items.length > 0 && h("div", {}, h("h3", {}, title), h("ul", {}, items.map((text) => h("li", {}, text))));
    const figure = samples && perftrack.samples.figure(row.case, samples);
    const medians = samples && perftrack.samples.medians(row, samples);
    return h("div", { class: "panel" }, figure, medians,
      notes(row.status === "ok" ? `Why tier ${row.tier}` : `Why ${row.status}`, row.notes.reasons), notes("What it does not show", row.notes.limitations),
      row.output && h("div", {}, h("h3", {}, "Output"), h("pre", { class: "output", tabindex: "0" }, row.output)),
      row.status === "ok" && !data.samples && h("p", { class: "quiet" }, "No samples: none were kept, or the site leaves those of older runs out."),
      row.protocol && h("p", { class: "quiet" }, `protocol ${row.protocol}`));
  };

  const open = async (button, row) => {
    const line = button.closest("tr");
    const expanded = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!expanded));
    if (expanded) {
      if (line.nextElementSibling?.classList.contains("opened")) line.nextElementSibling.remove();
      return;
    }
    const samples = data.samples ? (await perftrack.need(`samples/${shown}`)).of[row.key] : undefined;
    if (button.getAttribute("aria-expanded") !== "true") return; // closed meanwhile
    const content = panel(row, samples);
    line.after(h("tr", { class: "opened" }, h("td", { colspan: line.cells.length }, content)));
    if (samples) perftrack.samples.draw(content.querySelector(".plot"), row, samples);
  };

  const name = (row) => h("a", { href: `${root}${row.page}#series=${row.key}` }, row.case, row.metric !== "time" && h("span", { class: "metric" }, ` ${row.metric}`));

  const columns = () => [
    {
      name: "more", label: h("span", { class: "hidden" }, "Details"), class: "more",
      cell: (row) => h("button", { type: "button", class: "expand", "aria-expanded": "false", "aria-label": `Details of ${row.case} ${row.metric}`, onclick: (event) => open(event.currentTarget, row) }),
    },
    { name: "case", label: "Case", class: "name", key: (row) => row.case.toLowerCase(), cell: name },
    {
      name: "value", label: "Value", class: "num value", key: (row) => row.value,
      cell: (row) => row.status !== "ok" ? h("span", { class: `verdict ${row.status}` }, row.status) : [
        h("span", {}, format.value(row.value, row.unit, row.lo, row.hi)), h("span", { class: "half" }, format.halfWidth(row.value, row.unit, row.lo, row.hi)),
      ],
    },
    {
      name: "interval", label: "95 % interval", class: "num range", start: -1, key: (row) => row.relative,
      cell: (row) => (row.lo === null ? "–" : `${format.value(row.lo, row.unit, row.lo, row.hi)} … ${format.value(row.hi, row.unit, row.lo, row.hi)}`),
    },
    ...marks.shareColumn(all),
    { name: "tier", label: "Tier", class: "tier-cell", key: (row) => row.tier, cell: (row) => (row.status === "ok" ? marks.tier(row.tier) : "") },
    { name: "lane", label: "Lane", class: "lane-cell", key: (row) => row.lane, cell: (row) => marks.lane(row.lane) },
    { name: "why", label: "Reasons", class: "why", cell: (row) => h("span", { title: row.notes.reasons.join("; ") }, row.notes.reasons[0] ?? "", row.notes.reasons.length > 1 && h("small", {}, ` +${row.notes.reasons.length - 1}`)) },
  ];

  const update = () => {
    const parts = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = all.filter((row) => parts.every((part) => row.text.includes(part)));
    grid.show(chosen);
    element("shown").textContent = chosen.length === all.length ? "" : `${chosen.length} of ${all.length}`;
    state.write({ ...state.read(), q: query.value });
  };
  query.addEventListener("input", update);

  const spans = (id, parts) => element(id).replaceChildren(...parts.filter(Boolean).map((part) => h("span", {}, part)));

  // The newest run of the nearest commit in a direction that has one.
  const neighbour = (run, step) => {
    for (let commit = index.run_commit[run] + step; commit >= 0 && commit < index.sha.length; commit += step) {
      const found = index.run_commit.lastIndexOf(commit);
      if (found >= 0) return found;
    }
    return -1;
  };

  const head = (run) => {
    const commit = index.run_commit[run];
    const [sha, subject] = [index.sha[commit], index.subject[commit]];
    const dirty = index.run_dirty.includes(run);
    document.title = `Run of ${sha.slice(0, 10)} · ${document.title.split(" · ").slice(1).join(" · ")}`;
    element("title").replaceChildren(h("span", { class: "sha" }, sha.slice(0, 10)), ` ${subject || "a commit whose subject is not known"}`);
    spans("about", [
      index.author[commit] && [index.author[commit], ", ", when(index.author_time[commit])],
      ["measured ", when(index.run_started[run]), data.host && ` on ${data.host}`, ` in ${data.duration}`].filter(Boolean),
      data.label,
      dirty && h("span", { class: "warn" }, "uncommitted changes"),
      index.commit_url && /^[0-9a-f]{7,64}$/.test(sha) && h("a", { href: index.commit_url + sha, rel: "noreferrer" }, "commit on the forge"),
    ].map((part) => (Array.isArray(part) ? h("span", {}, part) : part)));
    const [older, newer] = [neighbour(run, -1), neighbour(run, 1)];
    const step = (at, rel, text) => at >= 0 && h("a", { rel, href: marks.runPage(at), title: index.subject[index.run_commit[at]] }, text(index.sha[index.run_commit[at]].slice(0, 10)));
    element("steps").replaceChildren(...[
      step(older, "prev", (text) => `← ${text}`),
      step(newer, "next", (text) => `${text} →`),
      older >= 0 && h("a", { href: `${root}compare.html#candidate=run:${index.run[run]}` }, "compare with the commit before"),
      data.samples && h("a", { href: `${root}json/samples/${index.run[run]}.json.gz`, download: `${sha.slice(0, 10)}-samples.json.gz` }, "download all samples"),
      ...index.run.map((_, at) => at).filter((at) => at !== run && index.run_commit[at] === commit).map((at) => h("a", { href: marks.runPage(at) }, `also measured ${utc(index.run_started[at])}`)),
    ].filter(Boolean));
  };

  const trust = () => {
    const good = all.filter((row) => row.status === "ok");
    const count = (letter) => good.filter((row) => row.tier === letter).length;
    spans("tiers", [
      ...["A", "B", "C"].filter(count).map((letter) => h("span", {}, marks.tier(letter), ` ${count(letter)} result${count(letter) === 1 ? "" : "s"}`)),
      h("a", { href: "method.html#tiers" }, "what the tiers mean"),
    ]);
    const causes = new Map();
    for (const row of good) {
      row.notes.codes.forEach((code, i) => {
        const at = `${row.tier} ${code}`;
        if (!causes.has(at)) causes.set(at, { tier: row.tier, reason: row.notes.reasons[i], cases: 0, example: row.case });
        causes.get(at).cases += 1;
      });
    }
    const sorted = [...causes.values()].sort((a, b) => (a.tier === b.tier ? b.cases - a.cases : a.tier < b.tier ? 1 : -1)); // the worst tier first
    element("causes").replaceChildren(...sorted.map((cause) => h("li", {}, marks.tier(cause.tier), " ", h("span", {}, cause.reason), " ", h("span", { class: "quiet" }, cause.cases === 1 ? cause.example : `${cause.cases} results`))));
    element("limitations").replaceChildren(...(data.limitations.length ? [h("h3", {}, "What this run does not show"), h("ul", { class: "limits" }, data.limitations.map((text) => h("li", {}, text)))] : []));
    element("trust-section").hidden = !good.length && !data.limitations.length;
  };

  const environment = async (run) => {
    const files = await Promise.all(data.environments.map(([id]) => perftrack.need(`environments/${id}`)));
    element("environments").replaceChildren(...(files.length ? files.flatMap((file, i) => [
      h("p", { class: "meta" }, data.environments[i][1].map((slot) => h("span", {}, marks.lane(slot)))),
      ...perftrack.environment(file),
    ]) : [h("p", { class: "notice" }, "No environment was recorded with this run, so its results can be compared with nothing.")]));
    const pair = (term, value, kind) => h("div", {}, h("dt", {}, term), h("dd", { class: kind }, value));
    element("identity").replaceChildren(pair("run", data.id, "sha"), pair("commit", index.sha[index.run_commit[run]], "sha"),
      ...(data.version ? [pair("perftrack", data.version)] : []), ...data.settings.map(([term, value]) => pair(term, value)));
    element("environment-section").hidden = false;
  };

  const show = async () => {
    const key = state.read().run ?? "";
    const run = index.run.indexOf(key);
    if (key === shown) return;
    shown = key;
    if (run < 0) {
      element("waiting").replaceChildren(key ? "This site has no such run. " : "Which run? ", h("a", { href: `${root}runs.html` }, "The list of runs"), " leads to each of them.");
      element("waiting").hidden = false;
      for (const section of document.querySelectorAll("#run > section")) section.hidden = true;
      element("run").setAttribute("aria-busy", "false");
      return;
    }
    const loaded = await perftrack.need(`runs/${key}`);
    if (key !== shown) return;
    data = loaded;
    all = rowsOf(data);
    head(run);
    const statuses = ["ok", "failed", "skipped"].map((status) => [status, all.filter((row) => row.status === status).length]);
    element("counts").textContent = statuses.filter(([, number]) => number).map(([status, number]) => `${number} ${status}`).join(", ");
    element("nothing").hidden = all.length > 0;
    element("filters").hidden = all.length < 2;
    const table = element("grid");
    table.replaceChildren(table.querySelector("caption"));
    table.hidden = !all.length;
    query.value = state.read().q ?? "";
    grid = perftrack.grid(table, { rowClass: (row) => (row.status === "failed" ? "bad" : undefined), sort: state.read().sort, onsort: (sort) => state.write({ ...state.read(), sort }), empty: "No result matches the filter.", columns: columns() });
    update();
    trust();
    element("results-section").hidden = false;
    element("waiting").hidden = true;
    await environment(run);
    element("run").setAttribute("aria-busy", "false");
  };

  addEventListener("hashchange", show);
  return show();
});
