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

  perftrack.grid(table, {
    columns: [
      { name: "commit", label: "Commit", cell: (run) => h("a", { class: "sha", href: marks.runPage(run) }, index.sha[index.run_commit[run]].slice(0, 10)) },
      { name: "subject", label: "Subject", class: "subject", cell: (run) => h("span", { title: index.subject[index.run_commit[run]] }, index.subject[index.run_commit[run]]) },
      { name: "measured", label: "Measured", cell: (run) => [when(index.run_started[run]), dirty.has(run) && h("span", { class: "warn" }, " uncommitted changes")] },
      {
        name: "results", label: "Results", class: "num",
        cell: (run) => [String(list.ok[run]), list.failed[run] > 0 && h("span", { class: "warn" }, ` ${list.failed[run]} failed`), list.skipped[run] > 0 && h("span", { class: "quiet" }, ` ${list.skipped[run]} skipped`)],
      },
      { name: "lanes", label: "Lanes", cell: (run) => list.lanes[run].map((slot) => [marks.lane(slot), " "]).flat() },
      { name: "host", label: "Host", class: "quiet", cell: (run) => list.host[run] + (list.label[run] && ` (${list.label[run]})`) },
    ],
  }).show(order);
});
