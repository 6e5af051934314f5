// What the stored profiles of two commits say of one case: its launches side by side.
"use strict";

perftrack.launchdiff = (() => {
  const { h, format } = perftrack;
  const QUANTITIES = [["duration", "Duration by the profiler", "s"], ["dram", "DRAM bytes", "B"], ["registers", "Registers", ""], ["occupancy", "Occupancy achieved", "%"]];

  const shown = (value, unit) => {
    if (value === null || value === undefined) return "–";
    if (unit === "%") return format.percent(value);
    return unit === "" && Number.isInteger(value) ? String(value) : format.value(value, unit);
  };

  const cell = (before, after, unit) => {
    if (before === undefined || after === undefined) return h("td", { class: "num" }, shown(before ?? after, unit));
    const alike = shown(before, unit) === shown(after, unit);
    const change = before > 0 && after > 0 && !alike && format.change(Math.log(after / before));
    return h("td", { class: "num" }, alike ? shown(after, unit) : `${shown(before, unit)} → ${shown(after, unit)}`, change && h("span", { class: "quiet" }, ` ${change}`));
  };

  const name = (launch) => `${launch[1]}${launch[3] ? ` (${launch[3] + 1})` : ""}${launch[2] ? ` in ${launch[2]}` : ""}`;

  // A table of a case's launches; null where not both commits have a profile of it.
  const table = async (id, baseline, candidate) => {
    const listed = await perftrack.need("kernels");
    const at = (listed.case ?? []).indexOf(id);
    if (at < 0) return null;
    const data = await perftrack.need(`kernels/${listed.key[at]}`);
    const [before, after] = [baseline, candidate].map((sha) => data.profiles.findLastIndex(([own]) => own === sha));
    if (before < 0 || after < 0 || before === after) return null;
    const rows = perftrack.rows(data.rows);
    const sides = data.launches.map((launch, i) => [launch, rows.find((row) => row.launch === i && row.at === before), rows.find((row) => row.launch === i && row.at === after)]);
    const told = sides.filter(([, b, c]) => b || c);
    const profiles = [data.profiles[before], data.profiles[after]];
    const settings = [[3, "clock control"], [4, "cache control"]].filter(([field]) => profiles[0][field] !== profiles[1][field]);
    return h("div", {}, h("h3", {}, "Launches as Nsight Compute saw them"),
      h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Launches" }, h("table", { class: "grid launches" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Launch"), QUANTITIES.map(([, label]) => h("th", { scope: "col", class: "num" }, label)))),
        h("tbody", {}, told.map(([launch, b, c]) => h("tr", {},
          h("td", { class: "name" }, h("code", { title: launch[0] }, name(launch)), !b && h("span", { class: "quiet" }, " only in the candidate"), !c && h("span", { class: "quiet" }, " only in the baseline")),
          QUANTITIES.map(([field, , unit]) => cell(b?.[field], c?.[field], unit))))))),
      settings.length > 0 && h("p", { class: "warn" }, `The profiles were taken with other ${settings.map(([, label]) => label).join(" and ")}: their durations do not compare.`),
      h("p", { class: "quiet" }, h("a", { href: `${perftrack.root}kernels.html#case=${listed.key[at]}` }, "All profiled commits of this case")));
  };

  return { table };
})();
