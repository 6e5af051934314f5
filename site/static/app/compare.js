// The compare page: two sides chosen in the address, their rows by significance, and a plot of those that changed.
"use strict";

perftrack.page(["history", "catalogue", "compare"], async () => {
  const { h, state, format, marks, root, pairing, judge } = perftrack;
  const index = perftrack.get("history");
  const catalogue = perftrack.get("catalogue");
  const { pair, rule } = perftrack.get("compare");
  const element = (id) => document.getElementById(id);
  const field = (name) => element("filters").querySelector(`[name=${name}]`);
  const NAMES = ["base", "candidate"];
  const ONE_SIDED = new Set(["missing-side", "skipped-side"]);
  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  let view = {};
  let rows = [];
  let loaded = null; // the two addresses that `rows` are of
  let drawn = "";

  const raw = (row, value) => (value === null ? null : row.direction === "lower" ? value : -value); // of the metric itself
  const span = (row) => [raw(row, row.lo), raw(row, row.hi)].sort((a, b) => a - b);
  const kind = (row) => (row.verdict === "not-comparable" && ONE_SIDED.has(row.why[0].code) ? "one-sided" : row.verdict);

  const made = async ([baseline, candidate], loadedSides) => {
    const [before, after] = loadedSides;
    const environments = new Map([...before.environments, ...after.environments]);
    const found = pairing.pairs(before, after);
    const apart = new Map();
    for (const [, b, c] of found)
      if (b?.status === "ok" && c?.status === "ok" && b.lane >= 0 && c.lane >= 0 && b.lane !== c.lane) apart.set(`${b.lane}/${c.lane}`, null);
    await Promise.all([...apart.keys()].map(async (key) => apart.set(key, await pairing.differing(environments, ...key.split("/").map(Number)))));
    const words = (b, c) => apart.get(`${b}/${c}`)?.join("; ");
    const all = found.map(([at, b, c]) => {
      const own = { at, case: catalogue.id[at], metric: catalogue.metric[at], unit: catalogue.unit[at], direction: catalogue.direction[at], page: catalogue.page[at], key: catalogue.key[at] };
      return { ...own, b, c, lane: (c ?? b).lane, ...judge.one(at, b, c, own.direction, words) };
    });
    for (const row of judge.ranked(all)) row.text = [row.case, row.metric, row.verdict, ...row.why.map(({ text }) => text)].join(" ").toLowerCase();
    return all.sort((a, b) => a.order - b.order);
  };

  // The table

  const value = (row, side) => {
    if (!side) return h("span", { class: "quiet" }, "–");
    if (side.status !== "ok") return h("span", { class: `verdict ${side.status}` }, side.status);
    return h("span", { title: side.lo === null ? undefined : `95 %: ${format.value(side.lo, row.unit, side.lo, side.hi)} … ${format.value(side.hi, row.unit, side.lo, side.hi)}` }, format.value(side.value, row.unit, side.lo, side.hi));
  };

  const sideLine = (row, name, side) => h("tr", {}, h("th", { scope: "row" }, name), !side ? h("td", { colspan: 5, class: "quiet" }, "not measured") : [
    h("td", { class: "num" }, value(row, side)), h("td", { class: "num range" }, side.lo === null ? "–" : `${format.value(side.lo, row.unit, side.lo, side.hi)} … ${format.value(side.hi, row.unit, side.lo, side.hi)}`),
    h("td", {}, side.status === "ok" ? marks.tier(side.tier) : ""), h("td", {}, marks.lane(side.lane)), h("td", { class: "why" }, [...side.notes.reasons, ...side.notes.limitations].join("; "))]);

  const panel = (row) => h("div", { class: "panel" },
    h("ul", {}, row.why.map(({ text }) => h("li", {}, text)), row.p !== null && h("li", {}, `p ${row.p < 1e-4 ? "< 0.0001" : `= ${row.p.toPrecision(2)}`}${row.mde === null ? "" : `; a change of ${format.change(row.mde).slice(1)} would be seen 4 times in 5`}`)),
    h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Both sides" }, h("table", { class: "grid both" },
      h("thead", {}, h("tr", {}, ["", "Value", "95 % interval", "Tier", "Lane", "Reasons and limits"].map((text, i) => (text ? h("th", { scope: "col", class: i === 1 || i === 2 ? "num" : undefined }, text) : h("td", {}))))),
      h("tbody", {}, sideLine(row, "Baseline", row.b), sideLine(row, "Candidate", row.c)))),
    h("div", { class: "launch-place" }));

  const open = async (button, row) => {
    const line = button.closest("tr");
    const expanded = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!expanded));
    if (expanded) {
      if (line.nextElementSibling?.classList.contains("opened")) line.nextElementSibling.remove();
      return;
    }
    const content = panel(row);
    line.after(h("tr", { class: "opened" }, h("td", { colspan: line.cells.length }, content)));
    const place = content.querySelector(".launch-place");
    try {
      const table = row.b && row.c && (await perftrack.launchdiff.table(row.case, index.sha[row.b.commit], index.sha[row.c.commit]));
      if (table) place.replaceChildren(table);
    } catch (error) {
      place.replaceChildren(h("p", { class: "notice" }, `${error.message}. Build the site again.`));
    }
  };

  const tiers = (row) => {
    const own = [row.b, row.c].filter((side) => side?.status === "ok").map(({ tier }) => tier);
    return own.length === 2 && own[0] !== own[1] ? [marks.tier(own[0]), " → ", marks.tier(own[1])] : own.length ? marks.tier(own[0]) : "";
  };

  const none = h("span", {});
  const columns = [
    { name: "more", label: h("span", { class: "hidden" }, "Details"), class: "more", cell: (row) => h("button", { type: "button", class: "expand", "aria-expanded": "false", "aria-label": `Details of ${row.case} ${row.metric}`, onclick: (event) => open(event.currentTarget, row) }) },
    { name: "case", label: "Case", class: "name", key: (row) => row.case.toLowerCase(), cell: (row) => h("a", { href: `${root}${row.page}#series=${row.key}` }, row.case, row.metric !== "time" && h("span", { class: "metric" }, ` ${row.metric}`)) },
    { name: "base", label: "Baseline", class: "num base", key: (row) => row.b?.value ?? null, cell: (row) => value(row, row.b) },
    { name: "candidate", label: "Candidate", class: "num cand", key: (row) => row.c?.value ?? null, cell: (row) => value(row, row.c) },
    {
      name: "change", label: "Change, 95 % interval", class: "num change", start: -1, key: (row) => raw(row, row.effect),
      cell: (row) => row.effect === null ? "" : [
        h("span", { class: judge.SIGNIFICANT.has(row.verdict) ? row.verdict : "quiet" }, format.change(raw(row, row.effect))),
        row.lo !== null && row.lo !== row.hi && h("small", {}, ` ${format.range(...span(row))}`),
      ],
    },
    { name: "verdict", label: "Verdict", class: "verdict-cell", key: (row) => row.order, cell: (row) => marks.verdict(row.verdict, row.why.map(({ text }) => text).join("; ")) },
    { name: "tier", label: "Tiers", class: "tier-cell", key: (row) => [row.b, row.c].map((side) => side?.tier ?? "").sort().reverse().join(""), cell: tiers },
    { name: "lane", label: "Lane", class: "lane-cell", key: (row) => row.lane, cell: (row) => marks.lane(row.lane) },
    { name: "why", label: "Reasons", class: "why", cell: (row) => h("span", { title: row.why.map(({ text }) => text).join("; ") }, row.why[0]?.text ?? "", row.why.length > 1 && h("small", {}, ` +${row.why.length - 1}`)) },
  ];
  const grid = perftrack.grid(element("grid"), {
    columns, sort: "verdict", rowClass: (row) => (row.verdict === "failed" ? "bad" : undefined), empty: none,
    onsort: (sort) => { view.sort = sort; state.write(view); },
  });

  // The plot: what changed, at most as many as can be read.

  const plot = (changed) => {
    const known = changed.filter((row) => row.lo !== null);
    const shown = known.slice(0, rule.plotted);
    element("plot-section").hidden = !shown.length;
    const key = JSON.stringify([loaded, shown.map((row) => row.order)]);
    if (!shown.length || key === drawn) return;
    drawn = key;
    const counts = new Map();
    const label = (row) => {
      const plain = row.metric === "time" ? row.case : `${row.case} ${row.metric}`;
      counts.set(plain, (counts.get(plain) ?? 0) + 1);
      return counts.get(plain) > 1 ? `${plain} (${counts.get(plain)})` : plain; // a case in several lanes
    };
    const ratios = shown.map((row) => {
      const [lo, hi] = span(row).map(Math.exp);
      return { name: label(row), ratio: Math.exp(raw(row, row.effect)), lo, hi, worse: row.verdict === "regression" };
    });
    const spoken = shown.slice(0, 5).map((row) => `${row.case}${row.metric === "time" ? "" : ` ${row.metric}`} ${format.change(raw(row, row.effect))} (${span(row).map(format.change).join(" to ")})`);
    element("plot").setAttribute("aria-label", `Candidate over baseline with 95 % intervals of ${many(shown.length, "case")}. ${spoken.join(", ")}${shown.length > 5 ? ", and more in the table" : ""}.`);
    element("plot-words").textContent = [
      known.length > shown.length ? `The ${shown.length} most significant of ${known.length} changes; the table has all of them.` : `${many(shown.length, "change")}, the most significant first.`,
      "Candidate over baseline on a logarithmic axis, the bar its 95 % interval; ▲ is worse, ▼ is better.",
      changed.length > known.length && `${many(changed.length - known.length, "case")} without an interval left out.`,
    ].filter(Boolean).join(" ");
    perftrack.need("charts").then(() => perftrack.chart(element("plot"), "intervals", { data: { ratios }, params: { room: Math.round(Math.min(340, element("plot").clientWidth * 0.42)) } }));
  };

  const WORDS = { "one-sided": "only in one", "not-comparable": "not comparable" };
  const tally = (list) => {
    const counts = new Map();
    for (const row of list) counts.set(kind(row), (counts.get(kind(row)) ?? 0) + 1);
    return ["regression", "failed", "improvement", "unchanged", "inconclusive", "not-comparable", "one-sided"].filter((name) => counts.has(name)).map((name) => [name, counts.get(name)]);
  };

  const update = () => {
    const words = view.q.toLowerCase().split(/\s+/).filter(Boolean);
    const lane = view.lane === "" ? null : index.lane.indexOf(view.lane);
    const chosen = rows.filter((row) => words.every((word) => row.text.includes(word)) && (lane === null || [row.b, row.c].some((side) => side?.lane === lane)));
    const changed = chosen.filter((row) => judge.SIGNIFICANT.has(row.verdict));
    const told = tally(changed).map(([name, count]) => h("b", { class: `verdict ${name}` }, name === "failed" ? `${count} failed` : many(count, name)));
    const rest = tally(chosen.filter((row) => !judge.SIGNIFICANT.has(row.verdict))).map(([name, count]) => `${count} ${WORDS[name] ?? name}`).join(", ");
    element("tally").replaceChildren(...(told.length ? told : [h("b", {}, "No significant change")]), rest && h("span", { class: "quiet" }, `${view.all ? "" : "hidden: "}${rest}`));
    none.textContent = !rows.length ? "Neither side measured anything." : !chosen.length ? "No case matches the filters." : "No case changed significantly. “All rows” shows what is hidden.";
    grid.show(view.all ? chosen : changed);
    plot(changed);
    state.write(view);
  };

  const summaries = () => {
    element("means").replaceChildren(...judge.means(rows).map((mean) => h("li", {}, `Geometric mean of ${mean.metric} (${mean.direction} is better): ${format.change(mean.effect)} over ${many(mean.cases, "case")}${mean.left ? `, ${mean.left} without a ratio left out` : ""}`)));
    const groups = new Map();
    for (const row of rows) {
      if (row.why[0]?.code !== "fingerprint-mismatch") continue;
      const name = `${row.b.lane}/${row.c.lane}`;
      if (!groups.has(name)) groups.set(name, { row, count: 0 });
      groups.get(name).count += 1;
    }
    const command = `perftrack compare ${NAMES.map((name) => index.sha[pairing.resolve(view[name]).commit].slice(0, 12)).join(" ")}`;
    const undecided = rows.filter((row) => row.undecided).length;
    const untold = undecided > 0 && h("li", { class: "notice" }, h("b", {}, `${many(undecided, "case")} not decided here: `), "their lanes have too short a history, and without one it takes a permutation test of the processes: ", h("code", {}, command));
    element("apart").replaceChildren(...(untold ? [untold] : []), ...[...groups.values()].map(({ row, count }) => h("li", { class: "notice" }, h("b", {}, `${many(count, "case")} not comparable: `), marks.lane(row.b.lane), " → ", marks.lane(row.c.lane), h("div", {}, row.why[0].text))));
    const select = field("lane");
    const lanes = [...new Set(rows.flatMap(({ b, c }) => [b, c]).filter((side) => side && side.lane >= 0).map(({ lane }) => lane))].sort((a, b) => a - b);
    select.replaceChildren(h("option", { value: "" }, "all"), ...lanes.map((lane) => h("option", { value: index.lane[lane] }, index.lane[lane])));
    select.closest("label").hidden = lanes.length < 2 && !view.lane;
    element("command").textContent = command;
  };

  const fill = () => {
    field("q").value = view.q;
    field("lane").value = view.lane;
    field("all").checked = view.all !== "";
  };

  const wait = (...content) => {
    element("waiting").replaceChildren(...content);
    element("waiting").hidden = false;
    element("result").hidden = true;
    element("comparison").setAttribute("aria-busy", "false");
  };

  const choices = pairing.choices();
  const pickers = NAMES.map((name, i) => perftrack.picker(element(name), {
    label: ["Baseline", "Candidate"][i], choices,
    picked: (choice) => { view[name] = choice.text; again(); },
  }));

  const show = async () => {
    const chosen = NAMES.map((name) => pairing.resolve(view[name]));
    pickers.forEach((picker, i) => picker.show(chosen[i]));
    state.write(view);
    const lost = NAMES.filter((name, i) => !chosen[i] && view[name]);
    if (lost.length) return wait(`This site has no results of ${lost.map((name) => view[name]).join(" and ")}. Choose a side above, or record it: `, h("code", {}, `perftrack record ${view[lost[0]]}`));
    if (chosen.includes(null)) return wait("There is one commit with results: nothing to compare yet. Record a second one, ", h("code", {}, "perftrack record HEAD~1"), ", and build the site again.");
    const wanted = JSON.stringify(NAMES.map((name) => view[name]));
    if (wanted !== loaded) {
      element("comparison").setAttribute("aria-busy", "true");
      const both = await Promise.all(chosen.map(pairing.load));
      const next = await made(chosen, both);
      if (wanted !== JSON.stringify(NAMES.map((name) => view[name]))) return undefined; // another choice meanwhile
      loaded = wanted;
      rows = next;
      summaries();
    }
    fill();
    element("waiting").hidden = chosen[0].text !== chosen[1].text;
    element("waiting").textContent = "Both sides are the same: nothing can differ.";
    element("result").hidden = false;
    grid.sort(view.sort || "verdict");
    update();
    element("comparison").setAttribute("aria-busy", "false");
    return undefined;
  };

  const again = () => show().catch((error) => wait(`${error.message}. Build the site again.`));

  const read = () => {
    const given = state.read();
    const candidate = given.candidate ?? (pair.length ? pairing.ofCommit(pair.at(-1)).text : "");
    const base = given.base ?? pairing.before(pairing.resolve(candidate), pair)?.text ?? "";
    view = { lane: "", q: "", all: "", sort: "", ...given, base, candidate };
  };
  for (const name of ["q", "lane"]) field(name).addEventListener("input", (event) => { view[name] = event.target.value; update(); });
  field("all").addEventListener("change", (event) => { view.all = event.target.checked ? "1" : ""; update(); });
  element("swap").addEventListener("click", () => {
    [view.base, view.candidate] = [view.candidate, view.base];
    again();
  });
  addEventListener("hashchange", () => { read(); again(); });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(input|select|textarea)$/i.test(document.activeElement.tagName)) return;
    event.preventDefault();
    field("q").focus();
  });
  read();
  return show();
});
