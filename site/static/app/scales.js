// What the trend's value axis counts: the metric itself, percent of each lane's value at a commit, or the share of a ceiling.
"use strict";

perftrack.scales = (() => {
  const { format } = perftrack;
  const good = (point) => point.status === "ok" && point.value !== null;

  const typical = (points) => {
    const values = points.filter(good).map((point) => Math.abs(point.value)).sort((a, b) => a - b);
    return values.length ? values[values.length >> 1] : 0;
  };

  // In the unit that suits the series, so that axis ticks are round numbers of it.
  const absolute = (series, all, size = typical(all)) => {
    const [factor, unit] = format.scale(size, series.unit);
    const scaled = (value) => (value === null ? null : value / factor);
    return { unit, words: "", measure: (point) => ({ v: scaled(point.value), lo: scaled(point.low), hi: scaled(point.high) }) };
  };

  // Lanes compare with nothing but themselves: each has its own 100 %, its value at the commit or the nearest one before it.
  const relative = (all, within, commit) => {
    const bases = new Map();
    const fit = (points) => points.filter((point) => good(point) && point.main && point.value > 0);
    for (const point of fit(commit < 0 ? within : all)) {
      const known = bases.get(point.lane);
      if (!known || (commit >= 0 && point.commit <= commit)) bases.set(point.lane, point);
    }
    const sha = (at) => perftrack.get("history").sha[at].slice(0, 10);
    const several = bases.size > 1;
    const first = [...bases.values()][0];
    const where = commit >= 0 ? `at ${sha(commit)}${several ? ", or its nearest value to that" : ""}` : several || !first ? "at the first commit shown" : `at ${sha(first.commit)}, the first shown`;
    return {
      unit: "%",
      words: `100 % is ${several ? "each lane's own value" : "the value"} ${where}; bands do not include that value's own uncertainty. To choose another commit, point at it and press “100 % here”, or the key R.`,
      measure: (point) => {
        const base = bases.get(point.lane)?.value;
        const scaled = (value) => (value === null || !base ? null : (100 * value) / base);
        return { v: scaled(point.value), lo: scaled(point.low), hi: scaled(point.high) };
      },
    };
  };

  const share = (limits) => ({
    unit: "%",
    words: `Share of the measured ceiling: ${[...new Set([...limits.values()].map(({ name }) => name))].join(", ")}. Higher is better; what ran where no ceiling is known is left out.`,
    measure: (point) => {
      const limit = limits.get(point.lane)?.share;
      const scaled = (value) => (value === null || !limit || value <= 0 ? null : (100 * limit) / value);
      return { v: scaled(point.value), lo: scaled(point.high), hi: scaled(point.low) };
    },
  });

  // {unit, words, measure(point) -> {v, lo, hi}}. `all`: a series' points, `within`: those shown. `size`: of what the unit is chosen by.
  const of = (series, all, within, { scale, reference }, size) => {
    if (scale === "relative") return relative(all, within, reference ?? -1);
    if (scale === "share" && series.limits.size) return share(series.limits);
    return absolute(series, all, size);
  };

  // Limits of the axis: all values, and intervals as far as the usual one reaches. A few intervals of ten
  // times the usual width would flatten the line that people came for; their bands run off the edge.
  const limits = (shown, log) => {
    const drawn = shown.filter(({ v }) => v !== null && (!log || v > 0));
    if (!drawn.length) return { y_lo: log ? 1 : 0, y_hi: log ? 10 : 1 };
    const halves = drawn.filter(({ lo }) => lo !== null).map(({ v, lo, hi }) => Math.max(v - lo, hi - v)).sort((a, b) => a - b);
    const usual = 2 * (halves[Math.floor(0.8 * halves.length)] ?? 0);
    let least = Infinity, most = -Infinity, lowest = Infinity;
    for (const { v, lo, hi } of drawn) {
      least = Math.min(least, lo === null ? v : Math.max(lo, v - usual));
      most = Math.max(most, hi === null ? v : Math.min(hi, v + usual));
      lowest = Math.min(lowest, v);
    }
    if (log && least <= 0) least = lowest / 2;
    const room = least < most ? 0 : Math.abs(most) * 0.02 || 0.5;
    return { y_lo: least - room, y_hi: most + room };
  };

  return { of, limits, typical, good };
})();
