// A benchmark's page: chooses a series, draws its trend, and keeps the choice in the address.
"use strict";

perftrack.page(["history", "charts", `series/${document.documentElement.dataset.series}`], () => {
  const { h, state, rows, marks, turns, family, points: read } = perftrack;
  const index = perftrack.get("history");
  const about = perftrack.get(`series/${document.documentElement.dataset.series}`).page;
  const entries = rows(about.entries);
  const element = (id) => document.getElementById(id);
  const view = {};
  let base = null; // the series as it came, which may be thinned out
  let series = null; // what is drawn of it
  let table = null;

  element("name").textContent = about.name;
  element("about").append(...[
    h("span", {}, `${about.cases} case${about.cases === 1 ? "" : "s"}`),
    h("span", {}, `${about.metrics.length > 1 ? "metrics" : "metric"} ${about.metrics.join(", ")}`),
    about.threshold && h("span", {}, `threshold ${about.threshold}`),
    about.source && h("span", {}, h("code", {}, about.source)),
    ...about.tags.map((tag) => h("span", {}, h("a", { class: "tag", href: `${perftrack.root}index.html#${new URLSearchParams({ tag })}` }, tag))),
  ].filter(Boolean));
  element("choice").hidden = entries.length < 2;

  const shaAt = (commit) => index.sha[commit].slice(0, 12);
  const commitOf = (sha) => (sha ? index.sha.findIndex((full) => full.startsWith(sha)) : -1);

  const readAddress = () => {
    const from = state.read();
    view.series = entries.some((e) => e.key === from.series) ? from.series : entries[0].key;
    view.x = from.x === "time" ? "time" : "even";
    view.y = from.y === "log" ? "log" : "linear";
    view.hidden = new Set((from.hide ?? "").split(",").filter(Boolean).map(Number));
    view.scale = ["relative", "share"].includes(from.scale) ? from.scale : "absolute";
    view.reference = commitOf(from.reference);
    view.samples = index.run.includes(from.samples) ? from.samples : "";
    const { split, along } = offered();
    view.split = split.includes(from.split) ? from.split : "";
    view.along = !view.split && along.includes(from.along) ? from.along : "";
    const range = [commitOf(from.from), commitOf(from.to)];
    view.range = range[0] >= 0 && range[1] >= range[0] ? range : null;
  };

  const writeAddress = () => state.write({
    series: view.series,
    x: view.x === "even" ? "" : view.x,
    y: view.y === "linear" ? "" : view.y,
    scale: view.scale === "absolute" ? "" : view.scale,
    reference: view.reference >= 0 ? shaAt(view.reference) : "",
    hide: [...view.hidden].join(","),
    from: view.range && shaAt(view.range[0]),
    to: view.range && shaAt(view.range[1]),
    split: view.split,
    along: view.along,
    samples: view.samples,
  });

  const chosen = () => entries.find((e) => e.key === view.series);
  const alike = () => entries.filter((e) => e.metric === chosen().metric && e.unit === chosen().unit);
  const offered = () => family.choices(alike());

  const trend = perftrack.trend(element("chart"), {
    spoken: (text) => { element("spoken").textContent = text; },
    changed: (options) => { view.range = options.range; writeAddress(); redraw(); sideBySide(); },
    explained: (words) => { element("explained").textContent = words; },
    actions: [
      { key: "r", label: "100 % here", of: (point) => point.status === "ok" && point.value > 0, act: (point) => { view.scale = "relative"; view.reference = point.commit; show(); } },
      { key: "s", label: "samples", of: (point) => point.status === "ok", act: (point) => { view.samples = index.run[point.run]; writeAddress(); samples(true); } },
    ],
  });

  // The distribution of a run's samples of the case, by process.
  const samples = async (chosenNow) => {
    const [own, run] = [base, view.samples];
    element("samples-section").hidden = !run;
    if (!run) return;
    const at = index.run.indexOf(run);
    element("samples-title").replaceChildren("Samples of ", marks.runLink(at), h("small", {}, ` ${index.subject[index.run_commit[at]]}`));
    const found = await perftrack.samples.ofRun(run, own.key).catch((error) => error.message);
    const every = await perftrack.series.full(own);
    if (own !== base || run !== view.samples) return;
    const k = every.run.indexOf(at);
    const place = element("samples");
    if (typeof found === "string") place.replaceChildren(h("p", { class: "notice" }, found));
    else {
      const row = k < 0 ? { value: null, lo: null, hi: null, unit: own.unit } : { value: every.value[k], lo: every.lo[k], hi: every.hi[k], unit: own.unit };
      const figure = perftrack.samples.figure(`${own.name} ${own.metric}`, found);
      place.replaceChildren(figure, perftrack.samples.medians(row, found));
      await perftrack.samples.draw(figure.querySelector(".plot"), row, found);
    }
    if (chosenNow) {
      element("samples-title").focus();
      element("samples-section").scrollIntoView({ block: "nearest" });
    }
  };
  element("samples-close").addEventListener("click", () => { view.samples = ""; writeAddress(); samples(); element("chart").focus(); });

  // The other cases of the metric beside the chosen one.
  let turn = 0;
  const layout = element("layout");
  const sideBySide = async () => {
    const mine = ++turn;
    const place = element("family");
    const { split, along } = offered();
    element("family-section").hidden = !split.length;
    if (!split.length) return;
    layout.replaceChildren(h("option", { value: "" }, "the table only"), ...split.map((name) => h("option", { value: `split=${name}` }, `a chart for each ${name}`)), ...along.map((name) => h("option", { value: `along=${name}` }, `newest results along ${name}`)));
    layout.value = view.split ? `split=${view.split}` : view.along ? `along=${view.along}` : "";
    place.hidden = !layout.value;
    place.setAttribute("aria-busy", String(Boolean(layout.value)));
    try {
      if (view.split) await family.splitCharts(place, alike(), view.split, chosen().metric, view, () => mine === turn);
      if (view.along) await family.alongChart(place, alike(), view.along, chosen().metric);
    } catch (error) {
      place.replaceChildren(h("p", { class: "notice" }, `${error.message}. Build the site again.`));
    }
    if (mine === turn) place.setAttribute("aria-busy", "false");
  };
  layout.addEventListener("change", () => {
    const [kind, ...name] = layout.value.split("=");
    view.split = kind === "split" ? name.join("=") : "";
    view.along = kind === "along" ? name.join("=") : "";
    writeAddress();
    sideBySide();
  });

  const MOST = 2000; // points that a browser draws without being slow
  const inside = (points) => points.run.filter((run) => !view.range || (index.run_commit[run] >= view.range[0] && index.run_commit[run] <= view.range[1]));

  // A part of a long series is drawn with every point of it, as far as a browser can.
  const redraw = async () => {
    const own = base;
    const every = view.range ? await perftrack.series.full(own) : own;
    if (own !== base) return;
    series = inside(every).length <= MOST ? every : base;
    tellRange();
    await trend.draw(series, { x: view.x, y: view.y, scale: view.scale, reference: view.reference, hidden: view.hidden, range: view.range });
  };

  const tellRange = () => {
    const shown = new Set(inside(series).map((run) => index.run_commit[run])).size;
    element("range").textContent = view.range ? `${series === base && base.run.length < base.total ? "about " : ""}${shown} of ${base.commits} commits` : "";
  };

  const metrics = new Set(entries.map((e) => e.metric)).size;
  const picker = perftrack.grid(element("picker"), {
    rowClass: (entry) => (entry.key === view.series ? "chosen" : undefined),
    columns: [
      {
        name: "case", label: "Case", class: "name",
        cell: (e) => h("a", { href: `#series=${e.key}`, "data-key": e.key, "aria-current": e.key === view.series ? "true" : undefined }, e.params || about.name, metrics > 1 && h("span", { class: "metric" }, ` ${e.metric}`)),
      },
      { name: "latest", label: "Latest", class: "num", cell: (e) => (e.status === "ok" ? e.latest : "–") },
      { name: "trend", label: "Trend", class: "trend-cell", cell: (e) => marks.sparkline(e.spark, e.lane) },
      ...marks.shareColumn(entries),
      { name: "verdict", label: "Verdict", cell: (e) => (e.verdict ? marks.verdict(e.verdict, e.why) : "–") },
      { name: "tier", label: "Tier", cell: (e) => (e.status === "ok" ? marks.tier(e.tier) : "") },
    ],
  });

  const legend = () => {
    const lanes = [...new Set(series.lane)];
    const tiers = [...new Set([...series.tier].filter((_, k) => series.status[k] === "ok"))].sort();
    const failed = base.failed > 0;
    const skipped = series.status.includes("skipped");
    element("legend").replaceChildren(
      h("span", { class: "legend-lanes" }, lanes.map((slot) => lanes.length < 2 ? marks.lane(slot) : h("button", {
        type: "button", class: "lane-switch", "aria-pressed": String(!view.hidden.has(slot)),
        onclick: () => {
          if (!view.hidden.delete(slot)) view.hidden.add(slot);
          show();
          element("legend").querySelectorAll("button")[lanes.indexOf(slot)].focus();
        },
      }, marks.lane(slot)))),
      h("span", { class: "legend-tiers quiet" },
        turns.legend(series, view.hidden),
        tiers.map((letter) => h("span", {}, marks.shape(letter), ` tier ${letter}`)),
        h("span", {}, h("i", { class: "band" }), " 95 % interval"),
        failed && h("span", {}, h("b", { class: "cross" }, "×"), " failed"),
        skipped && h("span", {}, h("b", { class: "cross" }, "–"), " skipped")));
  };

  const breaks = () => {
    const names = (slot) => marks.lane(slot);
    element("breaks").replaceChildren(...turns.list(series), ...(series.breaks.length ? [
      h("h3", {}, "Lane changes"),
      h("ul", { class: "breaks" }, series.breaks.map((b) => {
        const commit = index.run_commit[series.run[b.at]];
        return h("li", {}, marks.runLink(series.run[b.at]), " ", index.subject[commit], h("div", { class: "quiet" }, names(b.previous), " → ", names(b.lane)),
          h("div", {}, b.fields.join("; ")));
      })),
    ] : []));
  };

  const pressed = () => {
    for (const button of document.querySelectorAll("[data-state]")) {
      button.setAttribute("aria-pressed", String(view[button.dataset.state] === button.dataset.value));
    }
  };

  const show = async () => {
    const entry = chosen();
    writeAddress();
    picker.show(entries);
    element("trend-title").textContent = entry.params || about.name;
    element("trend-title").append(h("small", {}, ` ${entry.metric}, ${entry.direction} is better`));
    element("latest").replaceChildren(...[entry.status === "ok" && h("b", {}, entry.latest, " ", marks.tier(entry.tier)), " ", marks.verdict(entry.verdict || (entry.status === "ok" ? "" : entry.status), entry.why)].filter(Boolean));
    element("chart").setAttribute("aria-label", `Trend of ${entry.metric}`);
    pressed();
    try {
      const loaded = await perftrack.series.load(entry.key);
      if (entry.key !== view.series) return;
      base = series = loaded;
    } catch (error) {
      element("chart").replaceChildren(h("p", { class: "notice" }, `${error.message}. Build the site again.`));
      return;
    }
    if (view.scale === "share" && !base.limits.size) view.scale = "absolute";
    document.querySelector("[data-value=share]").hidden = !base.limits.size;
    pressed();
    writeAddress();
    element("summary").textContent = perftrack.series.summary(base) + turns.spoken(base);
    element("tools").hidden = false;
    legend();
    breaks();
    samples();
    await redraw();
    sideBySide();
    list();
  };

  const list = async () => {
    element("behind").querySelector("summary").textContent = `Table of all ${base.total} point${base.total === 1 ? "" : "s"}`;
    if (!element("behind").open) return;
    const own = base;
    const every = perftrack.series.known(own) ?? await perftrack.series.full(own);
    if (own !== base) return;
    table ??= perftrack.grid(element("points"), { columns: read.columns(), sort: "-commit" });
    table.show(read.expand(every));
  };
  element("behind").addEventListener("toggle", () => series && list());

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-key]");
    const toggle = event.target.closest?.("[data-state]");
    const zoom = event.target.closest?.("[data-zoom]");
    if (link) {
      event.preventDefault();
      view.series = link.dataset.key;
      view.hidden = new Set();
      const { split, along } = offered();
      if (!split.includes(view.split)) view.split = "";
      if (!along.includes(view.along)) view.along = "";
      show();
      element("picker").querySelector(`[data-key="${view.series}"]`).focus();
    } else if (toggle) {
      view[toggle.dataset.state] = toggle.dataset.value;
      if (toggle.dataset.value === "absolute") view.reference = -1;
      show();
    } else if (zoom) trend.zoom(zoom.dataset.zoom);
  });
  addEventListener("hashchange", () => { readAddress(); show(); });
  addEventListener("beforeprint", () => { element("behind").open = true; if (series) list().then(() => table?.all()); });

  if (!entries.length) return;
  readAddress();
  show();
});
