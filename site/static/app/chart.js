// Draws one of the site's chart specifications with a page's own data. `live`: data sets that change later; `above`:
// pixels of room above the plot, where it takes more than the specification has.
"use strict";

perftrack.chart = async (target, name, { params = {}, data, live = [], above = 0 }) => {
  const spec = structuredClone(perftrack.get("charts")[name]);
  spec.datasets = data;
  if (spec.padding?.top < above) spec.padding.top = above;
  for (const param of spec.params) if (param.name in params) param.value = params[param.name];
  // Layers without data are not compiled: most series have no failure, change or lane change.
  if (spec.layer) spec.layer = spec.layer.filter(({ data: own }) => !own?.name || live.includes(own.name) || data[own.name].length);
  // A number that does not change is put where it is used: an expression would be interpreted once a mark.
  for (const { mark } of spec.layer ?? []) {
    for (const [name, value] of Object.entries(mark)) if (Number.isFinite(params[value?.expr])) mark[name] = params[value.expr];
  }
  const place = document.createElement("div");
  place.className = "vega";
  place.setAttribute("aria-hidden", "true"); // the target has words of its own, and the table has every value
  target.replaceChildren(place);
  try {
    const { view } = await vegaEmbed(place, spec, {
      mode: "vega-lite",
      ast: true, // Vega's interpreter: the page's policy forbids making code from text
      renderer: "svg", // colours are CSS variables, which only SVG resolves
      actions: false,
      defaultStyle: false,
      tooltip: false,
      hover: false,
      logLevel: vega.Error, // it warns of every layer without data, as that of the chosen point is at first
    });
    return view;
  } catch (error) {
    target.replaceChildren(perftrack.h("p", { class: "notice" }, `The chart could not be drawn: ${error.message}. The table below has its values.`));
    return null;
  }
};
