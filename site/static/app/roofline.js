// The roofline of a case: its launches under the measured ceilings of its environment.
"use strict";

perftrack.roofline = (target, { roof, launches }) => {
  const { h, format } = perftrack;
  const placed = launches.filter(({ x, y }) => x > 0 && y > 0);
  if (!roof.memory) {
    target.replaceChildren(h("p", { class: "notice" }, "Needs the bandwidth of device memory, measured in the environment that the case was timed in: ",
      h("code", {}, "perftrack ceiling measure"), ". Until then the table gives the profiler's own shares of peak."));
    return;
  }
  if (!placed.length) {
    const why = [...new Set(launches.map(({ missing }) => missing).filter(Boolean))];
    target.replaceChildren(h("p", { class: "notice" }, `No launch can be placed${why.length ? `; missing: ${why.join("; ")}` : ""}.`));
    return;
  }
  // Without a type there is no peak of arithmetic that could be the wrong one: the roof is the memory's alone.
  const bandwidth = roof.memory[1];
  const peak = roof.compute ? roof.compute[1] : Infinity;
  const ridge = peak / bandwidth;
  const xs = placed.map(({ x }) => x);
  const reach = roof.compute ? [ridge / 8, ridge * 8] : [];
  const [lo, hi] = [Math.min(...reach, ...xs) / 4, Math.max(...reach, ...xs) * 2];
  const lines = [
    { k: 0, x: lo, y: lo * bandwidth, text: `${roof.memory[0]} ${roof.memory[2]}` },
    ...(roof.compute ? [{ k: 1, x: ridge, y: peak, text: "" }] : []),
    { k: 2, x: hi, y: Math.min(peak, hi * bandwidth), text: roof.compute ? `${roof.compute[0]} ${roof.compute[2]}` : "" },
  ];
  const bend = roof.compute ? `The roof bends at ${format.value(ridge, "flop/byte")}.` : "The case names no type, so that there is no ceiling of arithmetic.";
  const words = placed.filter(({ newest }) => newest).map(({ name, x, y, fraction, side }) =>
    `${name}: ${format.value(x, "flop/byte")}, ${format.value(y, "flop/s")}${fraction === null ? "" : `, ${format.percent(100 * fraction)} of the roof, ${side} side`}`);
  const plot = h("div", { class: "plot", role: "img", "aria-label": `Roofline. ${bend} ${words.join(". ")}.` });
  target.replaceChildren(h("figure", {}, plot, h("figcaption", { class: "quiet" },
    `Large marks are the newest profile, small ones earlier ones. ${bend} Ceilings were measured, not read from a data sheet.`)));
  perftrack.chart(plot, "roofline", { data: { roof: lines, launches: placed }, params: { unit: "" } });
};
