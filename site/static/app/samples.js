// The samples of one result by process, so that a case with two modes is seen.
"use strict";

perftrack.samples = (() => {
  const { h, format } = perftrack;
  const WORDS = "Ticks are samples by process (number of samples in brackets), diamonds window medians, the line the value and the band its 95 % interval.";

  // Differences between sorted neighbours, back to values in the unit `factor` stands for.
  const distribution = (samples, factor) => {
    const at = (position) => (samples.offset + position * samples.step) / factor;
    const name = (i) => `process ${i + 1} (${samples.counts[i]})`;
    const points = samples.samples.flatMap((own, i) => {
      let position = 0;
      return own.map((difference) => ({ process: name(i), v: at((position += difference)) }));
    });
    const windows = samples.windows.flatMap((own, i) => own.map((tenths) => ({ process: name(i), v: at(tenths / 10) })));
    return { samples: points, windows };
  };

  // `row`: {value, lo, hi, unit} of the result.
  const draw = (target, row, samples) => {
    const [factor, unit] = format.scale(row.value ?? samples.offset, row.unit);
    const scaled = (value) => (value === null ? null : value / factor);
    const summary = row.value === null ? [] : [{ v: scaled(row.value), lo: scaled(row.lo), hi: scaled(row.hi) }];
    return perftrack.chart(target, "distribution", { data: { ...distribution(samples, factor), summary }, params: { unit: unit ? ` ${unit}` : "" } });
  };

  const figure = (name, samples) => h("figure", { class: "samples" },
    h("div", { class: "plot", role: "img", "aria-label": `Samples of ${name} per process: ${samples.counts.join(", ")} samples` }),
    h("figcaption", { class: "quiet" }, WORDS));

  const medians = (row, samples) => h("details", {}, h("summary", {}, "Window medians"), h("table", { class: "grid medians" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Process"), h("th", { scope: "col" }, "Samples"), h("th", { scope: "col" }, "Window medians, in order"))),
    h("tbody", {}, samples.windows.map((own, i) => h("tr", {}, h("td", {}, String(i + 1)), h("td", { class: "num" }, String(samples.counts[i])),
      h("td", { class: "num" }, own.map((tenths) => format.value(samples.offset + (tenths / 10) * samples.step, row.unit, row.lo, row.hi)).join(", ")))))));

  // The samples of a series' result in a run; or the sentence that says why there are none.
  const ofRun = async (run, key) => {
    const about = await perftrack.need(`runs/${run}`);
    if (!about.samples) return "No samples of this run: none were kept, or the site leaves those of older runs out (--samples of perftrack site build).";
    return (await perftrack.need(`samples/${run}`)).of[key] ?? "This run kept no samples of this case: it failed, was skipped, or its values are not sampled.";
  };

  return { draw, figure, medians, ofRun };
})();
