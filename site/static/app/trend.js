// The trend chart: draws a series, moves a cursor over its points, zooms over ranges of commits.
"use strict";

// Calls back with changed(view) when the range moves. Ranges are positions of commits, so that an address with them stays true.
// `actions`: what a chosen point offers, {key, label, act(point)}. `explained(words)`: what the value axis counts.
perftrack.trend = (target, { spoken, changed, actions, explained }) => {
  const { h, points: read, turns, scales, format, utc } = perftrack;
  const DAY = 86400000;
  const MARKS = 1200; // more than that many could not be told apart on a screen
  let series = null;
  let all = [];
  let options = null; // {x, y, scale, reference: commit or -1, hidden: Set of lanes, range: [commit, commit] or null}
  let chart = null;
  let cursor = null;
  let turn = 0;
  let within = []; // the points drawn, in commit order
  let shown = new Map(); // of each of them, the numbers drawn

  const tooltip = h("div", { class: "tooltip", hidden: true, role: "tooltip" });
  const brush = h("div", { class: "brush", hidden: true });
  const mount = h("div", { class: "mount" });
  target.replaceChildren(mount, brush, tooltip);

  const index = () => perftrack.get("history");
  const place = (commit) => (options.x === "time" ? index().commit_time[commit] * 1000 : commit);
  const full = () => [Math.min(...all.map((p) => p.commit)), Math.max(...all.map((p) => p.commit))];
  const range = () => {
    const [first, last] = full();
    if (!options.range) return [first, last];
    return [Math.max(first, options.range[0]), Math.min(last, options.range[1])];
  };
  const visible = () => all.filter((p) => !options.hidden.has(p.lane));

  const domain = () => {
    const [from, to] = range();
    const stretch = all.filter((p) => p.commit >= from && p.commit <= to).map((p) => place(p.commit));
    const [lo, hi] = [Math.min(...stretch), Math.max(...stretch)];
    const room = options.x === "time" ? DAY : 0.5;
    return lo < hi ? [lo, hi] : [lo - room, hi + room];
  };

  // The points by how they are drawn.
  const dataOf = () => {
    const data = { points: [], hollow: [], failed: [], line: [], bands: [], bars: [], cursor: [], held: [] };
    for (const p of within) {
      const row = { x: place(p.commit), ...drawn(p), segment: p.segment, colour: p.colour, tier: p.tier, status: p.status };
      if (p.status !== "ok") data.failed.push(row);
      if (p.status !== "ok" || row.v === null) continue;
      const faint = p.main ? row : { ...row, colour: `color-mix(in srgb, ${p.colour} 45%, transparent)` };
      (p.tier === "C" ? data.hollow : data.points).push(faint);
      if (p.main) data.line.push(row);
      if (row.lo !== null) (p.lone || !p.main ? data.bars : data.bands).push(row);
    }
    return data;
  };

  const drawn = (p) => {
    const above = (value) => (options.y === "log" && value !== null && value <= 0 ? null : value);
    const { v, lo, hi } = shown.get(p);
    return { v: above(v), lo: above(lo), hi: above(hi) };
  };

  const mark = (to) => {
    const row = to && { x: place(to.commit), v: drawn(to).v };
    chart.data("cursor", to ? [row] : []).data("held", to && to.status === "ok" && row.v !== null ? [row] : []).runAsync();
  };

  const draw = async (next, nextOptions) => {
    const mine = ++turn;
    if (next !== series) {
      series = next;
      all = read.expand(series);
      cursor = null;
    }
    options = nextOptions;
    hide();
    target.setAttribute("aria-busy", "true");
    chart?.finalize();
    chart = null;
    if (!visible().length) {
      target.setAttribute("aria-busy", "false");
      mount.replaceChildren(h("p", { class: "notice" }, "Every lane is switched off. Switch one on below."));
      return;
    }
    const [first, last] = range();
    const inside = visible().filter((p) => p.commit >= first && p.commit <= last);
    within = read.thinned(inside, new Set(series.changes.flatMap((c) => [c.before, c.first, c.last, c.likely])), MARKS);
    const scale = scales.of(series, all, within, options);
    shown = new Map(within.map((p) => [p, scale.measure(p)]));
    const fewer = within.length < inside.length || (!options.range && series.run.length < series.total);
    const blank = !within.some((p) => p.status === "ok" && shown.get(p).v !== null);
    explained([scale.words, blank && "Nothing here has a value: × is a run that failed, – one that was skipped.", fewer && "Of so many points the extremes of each stretch are drawn. Zooming in shows every one."].filter(Boolean).join(" "));
    const [lo, hi] = domain();
    const count = within.length;
    const dense = count > 400;
    const marked = { hidden: options.hidden, place, range: [lo, hi], width: target.clientWidth, flipped: options.scale === "share" && series.limits.size > 0 };
    const labels = turns.labelsOf(series, all, marked);
    const view = await perftrack.chart(mount, `trend-${options.x}-${options.y}`, {
      live: ["cursor", "held"],
      above: labels.height,
      data: { ...dataOf(), breaks: labels.breaks, changes: turns.ofChart(series, marked), epochs: labels.epochs },
      params: {
        x_lo: lo, x_hi: hi, unit: scale.unit ? ` ${scale.unit}` : "",
        labels: index().sha.map((sha, i) => [sha.slice(0, 7), utc(index().author_time[i]).slice(0, 10)]),
        ...scales.limits([...shown.values()], options.y === "log"), size: dense ? 16 : count > 120 ? 30 : 60, outline: dense ? 0 : 1, stroke: dense ? 0.8 : 1.5,
      },
    });
    if (mine !== turn) {
      view?.finalize(); // another series was chosen meanwhile
      return;
    }
    chart = view;
    target.setAttribute("aria-busy", "false");
  };

  const setRange = (from, to) => {
    const [first, last] = full();
    const [a, b] = [Math.max(first, Math.min(from, to)), Math.min(last, Math.max(from, to))];
    options.range = a <= first && b >= last ? null : [a, b];
    changed(options); // which draws
  };

  const zoom = (how) => {
    const [from, to] = range();
    const width = to - from;
    const step = Math.max(1, Math.round(width / 4));
    const middle = cursor && cursor.commit >= from && cursor.commit <= to ? cursor.commit : Math.round((from + to) / 2);
    const half = Math.max(1, Math.round(width / 4));
    if (how === "in" && width > 2) setRange(Math.max(from, middle - half), Math.min(to, middle + half));
    if (how === "out") setRange(from - Math.max(1, half * 2), to + Math.max(1, half * 2));
    if (how === "all") setRange(...full());
    const [first, last] = full();
    const shift = how === "left" ? -Math.min(step, from - first) : how === "right" ? Math.min(step, last - to) : 0;
    if (shift) setRange(from + shift, to + shift);
  };

  // A function from points to pixels inside the target.
  const pixels = () => {
    const [x0, y0] = chart.origin();
    const box = mount.querySelector("svg").getBoundingClientRect();
    const frame = target.getBoundingClientRect();
    const [left, top] = [box.left - frame.left + x0, box.top - frame.top + y0];
    const [toX, toY, foot] = [chart.scale("x"), chart.scale("y"), chart.height() - 7];
    return (point) => {
      const { v } = shown.get(point);
      const plain = point.status === "ok" && v !== null && !(options.y === "log" && v <= 0);
      return [left + toX(place(point.commit)), top + (plain ? toY(v) : foot)];
    };
  };

  const hide = () => {
    tooltip.hidden = true;
    if (cursor && chart) mark(null);
    cursor = null;
  };

  // A value in the words of the axis, where that counts something else than the metric.
  const onScale = (v) => {
    if (v === null || options.scale === "absolute") return "";
    return options.scale === "share" ? `${format.percent(v)} of the ceiling` : `${format.change(Math.log(v / 100))} against 100 %`;
  };

  const show = (to, aloud) => {
    if (!chart) return;
    if (cursor !== to) {
      cursor = to;
      mark(to);
      const own = onScale(drawn(to).v);
      tooltip.replaceChildren(read.card(to, actions, own));
      if (aloud) spoken([read.spoken(to), own].filter(Boolean).join(", "));
    }
    tooltip.hidden = false;
    const [x, y] = pixels()(to);
    const width = tooltip.offsetWidth, height = tooltip.offsetHeight;
    const left = x + 14 + width > target.clientWidth ? Math.max(0, x - 14 - width) : x + 14;
    tooltip.style.left = `${Math.min(left, Math.max(0, target.clientWidth - width))}px`;
    tooltip.style.top = `${y - height - 10 < -60 ? y + 14 : y - height - 10}px`;
  };

  const nearest = (event, reach) => {
    if (!chart) return null;
    const frame = target.getBoundingClientRect();
    const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
    let best = null, least = reach;
    const spot = pixels();
    for (const point of within) {
      const [x, y] = spot(point);
      const distance = Math.hypot(x - px, (y - py) * 0.5);
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  };

  const commitAt = (event) => {
    const [x0] = chart.origin();
    const at = +chart.scale("x").invert(event.clientX - mount.querySelector("svg").getBoundingClientRect().left - x0);
    let best = all[0];
    for (const point of all) if (Math.abs(place(point.commit) - at) < Math.abs(place(best.commit) - at)) best = point;
    return best.commit;
  };

  // A mouse drags out a range; fingers scroll the page and use the buttons.
  let from = null;
  target.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || !chart || event.target.closest("a, button")) return;
    from = event;
    event.preventDefault(); // no text is selected
    target.focus({ preventScroll: true });
    target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", (event) => {
    if (!from && tooltip.contains(event.target)) return; // it can be read and its links reached
    if (from && Math.abs(event.clientX - from.clientX) > 5) {
      hide();
      const frame = target.getBoundingClientRect();
      brush.hidden = false;
      brush.style.left = `${Math.min(from.clientX, event.clientX) - frame.left}px`;
      brush.style.width = `${Math.abs(event.clientX - from.clientX)}px`;
      return;
    }
    const point = nearest(event, 40);
    if (point) show(point);
    else if (event.pointerType === "mouse") hide();
  });
  target.addEventListener("pointerup", (event) => {
    const start = from;
    from = null;
    if (!start) return;
    if (!brush.hidden) {
      brush.hidden = true;
      const [a, b] = [commitAt(start), commitAt(event)];
      if (a !== b) setRange(a, b);
      return;
    }
    const point = tooltip.contains(start.target) ? null : nearest(event, 16);
    if (point) location.assign(read.runPage(point));
  });
  target.addEventListener("pointercancel", () => { from = null; brush.hidden = true; });
  target.addEventListener("click", (event) => {
    if (event.pointerType === "mouse" || tooltip.contains(event.target)) return;
    const point = nearest(event, 40);
    if (point) show(point, true);
    else hide();
  });
  target.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !from) hide(); });
  target.addEventListener("dblclick", () => zoom("all"));
  target.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the plain wheel scrolls the page
    event.preventDefault();
    const point = nearest(event, Infinity);
    if (point) cursor = point;
    zoom(event.deltaY < 0 ? "in" : "out");
  }, { passive: false });
  target.addEventListener("focusout", (event) => { if (!target.contains(event.relatedTarget)) hide(); });

  target.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !chart) return;
    const order = within;
    const at = cursor ? order.indexOf(cursor) : -1;
    const go = (i) => order.length && show(order[Math.max(0, Math.min(order.length - 1, i))], true);
    const keys = {
      ArrowRight: () => go(at < 0 ? 0 : at + 1),
      ArrowLeft: () => go(at < 0 ? order.length - 1 : at - 1),
      Home: () => go(0),
      End: () => go(order.length - 1),
      Escape: hide,
      Enter: () => cursor && location.assign(read.runPage(cursor)),
      "+": () => zoom("in"),
      "=": () => zoom("in"),
      "-": () => zoom("out"),
      0: () => zoom("all"),
      ...Object.fromEntries(actions.map(({ key, act }) => [key, () => cursor && act(cursor)])),
    };
    if (!(event.key in keys) || (event.target !== target && event.key === "Enter")) return;
    event.preventDefault();
    keys[event.key]();
  });

  return { draw, zoom };
};
