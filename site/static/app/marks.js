// Small marks that stand for a value: sparkline, verdict, tier, lane, commit.
"use strict";

perftrack.marks = (() => {
  const { h, svg, root } = perftrack;
  const PALETTE = 8;

  const lane = (slot) => {
    const names = perftrack.get("history").lane;
    if (slot < 0) return h("span", { class: "lane lane-none" }, "no environment");
    return h("span", { class: `lane lane-${slot % PALETTE}`, title: names[slot] }, names[slot]);
  };
  const laneColour = (slot) => (slot < 0 ? "var(--chart-muted)" : `var(--lane-${slot % PALETTE})`);

  const tier = (letter) => h("span", { class: `tier tier-${letter}`, title: `tier ${letter}` }, letter);
  const verdict = (name, why) => h("span", { class: `verdict ${name}`, title: why || undefined }, name.replace("-", " "));

  // A column for results that are held against a measured limit; none where no row is.
  const shareColumn = (all) => all.every((row) => row.share === null) ? [] : [{
    name: "share", label: "Of ceiling", class: "num share", start: -1, key: (row) => row.share,
    cell: (row) => (row.share === null ? "" : h("span", { title: `share of the measured ceiling ${row.share_of}` }, perftrack.format.percent(100 * row.share), h("small", { class: "quiet" }, ` ${row.share_of}`))),
  }];

  // The shapes that the chart gives to tiers, for its legend.
  const SHAPES = { A: "M6 1.5a4.5 4.5 0 1 0 .01 0Z", B: "M6 .5 11.5 6 6 11.5 .5 6Z", C: "M.8 1.8h10.4L6 11.2Z" };
  const shape = (letter) =>
    svg("svg", { viewBox: "0 0 12 12", width: 11, height: 11, "aria-hidden": "true", class: "shape" }, svg("path", { d: SHAPES[letter] }));

  // text: one character a point, "0" lowest to "z" highest, "-" for a gap.
  const sparkline = (text, lane) => {
    const width = 112, height = 20, pad = 2.5;
    const step = text.length > 1 ? (width - 2 * pad) / (text.length - 1) : 0;
    const at = (i) => [pad + i * step, height - pad - (parseInt(text[i], 36) / 35) * (height - 2 * pad)];
    let path = "", pen = "M", last = -1;
    for (let i = 0; i < text.length; i++) {
      if (text[i] === "-") {
        pen = "M";
        continue;
      }
      const [x, y] = at(i);
      path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = "L";
      last = i;
    }
    const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "spark", "aria-hidden": "true" });
    node.append(svg("path", { d: path }));
    if (last >= 0) {
      const [cx, cy] = at(last);
      node.append(svg("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.2, fill: laneColour(lane) }));
    }
    return node;
  };

  const runPage = (run) => `${root}run.html#run=${perftrack.get("history").run[run]}`;

  const runLink = (run) => {
    const index = perftrack.get("history");
    const commit = index.run_commit[run];
    return h("a", { class: "sha", href: runPage(run), title: index.subject[commit] }, index.sha[commit].slice(0, 10));
  };

  return { lane, laneColour, tier, verdict, shareColumn, shape, sparkline, runLink, runPage };
})();
