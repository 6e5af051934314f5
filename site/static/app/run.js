// A run's results: one row each, opening to its samples and to why it has its tier.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const table = document.getElementById("grid");
  if (!table) return;
  const { h, state, rows, format, marks, root, pageData } = perftrack;
  const data = pageData();
  const all = rows(data.rows);
  const filters = document.getElementById("filters");
  const query = filters.querySelector("[name=q]");
  const RANK = { failed: 0, skipped: 1, ok: 2 };

  for (const row of all) {
    row.notes = data.notes[row.note];
    row.text = [row.case, row.metric, row.status, ...row.notes.reasons, ...row.notes.limitations].join(" ").toLowerCase();
    row.relative = row.value && row.lo !== null ? (row.hi - row.lo) / 2 / Math.abs(row.value) : null;
  }

  all.sort((a, b) => RANK[a.status] - RANK[b.status]); // what failed comes first

  // Differences between sorted neighbours, back to values in the unit `factor` stands for.
  const distribution = (samples, factor) => {
    const at = (position) => (samples.offset + position * samples.step) / factor;
    const name = (i) => `process ${i + 1} (${samples.counts[i]})`;
    const points = samples.samples.flatMap((own, i) => {
      let position = 0;
      return own.map((difference) => ({ process: name(i), v: at((position += difference)) }));
    });
    const windows = samples.windows.flatMap((own, i) => own.map((tenths) => ({ process: name(i), v: at(tenths / 10) })));
    return { samples: points, windows };
  };

  const draw = (target, row) => {
    const [factor, unit] = format.scale(row.value ?? row.samples.offset, row.unit);
    const scaled = (value) => (value === null ? null : value / factor);
    const summary = row.value === null ? [] : [{ v: scaled(row.value), lo: scaled(row.lo), hi: scaled(row.hi) }];
    perftrack.chart(target, "distribution", { data: { ...distribution(row.samples, factor), summary }, params: { unit: unit ? ` ${unit}` : "" } });
  };

  const panel = (row) => {
    const notes = (title, items) => items.length > 0 && h("div", {}, h("h3", {}, title), h("ul", {}, items.map((text) => h("li", {}, text))));
    const figure = row.samples && h("figure", { class: "samples" },
      h("div", { class: "plot", role: "img", "aria-label": `Samples of ${row.case} per process: ${row.samples.counts.join(", ")} samples` }),
      h("figcaption", { class: "quiet" }, "Ticks are samples by process (number of samples in brackets), diamonds window medians, the line the value and the band its 95 % interval."));
    const medians = row.samples && h("details", {}, h("summary", {}, "Window medians"), h("table", { class: "grid medians" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Process"), h("th", { scope: "col" }, "Samples"), h("th", { scope: "col" }, "Window medians, in order"))),
      h("tbody", {}, row.samples.windows.map((own, i) => h("tr", {}, h("td", {}, String(i + 1)), h("td", { class: "num" }, String(row.samples.counts[i])),
        h("td", { class: "num" }, own.map((tenths) => format.value(row.samples.offset + (tenths / 10) * row.samples.step, row.unit, row.lo, row.hi)).join(", ")))))));
    return h("div", { class: "panel" }, figure, medians,
      notes(row.status === "ok" ? `Why tier ${row.tier}` : `Why ${row.status}`, row.notes.reasons), notes("What it does not show", row.notes.limitations),
      row.output && h("div", {}, h("h3", {}, "Output"), h("pre", { class: "output", tabindex: "0" }, row.output)),
      h("p", { class: "quiet" }, `protocol ${row.protocol}`));
  };

  const open = (button, row) => {
    const line = button.closest("tr");
    const expanded = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!expanded));
    if (expanded) {
      line.nextElementSibling.remove();
      return;
    }
    const content = panel(row);
    line.after(h("tr", { class: "opened" }, h("td", { colspan: line.cells.length }, content)));
    if (row.samples) draw(content.querySelector(".plot"), row);
  };

  const name = (row) => {
    const text = [row.case, row.metric !== "time" && h("span", { class: "metric" }, ` ${row.metric}`)];
    return row.page >= 0 ? h("a", { href: `${root}${data.links[row.page]}#series=${row.key}` }, text) : text;
  };
  const grid = perftrack.grid(table, {
    rowClass: (row) => (row.status === "failed" ? "bad" : undefined),
    sort: state.read().sort,
    onsort: (sort) => state.write({ ...state.read(), sort }),
    empty: "No result matches the filter.",
    columns: [
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
    ],
  });

  const update = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = all.filter((row) => words.every((word) => row.text.includes(word)));
    grid.show(chosen);
    document.getElementById("shown").textContent = chosen.length === all.length ? "" : `${chosen.length} of ${all.length}`;
    state.write({ ...state.read(), q: query.value });
  };
  filters.hidden = all.length < 2;
  query.value = state.read().q ?? "";
  query.addEventListener("input", update);
  update();
});
