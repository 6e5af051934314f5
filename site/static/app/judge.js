// From two stored results to a verdict: perftrack.core.verdict for what a site holds. A test holds the two together.
"use strict";

perftrack.judge = (() => {
  const { format, student } = perftrack;
  const POWER = 0.8;
  const ORDER = ["regression", "failed", "improvement", "inconclusive", "not-comparable", "unchanged"];
  const SIGNIFICANT = new Set(ORDER.slice(0, 3));
  const rule = () => perftrack.get("compare").rule;
  const why = (code, text) => ({ code, text });
  const percent = (effect) => format.percent(100 * effect);
  const size = (effect) => format.change(effect).replace(/^[+-]/, "");

  // Noise of the lanes by series, lane, code and era of the candidate.
  let lanes = null;
  const noiseOf = (series, lane, code, era) => {
    const file = perftrack.get("compare");
    if (!lanes) {
      lanes = new Map();
      const { columns = {}, rows = 0 } = file;
      for (let i = 0, at = 0; i < rows; i++) {
        at += columns.series[i];
        const of = (name) => columns[name][i] / file.rule.scale;
        lanes.set([at, columns.lane[i], columns.code[i], columns.era[i]].join("/"), {
          runs: columns.runs[i], pairs: columns.pairs[i], df: columns.df[i] / file.rule.df_scale, sigma: of("sigma"), process: of("process"), reach: of("reach"),
        });
      }
    }
    return lanes.get([series, lane, code, era].join("/")) ?? null;
  };

  const eraOf = (series, commit) => (perftrack.get("compare").eras[series] ?? []).filter((start) => start <= commit).length;

  const given = (verdict, reasons, rest = {}) => ({ verdict, why: reasons, effect: null, lo: null, hi: null, p: null, mde: null, ...rest });

  const exactly = (effect, threshold) => {
    const rest = { effect, lo: effect, hi: effect, p: effect === 0 ? 1 : 0, mde: 0 };
    if (effect === 0) return given("unchanged", [why("exact-equal", "every process read the same value on both sides")], rest);
    const change = format.change(effect);
    if (Math.abs(effect) < threshold) return given("unchanged", [why("effect-below-threshold", `a difference of ${change} is below the threshold of ${percent(threshold)}`)], rest);
    return given(effect > 0 ? "regression" : "improvement", [why("exact-change", `the values do not vary, and differ by ${change}`)], rest);
  };

  const constants = (b, c, sign, threshold) => {
    if (b.value === c.value) return exactly(0, threshold);
    if (b.value > 0 && c.value > 0) return exactly(sign * Math.log1p((c.value - b.value) / b.value), threshold);
    return given((c.value - b.value) * sign > 0 ? "regression" : "improvement", [why("exact-change", "the values do not vary, and one is zero or below")], { p: 0, mde: 0 });
  };

  const decide = (effect, lo, hi, threshold, mde) => {
    const [change, limit] = [size(effect), percent(threshold)];
    if (lo > 0 && effect >= threshold) return ["regression", why("effect-above-threshold", `worse by ${change}, threshold ${limit}`)];
    if (hi < 0 && effect <= -threshold) return ["improvement", why("effect-below-minus-threshold", `better by ${change}, threshold ${limit}`)];
    if (lo > -threshold && hi < threshold) return ["unchanged", why("within-threshold", `the interval lies inside ±${limit}`)];
    if (lo > 0 || hi < 0) return ["inconclusive", why("effect-below-threshold", `a difference of ${change} is established but is below the threshold of ${limit}`)];
    return ["inconclusive", why("interval-too-wide", `the interval includes both no change and one of ${limit}; ${size(mde)} would be seen 4 times in 5`)];
  };

  const error = (b, c, noise) => {
    const parts = [b, c].filter(({ n }) => n > 1).map(({ n, spread }) => [spread ** 2, n - 1]);
    if (noise) parts.push([2 * noise.sigma ** 2 + [b, c].filter(({ n }) => n === 1).length * noise.process ** 2, noise.df]);
    const total = parts.reduce((sum, [variance]) => sum + variance, 0);
    if (total === 0) return [0, Infinity];
    return [Math.sqrt(total), total ** 2 / parts.reduce((sum, [variance, df]) => sum + (variance > 0 ? variance ** 2 / df : 0), 0)];
  };

  const weigh = (b, c, sign, threshold, noise) => {
    const { min_side, min_runs, confidence } = rule();
    const fewest = Math.min(b.n, c.n);
    const effect = fewest > 0 ? sign * Math.log(c.value / b.value) : null;
    let [deviation, df] = error(b, c, noise);
    if (noise && noise.reach) deviation = Math.max(deviation, noise.reach / student.quantile(df, 0.5 + confidence / 2));
    if (effect === null || (fewest < min_side && (!noise || (fewest === 1 && deviation === 0))))
      return given("inconclusive", [why("noise-unknown", `${b.n} against ${c.n} processes, and fewer than ${min_runs} runs to learn the lane's noise from`)], { effect });
    if (deviation === 0) return exactly(effect, threshold);
    const p = student.twoSided(df, effect / deviation);
    if (!noise) return given("inconclusive", [why("permutation", `not decided here: without a history of the lane the command tests ${b.n} against ${c.n} processes by permutation`)], { effect, p, undecided: true });
    const quantile = student.quantile(df, 0.5 + confidence / 2);
    const [lo, hi] = [effect - quantile * deviation, effect + quantile * deviation];
    const mde = (quantile + student.quantile(df, POWER)) * deviation;
    const [verdict, reason] = decide(effect, lo, hi, threshold, mde);
    const learnt = why("lane-noise", `includes what the lane varies by from run to run: ${format.percent(100 * noise.sigma)}, ${noise.runs ? `${noise.runs} runs` : `${noise.pairs} pairs of runs of equal code`}`);
    return given(verdict, [reason, learnt], { effect, lo, hi, p, mde });
  };

  const missing = (name, side) => {
    if (!side) return why("missing-side", `not measured in ${name}`);
    if (side.status === "failed") return why("failed-side", `failed in ${name}: ${side.notes.reasons[0] ?? "no reason stored"}`);
    return side.status === "skipped" ? why("skipped-side", `skipped in ${name}: ${side.notes.reasons[0] ?? ""}`) : null;
  };

  const obstacles = (b, c, known) => {
    const found = [];
    if (b.lane < 0 || c.lane < 0) found.push(why("fingerprint-mismatch", "a side has no environment"));
    else if (b.lane !== c.lane) found.push(why("fingerprint-mismatch", known?.(b.lane, c.lane) || "other lanes"));
    if (b.code && c.code && b.code !== c.code) found.push(why("benchmark-changed", "the benchmark's own code or settings changed between the two"));
    for (const [name, { count }] of [["baseline", b], ["candidate", c]])
      if (count > 1) found.push(why("duplicate-case", `${name} has ${count} measurements of this name in one lane`));
    return found;
  };

  const agreed = ({ n, spread, lo, hi }) => n <= 1 || spread === 0 || (lo !== null && lo === hi);

  // One series' two results (null: not measured). `differing(lane, lane)`: what sets two lanes apart, in words.
  const weighed = (series, b, c, direction, differing) => {
    const threshold = perftrack.get("compare").threshold[series] ?? rule().threshold;
    const sign = direction === "lower" ? 1 : -1;
    if (c?.status === "failed") return given("failed", [missing("candidate", c)]);
    const problems = [missing("baseline", b), missing("candidate", c)].filter(Boolean);
    if (!problems.length) problems.push(...obstacles(b, c, differing));
    if (problems.length) return given("not-comparable", problems);
    const sides = [["baseline", b], ["candidate", c]];
    const unfit = sides.filter(([, { tier }]) => tier === "C").map(([name]) => why("tier-c", `${name} is tier C: no verdict is valid`));
    if (unfit.length) return given("inconclusive", unfit);
    const blank = sides.filter(([, { value }]) => value === null).map(([name]) => why("not-finite", `${name} has a sample that is no finite number`));
    if (blank.length) return given("inconclusive", blank);
    if (b === c) return exactly(0, threshold);
    const timer = perftrack.get("history").lane_protocol[c.lane].split("/")[1];
    if (timer === "exact") {
      const [loose] = sides.filter(([, side]) => !agreed(side));
      return loose ? given("inconclusive", [why("not-exact", `declared exact, but the processes of ${loose[0]} differ`)]) : constants(b, c, sign, threshold);
    }
    if (timer === "value" && agreed(b) && agreed(c) && (b.value === c.value || Math.min(b.n, c.n) >= rule().min_processes)) return constants(b, c, sign, threshold);
    const [zero] = sides.filter(([, { value, n, spread }]) => value <= 0 || (n > 1 && spread === null));
    if (zero) return given("inconclusive", [why("zero-value", `${zero[0]} has a value of zero or below: no ratio exists`)]);
    const noise = noiseOf(series, c.lane, c.code, eraOf(series, c.commit));
    return weigh(b, c, sign, threshold, noise);
  };

  // The same, where a change was accepted between the two: a failure stays one, and what did not change is unchanged.
  const one = (series, b, c, direction, differing) => {
    const judged = weighed(series, b, c, direction, differing);
    if (!b || !c || eraOf(series, b.commit) === eraOf(series, c.commit) || ["failed", "unchanged"].includes(judged.verdict)) return judged;
    return { ...judged, verdict: "not-comparable", accepted: true, why: [why("accepted", "a change was accepted between the two: the baseline is none any more"), ...judged.why] };
  };

  // All rows of a comparison, the most significant first, with the false-discovery rate controlled.
  const ranked = (rows) => {
    const tested = rows.filter((row) => row.p !== null && !row.accepted).map((row) => row.p);
    const cutoff = student.rejected(tested, rule().q);
    for (const row of rows) {
      if (row.p === null || row.p <= cutoff || !["regression", "improvement"].includes(row.verdict)) continue;
      row.verdict = "inconclusive";
      row.why.unshift(why("fdr", `not significant among ${tested.length} comparisons (Benjamini-Hochberg, q = ${rule().q})`));
    }
    const key = (row) => [ORDER.indexOf(row.verdict), row.p ?? 1, -Math.abs(row.effect ?? 0)];
    const compare = (a, b) => a.map((value, i) => value - b[i]).find((difference) => difference !== 0) ?? 0;
    return rows.map((row) => [key(row), row]).sort(([a, x], [b, y]) => compare(a, b) || (x.case < y.case ? -1 : x.case > y.case ? 1 : 0)).map(([, row], order) => Object.assign(row, { order }));
  };

  // Geometric mean of candidate / baseline by metric: never over what is unmatched, failed or zero.
  const means = (rows) => {
    const groups = new Map();
    for (const row of rows) {
      const name = JSON.stringify([row.metric, row.unit, row.direction]);
      if (!groups.has(name)) groups.set(name, { metric: row.metric, unit: row.unit, direction: row.direction, effects: [], left: 0 });
      const group = groups.get(name);
      if (row.effect !== null && Number.isFinite(row.effect) && !["failed", "not-comparable"].includes(row.verdict)) group.effects.push(row.direction === "lower" ? row.effect : -row.effect);
      else group.left += 1;
    }
    return [...groups.values()].filter(({ effects }) => effects.length >= rule().min_cases).map(({ effects, ...rest }) => ({ ...rest, cases: effects.length, effect: effects.reduce((sum, effect) => sum + effect, 0) / effects.length }));
  };

  return { one, ranked, means, SIGNIFICANT };
})();
