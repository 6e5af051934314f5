// A series' columns as points: what the trend chart draws, the tooltip says and the table lists.
"use strict";

perftrack.points = (() => {
  const { h, format, marks, root, utc } = perftrack;

  // Points in commit order. `main`: the newest of its commit and lane, which the line goes through; never
  // one of a tree with uncommitted changes, which did not measure the commit.
  // `segment`: stretch of line, ended by a failure. `lone`: a stretch of one point, which shows its interval as a bar.
  const expanded = new WeakMap();
  const expand = (series) => {
    if (!expanded.has(series)) expanded.set(series, made(series));
    return expanded.get(series);
  };

  const made = (series) => {
    const index = perftrack.get("history");
    const dirty = new Set(index.run_dirty);
    const points = series.run.map((run, k) => ({
      k,
      run,
      commit: index.run_commit[run],
      value: series.value[k],
      low: series.lo[k],
      high: series.hi[k],
      tier: series.tier[k],
      status: series.status[k],
      lane: series.lane[k],
      colour: marks.laneColour(series.lane[k]),
      notes: series.notes[series.note[k]],
      unit: series.unit,
      main: !dirty.has(run),
    }));
    const newest = new Map();
    for (const point of points) {
      if (!point.main) continue;
      const at = `${point.lane}/${point.commit}`;
      if (newest.has(at)) newest.get(at).main = false;
      newest.set(at, point);
    }
    const stretch = new Map();
    const sizes = new Map();
    for (const point of points) {
      if (!point.main) continue;
      const count = stretch.get(point.lane) ?? 0;
      if (point.status !== "ok") {
        stretch.set(point.lane, count + 1);
        continue;
      }
      point.segment = `${point.lane}/${count}`;
      sizes.set(point.segment, (sizes.get(point.segment) ?? 0) + 1);
    }
    for (const point of points) point.lone = sizes.get(point.segment) === 1;
    return points;
  };

  // Of more points than a screen has room for: the extremes of each stretch of each lane, and all that is not plain.
  // `runs`: positions of runs whose points stay, such as those of changes.
  const thinned = (points, runs, most) => {
    if (points.length <= most) return points;
    const kept = new Set([points[0], points.at(-1)]);
    const lanes = new Map();
    for (const point of points) {
      if (point.status !== "ok" || point.value === null || !point.main || runs.has(point.run)) kept.add(point);
      else if (lanes.has(point.lane)) lanes.get(point.lane).push(point);
      else lanes.set(point.lane, [point]);
    }
    for (const own of lanes.values()) {
      kept.add(own[0]).add(own.at(-1));
      const size = Math.max(2, Math.ceil((2 * own.length * lanes.size) / most));
      for (let at = 0; at < own.length; at += size) {
        let [least, largest] = [own[at], own[at]];
        for (const point of own.slice(at, at + size)) {
          if (point.value < least.value) least = point;
          if (point.value > largest.value) largest = point;
        }
        kept.add(least).add(largest);
      }
    }
    return points.filter((point) => kept.has(point));
  };

  const shown = (point) => (point.status === "ok" ? format.interval(point.value, point.unit, point.low, point.high) : point.status);

  const commitLink = (point) => {
    const index = perftrack.get("history");
    const sha = index.sha[point.commit];
    if (!index.commit_url || !/^[0-9a-f]{7,64}$/.test(sha)) return null;
    return h("a", { href: index.commit_url + sha, rel: "noreferrer" }, "commit");
  };
  const runPage = (point) => `${root}run.html#run=${perftrack.get("history").run[point.run]}`;

  // `own`: the value in words of the axis, where that counts something else.
  const card = (point, actions = [], own = "") => {
    const index = perftrack.get("history");
    const at = point.commit;
    const range = point.low === null ? null : h("p", { class: "quiet num" }, `${format.value(point.low, point.unit, point.low, point.high)} … ${format.value(point.high, point.unit, point.low, point.high)}`);
    return h("div", { class: "card" },
      h("p", { class: "card-value num" }, point.status === "ok" ? [shown(point), " ", marks.tier(point.tier)] : h("span", { class: `verdict ${point.status}` }, point.status)),
      point.status === "ok" && range,
      own && h("p", { class: "num" }, own),
      h("p", {}, h("span", { class: "sha" }, index.sha[at].slice(0, 10)), " ", index.subject[at]),
      h("p", { class: "quiet" }, [index.author[at], utc(index.author_time[at])].filter(Boolean).join(", ")),
      h("p", { class: "quiet" }, marks.lane(point.lane)),
      point.notes.reasons.length > 0 && h("ul", {}, point.notes.reasons.map((text) => h("li", {}, text))),
      h("p", { class: "card-links" }, h("a", { href: runPage(point) }, "run"), " ", commitLink(point),
        actions.map(({ label, act, of }) => (!of || of(point)) && h("button", { type: "button", class: "act", onclick: () => act(point) }, label))));
  };

  const spoken = (point) => {
    const index = perftrack.get("history");
    const tier = point.status === "ok" ? `, tier ${point.tier}` : "";
    return `${index.sha[point.commit].slice(0, 10)}, ${shown(point)}${tier}, ${index.subject[point.commit]}`;
  };

  const columns = () => {
    const index = perftrack.get("history");
    return [
      { name: "commit", label: "Commit", key: (p) => p.commit, start: -1, cell: (p) => h("a", { class: "sha", href: runPage(p) }, index.sha[p.commit].slice(0, 10)) },
      { name: "subject", label: "Subject", class: "subject", cell: (p) => index.subject[p.commit] },
      { name: "date", label: "Authored", class: "date", key: (p) => index.author_time[p.commit], start: -1, cell: (p) => h("time", {}, utc(index.author_time[p.commit])) },
      { name: "value", label: "Value", class: "num", key: (p) => p.value, cell: (p) => (p.status === "ok" ? shown(p) : h("span", { class: `verdict ${p.status}` }, p.status)) },
      { name: "tier", label: "Tier", key: (p) => p.tier, cell: (p) => (p.status === "ok" ? marks.tier(p.tier) : "") },
      { name: "lane", label: "Lane", key: (p) => p.lane, cell: (p) => marks.lane(p.lane) },
      { name: "forge", label: "Forge", cell: (p) => commitLink(p) ?? "" },
      { name: "why", label: "Reasons", class: "why", cell: (p) => p.notes.reasons.join("; ") },
    ];
  };

  return { expand, thinned, shown, card, spoken, runPage, columns };
})();
