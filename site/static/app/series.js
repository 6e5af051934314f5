// A series' data files as what the trend draws: columns of values, lanes and tiers by point.
"use strict";

perftrack.series = (() => {
  const CHANGE = ["lane", "before", "first", "last", "likely", "probability", "kind", "direction", "standing", "from", "to", "ratio", "lo", "hi", "p", "id"];
  const named = (names) => (row) => Object.fromEntries(row.map((value, i) => [names[i], value]));
  const whole = new Map();

  const running = (differences) => {
    let sum = 0;
    return differences.map((difference) => (sum += difference));
  };

  // Points of runs that the history does not know are left out: a build that was stopped has put new data beside it.
  const filled = (head, { columns, rows }) => {
    const known = perftrack.get("history").run.length;
    const all = running(columns.run);
    const facet = (i) => head.facets[columns.facet[i]];
    const numbers = perftrack.numbers(columns, () => head.ref, (i) => facet(i)[0] === "ok", (i) => facet(i)[4] === 1);
    const keep = Array.from({ length: rows }, (_, i) => i).filter((i) => all[i] < known);
    const of = (column) => keep.map((i) => column[i]);
    const run = of(all);
    const lane = keep.map((i) => facet(i)[2]);
    const notes = head.notes.map(([reasons, limitations]) => ({ reasons, limitations }));
    return {
      name: head.name, metric: head.metric, unit: head.unit, direction: head.dir, total: head.total, commits: head.commits, failed: head.failed,
      run, lane, notes, value: of(numbers.value), lo: of(numbers.lo), hi: of(numbers.hi),
      status: keep.map((i) => facet(i)[0]), tier: keep.map((i) => facet(i)[1]), note: keep.map((i) => facet(i)[3]),
      breaks: head.breaks.map(([at, slot, previous, fields]) => ({ at: run.findIndex((r, k) => r === at && lane[k] === slot), lane: slot, previous, fields })).filter(({ at }) => at > 0),
      changes: head.changes.map(named(CHANGE)).filter(({ last }) => last < known),
      epochs: head.epochs.map(named(["lane", "run", "sha", "reason"])).filter(({ run: first }) => first < known),
      limits: new Map(head.limits.map(([slot, share, name]) => [slot, { share, name }])),
    };
  };

  const load = async (key) => {
    const head = await perftrack.need(`series/${key}`);
    if (!head.drawn) head.drawn = { ...filled(head, head), key };
    return head.drawn;
  };

  // Every point of a series that came thinned out.
  const full = async (series) => {
    if (series.run.length >= series.total) return series;
    if (!whole.has(series.key)) {
      const head = await perftrack.need(`series/${series.key}`);
      whole.set(series.key, { ...filled(head, await perftrack.need(`full/${series.key}`)), key: series.key });
    }
    return whole.get(series.key);
  };

  // The same where it is at hand already.
  const known = (series) => (series.run.length >= series.total ? series : whole.get(series.key));

  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

  // The trend in words, for those who do not see the chart.
  const summary = (series) => {
    const lanes = new Set(series.lane.filter((slot) => slot >= 0)).size;
    const last = series.status.lastIndexOf("ok");
    const newest = last >= 0 && `newest ${perftrack.format.interval(series.value[last], series.unit, series.lo[last], series.hi[last])}, tier ${series.tier[last]}`;
    return `${[
      `${series.metric} of ${series.name}: ${count(series.total, "point")} over ${count(series.commits, "commit")}`,
      lanes > 1 && `in ${lanes} lanes that are not comparable with one another`,
      newest,
      series.failed > 0 && `${series.failed} failed`,
    ].filter(Boolean).join(", ")}.`;
  };

  return { load, full, known, summary };
})();
