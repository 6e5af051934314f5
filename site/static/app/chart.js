// Draws one of the site's chart specifications with a page's own data.
"use strict";

perftrack.chart = async (target, name, { params = {}, data }) => {
  const spec = structuredClone(perftrack.get("charts")[name]);
  spec.datasets = data;
  for (const param of spec.params) if (param.name in params) param.value = params[param.name];
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
      logLevel: vega.Error, // it warns of every layer without data, and most series have no failure and no lane change
    });
    return view;
  } catch (error) {
    target.replaceChildren(perftrack.h("p", { class: "notice" }, `The chart could not be drawn: ${error.message}. The table below has its values.`));
    return null;
  }
};
