// The list of all runs, newest commit first.
"use strict";

perftrack.page(["history", "runs"], () => {
  const table = document.getElementById("grid");
  if (!table) return;
  const { h, marks, when } = perftrack;
  const index = perftrack.get("history");
  const list = perftrack.get("runs");
  const dirty = new Set(index.run_dirty);
  const order = list.ok.map((_, run) => run).filter((run) => run < index.run.length);
  order.sort((a, b) => index.run_commit[b] - index.run_commit[a] || index.run_started[b] - index.run_started[a] || a - b);

  // Only those that there are; a number beside another in one column would stand under neither head.
  const counts = [["results", "Results", "ok", "num"], ["failed", "Failed", "failed", "num warn"], ["skipped", "Skipped", "skipped", "num quiet"]]
    .filter(([name, , counted]) => name === "results" || list[counted].some((count) => count > 0))
    .map(([name, label, counted, style]) => ({ name, label, class: style, cell: (run) => (list[counted][run] || name === "results" ? [String(list[counted][run]), h("span", { class: "counted" }, ` ${label.toLowerCase()}`)] : "") }));

  perftrack.grid(table, {
    columns: [
      { name: "commit", label: "Commit", cell: (run) => h("a", { class: "sha", href: marks.runPage(run) }, index.sha[index.run_commit[run]].slice(0, 10)) },
      { name: "subject", label: "Subject", class: "subject", cell: (run) => h("span", { title: index.subject[index.run_commit[run]] }, index.subject[index.run_commit[run]]) },
      { name: "measured", label: "Measured", cell: (run) => [when(index.run_started[run]), dirty.has(run) && h("span", { class: "warn" }, " uncommitted changes")] },
      ...counts,
      { name: "lanes", label: "Lanes", cell: (run) => list.lanes[run].map((slot) => [marks.lane(slot), " "]).flat() },
      { name: "host", label: "Host", class: "quiet", cell: (run) => list.host[run] + (list.label[run] && ` (${list.label[run]})`) },
    ],
  }).show(order);
});
