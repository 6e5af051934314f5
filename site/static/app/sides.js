// The values before and after a change, a mark a commit: how far apart they lie, and how much each side scatters.
"use strict";

perftrack.sides = async (target, change, commits = 20) => {
  const { h, format } = perftrack;
  let series;
  try {
    series = await perftrack.series.full(await perftrack.series.load(change.key));
  } catch (error) {
    target.replaceChildren(h("p", { class: "notice" }, error.message));
    return;
  }
  const index = perftrack.get("history");
  const dirty = new Set(index.run_dirty);
  const sha = (run) => index.sha[index.run_commit[run]];
  const kept = series.run.map((run, k) => ({ run, k })).filter(({ run, k }) => series.status[k] === "ok" && series.value[k] !== null && series.lane[k] === change.lane && !dirty.has(run));
  const last = kept.findLastIndex(({ run }) => sha(run) === change.sides[0]);
  const first = kept.findIndex(({ run }) => sha(run) === change.sides[1]);
  if (last < 0 || first < 0) {
    target.replaceChildren(h("p", { class: "notice" }, "The runs on both sides are not in this site's data."));
    return;
  }
  const sides = { before: kept.slice(Math.max(0, last + 1 - commits), last + 1), after: kept.slice(first, first + commits) };
  const [factor, unit] = format.scale(change.after, series.unit);
  const samples = Object.entries(sides).flatMap(([process, own]) => own.map(({ k }) => ({ process: `${process} (${own.length})`, v: series.value[k] / factor })));
  const middle = (own) => own.map(({ k }) => series.value[k]).sort((a, b) => a - b)[own.length >> 1];
  const windows = Object.entries(sides).filter(([, own]) => own.length).map(([process, own]) => ({ process: `${process} (${own.length})`, v: middle(own) / factor }));
  const words = Object.entries(sides).map(([name, own]) => (own.length ? `${own.length} runs ${name}, median ${format.value(middle(own), series.unit)}` : `no run ${name}`));
  const plot = h("div", { class: "plot", role: "img", "aria-label": `${change.metric} of ${change.case}: ${words.join("; ")}.` });
  target.replaceChildren(plot);
  await perftrack.chart(plot, "distribution", { data: { samples, windows, summary: [] }, params: { unit: unit ? ` ${unit}` : "" } });
};
