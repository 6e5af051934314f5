// The grid of all cases: filters, order, and both of them in the address.
"use strict";

perftrack.page(["history", "overview"], () => {
  const table = document.getElementById("grid");
  if (!table) return;
  const { h, state, rows, format, marks, when } = perftrack;
  const index = perftrack.get("history");
  const all = rows(perftrack.get("overview"));
  const ORDER = ["regression", "failed", "improvement", "inconclusive", "not-comparable", "unchanged", ""];
  const filters = document.getElementById("filters");
  const field = (name) => filters.querySelector(`[name=${name}]`);
  const NAMES = ["q", "tag", "device", "lane", "tier"];
  const NONE = { q: "", verdict: "", tag: "", device: "", lane: "", tier: "" };
  const view = { ...NONE, sort: "", ...state.read() };

  for (const row of all) {
    row.text = [row.name, row.params, row.metric, ...row.tags].join(" ").toLowerCase();
    row.laneName = row.lane < 0 ? "no environment" : index.lane[row.lane];
    row.device = row.lane < 0 ? "" : index.lane_device[row.lane];
  }

  const columns = [
    {
      name: "name", label: "Case", class: "name", key: (row) => `${row.name} ${row.params} ${row.metric}`.toLowerCase(),
      cell: (row) => h("a", { href: `${row.page}#series=${row.key}` }, row.name,
        row.params && h("span", { class: "params" }, ` ${row.params}`),
        row.metric !== "time" && row.metric !== row.name && h("span", { class: "metric" }, ` ${row.metric}`)),
    },
    {
      name: "value", label: "Latest", class: "num value", key: (row) => row.value,
      cell: (row) => row.status !== "ok" ? h("span", { class: row.verdict === "failed" ? "dash" : `verdict ${row.status}` }, row.verdict === "failed" ? "–" : row.status) : [
        h("span", {}, format.value(row.value, row.unit, row.lo, row.hi)),
        h("span", { class: "half" }, format.halfWidth(row.value, row.unit, row.lo, row.hi)),
      ],
    },
    { name: "trend", label: "Trend", class: "trend-cell", cell: (row) => marks.sparkline(row.spark, row.lane) },
    {
      name: "change", label: "Change", class: "num change", start: -1, key: (row) => (row.change === null ? null : Math.abs(row.change)),
      cell: (row) => {
        const range = row.change_lo === null ? undefined : `95 %: ${format.range(row.change_lo, row.change_hi)}`;
        return h("span", { title: range, class: ["regression", "improvement"].includes(row.verdict) ? row.verdict : "quiet" }, row.change === null ? "" : format.change(row.change));
      },
    },
    {
      name: "verdict", label: "Verdict", class: "verdict-cell", key: (row) => ORDER.indexOf(row.verdict),
      cell: (row) => row.verdict ? marks.verdict(row.verdict, row.why) : h("span", { class: "quiet", title: "only one commit in this lane" }, "–"),
    },
    ...marks.shareColumn(all),
    { name: "tier", label: "Tier", class: "tier-cell", key: (row) => row.tier, cell: (row) => (row.status === "ok" ? marks.tier(row.tier) : "") },
    { name: "lane", label: "Lane", class: "lane-cell", key: (row) => row.laneName, cell: (row) => marks.lane(row.lane) },
    {
      name: "measured", label: "Measured", class: "measured", start: -1, key: (row) => index.run_started[row.run],
      cell: (row) => h("a", { href: marks.runPage(row.run) }, when(index.run_started[row.run])),
    },
  ];

  const update = () => {
    const words = view.q.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = view.verdict ? view.verdict.split(",") : [];
    const chosen = all.filter((row) =>
      words.every((word) => row.text.includes(word)) &&
      (!verdicts.length || verdicts.includes(row.verdict)) &&
      (!view.tag || row.tags.includes(view.tag)) &&
      (!view.device || row.device === view.device) &&
      (!view.lane || row.laneName === view.lane) &&
      (!view.tier || row.tier === view.tier));
    grid.show(chosen);
    document.getElementById("shown").textContent = chosen.length === all.length ? `${all.length}` : `${chosen.length} of ${all.length}`;
    document.getElementById("clear").hidden = !Object.keys(NONE).some((name) => view[name]);
    for (const chip of filters.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(verdicts.includes(chip.dataset.verdict)));
    state.write(view);
  };

  const grid = perftrack.grid(table, {
    columns,
    sort: view.sort || "verdict",
    empty: "No case matches. Clear the filters to see all of them.",
    onsort: (sort) => { view.sort = sort; state.write(view); },
  });

  const options = (name, values) => {
    const select = field(name);
    for (const value of [...new Set(values)].filter(Boolean).sort()) select.append(h("option", { value }, value));
    select.closest("label").hidden = select.options.length < 3 && !view[name];
  };
  options("tag", all.flatMap((row) => row.tags));
  options("device", all.map((row) => row.device));
  options("lane", all.map((row) => row.laneName));
  for (const name of ORDER.filter(Boolean)) {
    const count = all.filter((row) => row.verdict === name).length;
    if (!count) continue;
    const chip = h("button", { type: "button", class: `chip ${name}`, "data-verdict": name }, `${name.replace("-", " ")} `, h("b", {}, String(count)));
    chip.addEventListener("click", () => {
      const chosen = new Set(view.verdict ? view.verdict.split(",") : []);
      if (!chosen.delete(name)) chosen.add(name);
      view.verdict = [...chosen].join(",");
      update();
    });
    document.getElementById("verdicts").append(chip);
  }

  const fill = () => { for (const name of NAMES) field(name).value = view[name]; };
  for (const name of NAMES) {
    field(name).addEventListener("input", (event) => { view[name] = event.target.value; update(); });
  }
  document.getElementById("clear").addEventListener("click", () => {
    Object.assign(view, NONE);
    fill();
    update();
    field("q").focus();
  });
  addEventListener("hashchange", () => {
    Object.assign(view, NONE, { sort: "" }, state.read());
    grid.sort(view.sort || "verdict");
    fill();
    update();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(input|select|textarea)$/i.test(document.activeElement.tagName)) return;
    event.preventDefault();
    field("q").focus();
  });

  filters.hidden = false;
  fill();
  update();
});
