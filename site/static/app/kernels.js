// Profiled cases; and of one of them, chosen in the address, every launch by commit.
"use strict";

perftrack.page(["history", "kernels"], async () => {
  const { h, state, rows, format, marks, root } = perftrack;
  const index = perftrack.get("history");
  const at = new Map(index.sha.map((sha, i) => [sha, i]));
  const byId = (id) => document.getElementById(id);
  const all = rows(perftrack.get("kernels"));
  const TREND = [
    ["duration", "Duration by the profiler", "s", 1],
    ["dram", "DRAM bytes, read and written", "B", 1],
    ["occupancy", "Occupancy achieved", "%", 1],
    ["registers", "Registers a thread", "", 1],
    ["stall_pct", "Largest stall, share of all", "%", 1],
  ];

  const commit = (sha) => {
    const place = at.get(sha);
    const subject = place === undefined ? "not in history" : index.subject[place];
    const text = h("span", { class: "sha", title: subject }, sha.slice(0, 10));
    return index.commit_url ? h("a", { class: "sha", href: index.commit_url + sha, rel: "noreferrer", title: subject }, sha.slice(0, 10)) : text;
  };
  const number = (value, unit) => (value === null ? "–" : unit === "%" ? format.percent(value) : format.value(value, unit));
  const count = (value) => (value === null ? "–" : Number.isInteger(value) ? String(value) : format.value(value, ""));

  // The list

  const filters = byId("filters");
  const query = filters.querySelector("[name=q]");
  for (const row of all) row.text = `${row.case} ${row.longest} ${row.bound}`.toLowerCase();
  const list = perftrack.grid(byId("grid"), {
    sort: state.read().sort,
    onsort: (sort) => state.write({ ...state.read(), sort }),
    empty: "No profiled case matches the filter.",
    columns: [
      { name: "case", label: "Case", class: "name", key: (row) => row.case.toLowerCase(), cell: (row) => h("a", { href: `#case=${row.key}` }, row.case) },
      { name: "duration", label: "Duration", class: "num", start: -1, key: (row) => row.duration, cell: (row) => number(row.duration, "s") },
      { name: "launches", label: "Launches", class: "num", start: -1, key: (row) => row.launches, cell: (row) => String(row.launches) },
      { name: "longest", label: "Longest launch", class: "name", key: (row) => row.longest.toLowerCase(), cell: (row) => h("code", {}, row.longest) },
      { name: "bound", label: "Bound", class: "bound", key: (row) => row.bound, cell: (row) => row.bound },
      {
        name: "fraction", label: "Of its roof", class: "num", start: -1, key: (row) => row.fraction,
        cell: (row) => h("span", { title: row.against }, row.fraction === null ? "–" : format.percent(100 * row.fraction)),
      },
      { name: "commits", label: "Profiled commits", class: "num", start: -1, key: (row) => row.commits, cell: (row) => String(row.commits) },
      { name: "sha", label: "Newest", cell: (row) => commit(row.sha) },
    ],
  });
  const update = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = all.filter((row) => words.every((word) => row.text.includes(word)));
    list.show(chosen);
    byId("shown").textContent = chosen.length === all.length ? "" : `${chosen.length} of ${all.length}`;
  };
  query.addEventListener("input", () => {
    update();
    state.write({ ...state.read(), q: query.value });
  });

  // One case

  const name = (launch) => `${launch[1]}${launch[3] ? ` (${launch[3] + 1})` : ""}${launch[2] ? ` in ${launch[2]}` : ""}`;
  const colour = (launch) => `var(--lane-${launch % 8})`;

  const trend = (data, launches, [field, title, unit]) => {
    const known = launches.filter((row) => row[field] !== null);
    if (!known.length) return null;
    const largest = Math.max(...known.map((row) => Math.abs(row[field])));
    const [factor, shown] = unit === "s" || unit === "B" ? format.scale(largest, unit) : [1, unit];
    const points = known.map((row) => ({ x: row.at, v: row[field] / factor, launch: row.launch, colour: colour(row.launch) }));
    const last = Math.max(...known.map((row) => row.at));
    const words = known.filter((row) => row.at === last).map((row) => `${name(data.launches[row.launch])} ${number(row[field], unit)}`);
    const plot = h("div", { class: "plot", role: "img", "aria-label": `${title} over ${data.profiles.length} profiled commits. Newest: ${words.join(", ")}.` });
    const labels = data.profiles.map(([sha]) => sha.slice(0, 7));
    queueMicrotask(() => perftrack.chart(plot, "launches", { data: { points }, params: { labels, unit: shown ? ` ${shown}` : "" } }));
    return h("figure", {}, h("figcaption", {}, title), plot);
  };

  const table = (node, columns, content, empty) => {
    node.querySelectorAll("thead, tbody").forEach((part) => part.remove());
    perftrack.grid(node, { columns, empty }).show(content);
  };

  const launchColumns = (data) => [
    { name: "commit", label: "Commit", cell: (row) => commit(data.profiles[row.at][0]) },
    {
      name: "launch", label: "Launch", class: "name",
      cell: (row) => [
        h("span", { class: `lane lane-${row.launch % 8}`, title: data.launches[row.launch][0] }, h("code", {}, name(data.launches[row.launch])), row.instances > 1 && ` × ${row.instances}`),
        row.changed && h("span", { class: "regression", title: "other machine code than in the profile before" }, " code changed"),
      ],
    },
    { name: "duration", label: "Duration", class: "num", cell: (row) => number(row.duration, "s") },
    { name: "dram", label: "DRAM", class: "num", cell: (row) => h("span", { title: row.dram_pct === null ? undefined : `${format.percent(row.dram_pct)} of the profiler's peak rate` }, number(row.dram, "B")) },
    { name: "sm", label: "SM busy", class: "num", cell: (row) => number(row.sm_pct, "%") },
    { name: "occupancy", label: "Occupancy", class: "num", cell: (row) => h("span", { title: row.limiter && `limited by ${row.limiter}` }, number(row.occupancy, "%")) },
    { name: "registers", label: "Registers", class: "num", cell: (row) => count(row.registers) },
    { name: "shared", label: "Shared", class: "num", cell: (row) => number(row.shared, "B") },
    { name: "stall", label: "Largest stall", class: "stall", cell: (row) => (row.stall ? `${row.stall}${row.stall_pct === null ? "" : ` ${format.percent(row.stall_pct)}`}` : "–") },
    { name: "bound", label: "Bound", class: "bound", cell: (row) => row.bound },
    { name: "roof", label: "Of its roof", class: "num", cell: (row) => h("span", { title: [row.against, row.missing].filter(Boolean).join("; missing: ") }, row.fraction === null ? "–" : format.percent(100 * row.fraction)) },
    { name: "size", label: "Grid, block", class: "num", cell: (row) => (row.grid ? `${row.grid}, ${row.block}` : "–") },
  ];

  const profileColumns = [
    { name: "commit", label: "Commit", cell: (row) => commit(row[0]) },
    { name: "taken", label: "Taken", cell: (row) => perftrack.when(row[1]) },
    { name: "tool", label: "Nsight Compute", cell: (row) => row[2] || "–" },
    { name: "clock", label: "Clock control", cell: (row) => row[3] || "not known" },
    { name: "cache", label: "Cache control", cell: (row) => row[4] || "not known" },
    { name: "collection", label: "Metrics", cell: (row) => row[5] || "–" },
    { name: "limits", label: "What it does not show", class: "why", cell: (row) => row[6].join("; ") },
  ];

  const showCase = async (key) => {
    const data = await perftrack.need(`kernels/${key}`);
    const launches = rows(data.rows);
    byId("title").textContent = data.case;
    byId("about").replaceChildren(h("span", {}, `${data.profiles.length} profiled commit${data.profiles.length === 1 ? "" : "s"}`),
      data.page ? h("span", {}, h("a", { href: root + data.page }, "Recorded times")) : h("span", {}, "no time is recorded for it"));
    byId("legend").replaceChildren(...data.launches.map((launch, i) => h("li", { class: `lane lane-${i % 8}`, title: launch[0] }, h("code", {}, name(launch)))));
    byId("charts").replaceChildren(...TREND.map((each) => trend(data, launches, each)).filter(Boolean));
    const last = data.profiles.length - 1;
    perftrack.roofline(byId("roofline"), {
      roof: data.roof,
      launches: launches.map((row) => ({
        x: row.intensity, y: row.rate, launch: row.launch, colour: colour(row.launch), newest: row.at === last,
        name: name(data.launches[row.launch]), fraction: row.fraction, side: row.side, missing: row.missing,
      })),
    });
    table(byId("rows"), launchColumns(data), [...launches].sort((a, b) => b.at - a.at || a.launch - b.launch), "This profile has no launches.");
    table(byId("profiles"), profileColumns, [...data.profiles].reverse());
    document.title = `${data.case} · Kernels`;
  };

  const show = async () => {
    const key = state.read().case;
    const chosen = all.some((row) => row.key === key);
    byId("list-section").hidden = chosen;
    byId("case-section").hidden = !chosen;
    byId("crumb").hidden = !chosen;
    if (chosen) return showCase(key);
    byId("title").textContent = "Kernels";
    query.value = state.read().q ?? "";
    return update();
  };
  addEventListener("hashchange", () => show().catch((error) => byId("main").prepend(h("p", { class: "notice", role: "alert" }, `${error.message}. Build the site again.`))));
  await show();
});
