// The cases of a benchmark side by side: by commit, one chart for each value of a parameter, or their newest results along one.
"use strict";

perftrack.family = (() => {
  const { h, svg, format, scales, points: read } = perftrack;
  const MOST = 60; // lines that are read and drawn
  const LOG_FROM = 30; // from this ratio of largest to smallest, of parameter or value, axes are logarithmic
  const SHAPES = [["circle", "M6 1.5a4.5 4.5 0 1 0 .01 0Z"], ["square", "M2 2h8v8H2Z"], ["triangle-up", "M6 1 11 10H1Z"], ["diamond", "M6 .5 11.5 6 6 11.5 .5 6Z"], ["cross", "M4.4 1h3.2v3.4H11v3.2H7.6V11H4.4V7.6H1V4.4h3.4Z"], ["triangle-down", "M1 2h10L6 11Z"]];
  const text = (value) => (value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value));
  const order = new Intl.Collator("en", { numeric: true });

  const given = (entry, name) => entry.given.find(([own]) => own === name)?.[1];
  const rest = (entry, name) => entry.given.filter(([own]) => own !== name).map(([own, value]) => `${own}=${text(value)}`).join(", ");

  // Parameters of which a metric's cases have several values: all to split by, numbers to go along.
  const choices = (entries) => {
    const names = [...new Set(entries.flatMap((entry) => entry.given.map(([name]) => name)))];
    const values = (name) => entries.map((entry) => given(entry, name)).filter((value) => value !== undefined);
    const varied = names.filter((name) => new Set(values(name).map(text)).size > 1);
    return { split: varied, along: varied.filter((name) => values(name).every((value) => typeof value === "number")) };
  };

  // The other parameters of a case tell its line: each combination has a colour and a shape of its own.
  const looks = (entries, name) => {
    const names = [...new Set(entries.map((entry) => rest(entry, name)))].sort(order.compare);
    return new Map(names.map((own, i) => [own, { colour: `var(--lane-${i % 8})`, shape: SHAPES[i % SHAPES.length][0], path: SHAPES[i % SHAPES.length][1] }]));
  };

  const legend = (known) => (known.size < 2 ? [] : [h("div", { class: "legend" }, h("span", { class: "legend-lanes" }, [...known].map(([name, { colour, path }]) =>
    h("span", {}, svg("svg", { viewBox: "0 0 12 12", width: 11, height: 11, "aria-hidden": "true" }, svg("path", { d: path, fill: colour })), ` ${name || "no other parameter"}`))))]);

  const newest = (entry) => (entry.status === "ok" ? entry.latest : entry.status || "no result");

  const alongChart = async (target, entries, name, metric) => {
    const drawn = entries.filter((entry) => typeof given(entry, name) === "number" && entry.status === "ok" && entry.value !== null);
    if (!drawn.length) return target.replaceChildren(h("p", { class: "notice" }, `No case with a number for ${name} has a result.`));
    const at = drawn.map((entry) => given(entry, name));
    const spread = (values) => Math.max(...values) / Math.min(...values) > LOG_FROM;
    const positive = Math.min(...at) > 0 && drawn.every(({ value, lo }) => value > 0 && (lo === null || lo > 0));
    const log = positive && (spread(at) || spread(drawn.map(({ value }) => value)));
    const [factor, unit] = format.scale(drawn.map(({ value }) => Math.abs(value)).sort((a, b) => a - b)[drawn.length >> 1], drawn[0].unit);
    const known = looks(drawn, name);
    const { run_commit } = perftrack.get("history");
    const last = Math.max(...drawn.map(({ run }) => run_commit[run]));
    const older = drawn.filter(({ run }) => run_commit[run] < last).length;
    const points = drawn.map((entry) => {
      const { colour, shape } = known.get(rest(entry, name));
      return { x: given(entry, name), v: entry.value / factor, lo: entry.lo === null ? null : entry.lo / factor, hi: entry.hi === null ? null : entry.hi / factor, line: `${rest(entry, name)}/${entry.lane}`, colour, shape };
    });
    const words = [...known.keys()].map((own) => `${own ? `${own}: ` : ""}${drawn.filter((entry) => rest(entry, name) === own).sort((a, b) => given(a, name) - given(b, name)).map((entry) => `${name} ${given(entry, name)} ${newest(entry)}`).join(", ")}`);
    const plot = h("div", { class: "plot", role: "img", "aria-label": `${metric} along ${name}. ${words.join("; ")}.` });
    const lanes = new Set(drawn.map(({ lane }) => lane)).size;
    target.replaceChildren(h("figure", { class: "along" }, plot, h("figcaption", { class: "quiet" }, [
      `The newest ${metric} of each case along ${name}, with 95 % intervals${log ? "; both axes are logarithmic" : ""}.`,
      older > 0 && `${older} of ${drawn.length} results are of earlier commits than the newest.`,
      lanes > 1 && `Results of ${lanes} lanes, which no line joins.`,
      entries.length > drawn.length && `${entries.length - drawn.length} without a result are left out.`,
    ].filter(Boolean).join(" ")), ...legend(known)));
    return perftrack.chart(plot, `parameter-${log ? "log" : "linear"}`, { data: { points }, params: { ticks: [...new Set(at)].sort((a, b) => a - b), unit: unit ? ` ${unit}` : "" } });
  };

  const splitCharts = async (target, entries, name, metric, view, still) => {
    const chosen = entries.slice(0, MOST);
    target.replaceChildren(h("p", { class: "quiet" }, "Reading the cases …"));
    const loaded = await Promise.all(chosen.map(async (entry) => ({ entry, series: await perftrack.series.load(entry.key) })));
    if (!still()) return;
    const index = perftrack.get("history");
    const place = (commit) => (view.x === "time" ? index.commit_time[commit] * 1000 : commit);
    const known = looks(chosen, name);
    const [from, to] = view.range ?? [-Infinity, Infinity];
    const options = { scale: view.scale, reference: view.reference };
    const groups = [...new Set(chosen.map((entry) => text(given(entry, name) ?? "–")))].sort(order.compare).map((value) => ({ value, own: loaded.filter(({ entry }) => text(given(entry, name) ?? "–") === value) }));
    for (const group of groups) {
      const lines = group.own.map(({ entry, series }) => {
        const all = read.expand(series).filter((p) => p.main && scales.good(p) && !view.hidden.has(p.lane));
        return { entry, series, all, within: all.filter((p) => p.commit >= from && p.commit <= to) };
      });
      const size = scales.typical(lines.flatMap(({ within }) => within));
      group.unit = "";
      group.points = lines.flatMap(({ entry, series, all, within }) => {
        if (view.scale === "share" && !series.limits.size) return []; // a time among shares would be taken for one
        const scale = scales.of(series, all, within, options, size);
        group.unit = scale.unit;
        const { colour, shape } = known.get(rest(entry, name));
        return within.map((p) => ({ x: place(p.commit), ...scale.measure(p), segment: `${entry.key}/${p.segment}`, colour, shape })).filter(({ v }) => v !== null && (view.y !== "log" || v > 0));
      });
    }
    const every = groups.flatMap(({ points }) => points);
    if (!every.length) return target.replaceChildren(h("p", { class: "notice" }, "None of these cases has a value to show here."));
    const units = new Set(groups.filter(({ points }) => points.length).map(({ unit }) => unit));
    const same = view.scale !== "absolute" && units.size === 1;
    const xs = every.map(({ x }) => x);
    const [lo, hi] = [Math.min(...xs), Math.max(...xs)];
    const room = lo < hi ? 0 : view.x === "time" ? 86400000 : 0.5;
    const params = { x_lo: lo - room, x_hi: hi + room, labels: index.sha.map((sha) => sha.slice(0, 7)) };
    const figures = groups.map((group) => {
      const words = group.own.map(({ entry }) => `${rest(entry, name) ? `${rest(entry, name)} ` : ""}${newest(entry)}`).join("; ");
      const plot = h("div", { class: "plot", role: "img", "aria-label": `${metric} with ${name} = ${group.value} by commit, newest: ${words}.` });
      return { group, plot, figure: h("figure", {}, h("figcaption", {}, `${name} = ${group.value}`), plot) };
    });
    target.replaceChildren(h("div", { class: "small-charts" }, figures.map(({ figure }) => figure)), ...legend(known),
      h("p", { class: "quiet" }, [`Range, spacing, scale and lanes are those of the trend below. ${same ? "All charts have the same value axis." : "Each chart has a value axis of its own."}`, chosen.length < entries.length && `The first ${chosen.length} of ${entries.length} cases.`].filter(Boolean).join(" ")));
    await Promise.all(figures.map(({ group, plot }) => {
      if (!group.points.length) return plot.replaceChildren(h("p", { class: "notice" }, view.scale === "share" ? "No ceiling is known for it." : "No value to show here."));
      const limits = scales.limits(same ? every : group.points, view.y === "log");
      return perftrack.chart(plot, `facet-${view.x}-${view.y}`, { data: { points: group.points }, params: { ...params, ...limits, unit: group.unit ? ` ${group.unit}` : "", size: group.points.length > 300 ? 10 : 26 } });
    }));
  };

  return { choices, alongChart, splitCharts };
})();
