// The two sides of a comparison: which runs an address means, what they measured, and which result stands against which.
"use strict";

perftrack.pairing = (() => {
  const index = () => perftrack.get("history");
  const dirty = () => new Set(index().run_dirty);

  // Runs of a commit, newest first.
  let byCommit = null;
  const runsOf = (commit) => {
    if (!byCommit) {
      byCommit = new Map();
      index().run_commit.forEach((own, run) => byCommit.set(own, [...(byCommit.get(own) ?? []), run]));
      for (const runs of byCommit.values()) runs.sort((a, b) => index().run_started[b] - index().run_started[a] || b - a);
    }
    return byCommit.get(commit) ?? [];
  };

  // A commit is what its runs of clean trees measured: with uncommitted changes it is another tree.
  const ofCommit = (commit) => {
    const marked = dirty();
    const clean = runsOf(commit).filter((run) => !marked.has(run));
    return clean.length ? { text: index().sha[commit].slice(0, 12), commit, runs: clean, run: null, dirty: false } : null;
  };
  const ofRun = (run) => ({ text: `run:${index().run[run]}`, commit: index().run_commit[run], runs: [run], run, dirty: dirty().has(run) });

  // What can be chosen, newest commit first: commits with a clean run, and runs where a commit has several or none that is clean.
  const choices = () => {
    const found = [];
    for (let commit = index().sha.length - 1; commit >= 0; commit--) {
      const runs = runsOf(commit);
      const side = ofCommit(commit);
      if (side) found.push(side);
      if (runs.length > 1 || (runs.length && !side)) found.push(...runs.map(ofRun));
    }
    return found;
  };

  // An address' text to a side: a commit by the beginning of its SHA, or a run; null where the site has none such.
  const resolve = (text) => {
    if (text.startsWith("run:")) {
      const run = index().run.indexOf(text.slice(4));
      return run < 0 ? null : ofRun(run);
    }
    const commit = /^[0-9a-f]{7,64}$/.test(text) ? index().sha.findLastIndex((sha) => sha.startsWith(text)) : -1;
    if (commit < 0) return null;
    return ofCommit(commit) ?? (runsOf(commit).length ? ofRun(runsOf(commit)[0]) : null);
  };

  // The nearest earlier commit with a clean run; of the newest commit the one that `pair` has, as others may hold ceilings alone.
  const before = (side, pair) => {
    if (!side) return null;
    if (pair.length === 2 && side.commit === pair[1]) return ofCommit(pair[0]);
    for (let commit = side.commit - 1; commit >= 0; commit--) if (ofCommit(commit)) return ofCommit(commit);
    return null;
  };

  const spreadOf = (coded, { least, per_e }) => (coded === 0 ? null : coded === 1 ? 0 : least * Math.exp((coded - 2) / per_e));

  // Results of one run, without those of ceilings.
  const read = ({ columns, facets, notes, rows }, run) => {
    const { reference } = perftrack.get("catalogue");
    const { rule, left_out } = perftrack.get("compare");
    const without = new Set(left_out);
    let number = 0;
    const numbers = columns.series.map((difference) => (number += difference));
    const facet = (i) => facets[columns.facet[i]];
    const values = perftrack.numbers(columns, (i) => reference[numbers[i]] ?? [0, 0, 0, 0], (i) => facet(i)[0] === "ok", (i) => facet(i)[4] === 1);
    const found = [];
    for (let i = 0; i < rows; i++) {
      const [status, tier, lane, note] = facet(i);
      if (without.has(numbers[i]) || numbers[i] >= reference.length) continue;
      found.push({
        series: numbers[i], run, commit: index().run_commit[run], status, tier, lane, count: 1,
        value: values.value[i], lo: values.lo[i], hi: values.hi[i], n: columns.processes[i], code: columns.code[i],
        spread: spreadOf(columns.spread[i], rule), notes: { reasons: notes[note][0], limitations: notes[note][1] },
      });
    }
    return found;
  };

  // By series the newest result of each lane; `environments`: by lane, the file that has its fields.
  const load = async (side) => {
    const files = await Promise.all(side.runs.map((run) => perftrack.need(`runs/${index().run[run]}`)));
    const results = new Map();
    const environments = new Map();
    files.forEach((file, i) => {
      for (const [id, lanes] of file.environments) for (const lane of lanes) if (!environments.has(lane)) environments.set(lane, id);
      for (const result of read(file, side.runs[i])) {
        if (!results.has(result.series)) results.set(result.series, []);
        const own = results.get(result.series);
        const same = own.find(({ lane }) => lane === result.lane);
        if (!same) own.push(result);
        else if (same.run === result.run && same.status === "ok" && result.status === "ok") same.count += 1;
      }
    });
    return { results, environments };
  };

  // Both sides of each series: lane by lane where they share one, else the newest of each.
  const pairs = (base, candidate) => {
    const found = [];
    for (const series of new Set([...candidate.results.keys(), ...base.results.keys()])) {
      const [before, after] = [base.results.get(series) ?? [], candidate.results.get(series) ?? []];
      const alike = after.filter(({ status }) => status === "ok").map((c) => [before.find((b) => b.status === "ok" && b.lane === c.lane), c]).filter(([b]) => b);
      const newest = [before[0] ?? null, after[0] ?? null];
      const failed = newest.some((side) => side?.status === "failed");
      for (const [b, c] of failed || !alike.length ? [newest] : alike) found.push([series, b, c]);
    }
    return found;
  };

  // What sets two lanes apart, in words: fields that must match to compare, and how was measured.
  const differing = async (environments, before, after) => {
    const told = [];
    const [a, b] = [before, after].map((lane) => index().lane_protocol[lane]);
    if (a !== b) told.push(`protocol: ${a} → ${b}`);
    const ids = [before, after].map((lane) => environments.get(lane));
    if (ids.includes(undefined) || ids[0] === ids[1]) return told;
    const [old, now] = (await Promise.all(ids.map((id) => perftrack.need(`environments/${id}`)))).map(({ fields }) => new Map(fields.map(([label, , key, value, kind]) => [label, { key, value, kind }])));
    const text = (field) => field?.value ?? "absent";
    for (const label of new Set([...old.keys(), ...now.keys()])) {
      const [x, y] = [old.get(label), now.get(label)];
      if ((x?.key || y?.key) && (text(x) !== text(y) || x?.kind !== y?.kind)) told.push(`${label}: ${text(x)} → ${text(y)}`);
    }
    return told;
  };

  return { choices, resolve, ofCommit, before, load, pairs, differing };
})();
