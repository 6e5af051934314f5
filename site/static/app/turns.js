// Changes of a series and accepted ones: as the trend chart marks them, in its legend, and in words below it.
"use strict";

perftrack.turns = (() => {
  const { h, svg, format, marks, root } = perftrack;
  const STYLES = {
    alert: { dash: "solid", band: 0.18, filled: true, word: "change" },
    suspect: { dash: "dashed", band: 0.12, filled: false, word: "suspect: measure again" },
    accepted: { dash: "solid", band: 0.1, filled: false, word: "accepted" },
    recovered: { dash: "dashed", band: 0.08, filled: false, word: "taken back later" },
    minor: { dash: "dotted", band: 0.08, filled: false, word: "below the threshold" },
    past: { dash: "dotted", band: 0.05, filled: false, word: "before an accepted change" },
  };
  const KINDS = { gradual: "gradual, none of these commits did it alone", bump: "an edge of a stretch after which the old level was back" };
  const DASHES = { solid: "1 0", dashed: "4 2.5", dotted: "1.5 2" };
  const style = (change) => STYLES[change.standing] ?? STYLES.alert;
  const worse = (series, change) => (change.direction === "up") === (series.direction === "lower");
  const settled = (change) => ["accepted", "past"].includes(change.standing);
  const colour = (series, change) => (settled(change) ? "var(--chart-muted)" : worse(series, change) ? "var(--worse)" : "var(--better)");

  const shown = (series, hidden) => series.changes.filter((change) => !hidden.has(change.lane));

  // `place(commit)`: where on the axis; `up(change)`: whether the values drawn go up with it.
  const ofChart = (series, { hidden, place, flipped }) => {
    const { run_commit, sha } = perftrack.get("history");
    const between = (a, b) => (place(a) + place(b)) / 2;
    return shown(series, hidden).map((change) => {
      const [first, last] = [run_commit[change.first], run_commit[change.last]];
      const before = change.before === null ? first : run_commit[change.before];
      const { dash, band, filled } = style(change);
      return {
        x: place(run_commit[change.likely]), x0: before < first ? between(before, before + 1) : place(first), x1: last + 1 < sha.length ? between(last, last + 1) : place(last),
        colour: colour(series, change), dash, band, filled, up: (change.direction === "up") !== flipped,
      };
    });
  };

  const ROW = 13, MARK = 6, GAP = 6, AXIS = 70; // pixels: a row of labels, half a change's mark, air between, what the value axis takes at most
  const pen = document.createElement("canvas").getContext("2d");
  const long = (text) => {
    pen.font = "11px system-ui, sans-serif";
    return pen.measureText(text).width;
  };
  const short = (text) => (text.length > 48 ? `${text.slice(0, 47)}…` : text); // the lists below have all of it

  // Labels in rows above the plot, each beside its rule: none meets another, the rule of another, or a change's mark.
  const stacked = (labels, changes, { range: [lo, hi], width }) => {
    const at = (x) => ((x - lo) / (hi - lo)) * (width - AXIS);
    const marked = changes.map(({ x }) => at(x)); // in the lowest row
    const unmarked = (row, [from, to]) => row > 0 || marked.every((mark) => to <= mark - MARK || from >= mark + MARK);
    const sides = ({ x, text }, both) => {
      const right = ["left", [at(x) + 5, at(x) + 5 + long(text)]], left = ["right", [at(x) - 5 - long(text), at(x) - 5]];
      const inside = [right, left].filter(([, [from, to]]) => from >= 0 && to <= width - AXIS);
      return inside.length ? inside.slice(0, both ? 2 : 1) : [x > (lo + hi) / 2 ? left : right];
    };
    const placed = (order, both) => {
      const taken = []; // of each row, from the lowest
      const free = (row, [from, to]) => (taken[row] ?? []).every(([a, b]) => to + GAP <= a || from - GAP >= b);
      const place = (label) => {
        const rule = [at(label.x) - 1, at(label.x) + 1];
        for (let row = 0; label.text && row <= labels.length; row++) {
          if (row > 0 && !free(row - 1, rule)) break; // nor would it pass there on its way to a higher row
          for (const [align, span] of sides(label, both)) {
            if (!unmarked(row, span) || !free(row, span)) continue;
            for (let below = 0; below < row; below++) (taken[below] ??= []).push(rule);
            (taken[row] ??= []).push([Math.min(span[0], rule[0]), Math.max(span[1], rule[1])]);
            return { ...label, align, rise: ROW * (row + 1) };
          }
        }
        return { ...label, text: "", align: "left", rise: 0 };
      };
      const done = order.map(place);
      return { done, height: taken.length * ROW + 2, lost: done.filter(({ text }) => !text).length };
    };
    const rising = [...labels].sort((a, b) => a.x - b.x);
    const falling = [...rising].reverse();
    // Steps that go down to the right always have room, but more rows than are needed as a rule.
    const tried = [placed(rising, true), placed(falling, true), placed(falling, false)];
    return tried.reduce((best, next) => (next.lost < best.lost || (next.lost === best.lost && next.height < best.height) ? next : best));
  };

  // What stands above the chart: where lanes begin and where a change was accepted. `height`: what it takes.
  const labelsOf = (series, points, view) => {
    const { hidden, place, range: [lo, hi], width } = view;
    const { run_commit } = perftrack.get("history");
    const narrow = width < 600;
    const breaks = series.breaks.filter((b) => !hidden.has(b.lane)).map((b) => {
      const text = b.fields.length ? b.fields[0] + (b.fields.length > 1 ? `, ${b.fields.length - 1} more` : "") : "other lane";
      return { kind: "breaks", x: (place(points[b.at].commit) + place(points[b.at - 1].commit)) / 2, text: narrow ? "" : short(text) };
    });
    const epochs = series.epochs.filter(({ lane }) => !hidden.has(lane)).map(({ run, reason }) => {
      const commit = run_commit[run];
      return { kind: "epochs", x: (place(commit) + place(Math.max(0, commit - 1))) / 2, text: narrow ? "accepted" : short(`accepted: ${reason}`) };
    });
    const inside = ({ x }) => x >= lo && x <= hi;
    const { done, height } = stacked([...breaks, ...epochs].filter(inside), ofChart(series, view).filter(inside), view);
    return { breaks: done.filter(({ kind }) => kind === "breaks"), epochs: done.filter(({ kind }) => kind === "epochs"), height };
  };

  const glyph = (series, change) => {
    const up = change.direction === "up";
    const ink = colour(series, change);
    const at = style(change);
    return svg("svg", { viewBox: "0 0 14 16", width: 14, height: 16, "aria-hidden": "true", class: "turn" },
      svg("path", { d: "M0 5h14v11H0z", fill: ink, opacity: at.band }),
      svg("path", { d: "M7 6v10", stroke: ink, "stroke-width": 1.5, "stroke-dasharray": DASHES[at.dash] }),
      svg("path", { d: up ? "M7 .8 11 7H3Z" : "M3 .8h8L7 7Z", stroke: ink, "stroke-width": 1.2, fill: at.filled ? ink : "var(--paper)" }));
  };

  const legend = (series, hidden) => {
    const kinds = new Map(shown(series, hidden).map((change) => [`${change.standing}/${worse(series, change)}`, change]));
    const accepted = series.epochs.some(({ lane }) => !hidden.has(lane)) && h("span", {}, svg("svg", { viewBox: "0 0 14 16", width: 14, height: 16, "aria-hidden": "true", class: "turn" }, svg("path", { d: "M7 0v16", stroke: "var(--ink)", "stroke-dasharray": "2 2" })), " accepted change");
    return [accepted, ...[...kinds.values()].map((change) => {
      const word = style(change).word;
      return h("span", {}, glyph(series, change), ` ${worse(series, change) ? "regression" : "improvement"}${change.standing === "alert" ? "" : `, ${word}`}`);
    })];
  };

  const size = (series, change) => {
    if (change.ratio === null || change.ratio <= 0) return "";
    const ends = change.lo === null || change.lo <= 0 || change.lo === change.hi ? "" : ` (${format.range(Math.log(change.lo), Math.log(change.hi))})`;
    return `${format.change(Math.log(change.ratio))}${ends}`;
  };

  const line = (series, several) => (change) => {
    const index = perftrack.get("history");
    const likely = change.probability !== null && change.first !== change.last ? ` with ${format.percent(100 * change.probability)}` : "";
    const range = change.first === change.last ? ["at ", marks.runLink(change.first)] : ["between ", marks.runLink(change.first), " and ", marks.runLink(change.last), ", most likely ", marks.runLink(change.likely), likely];
    return h("li", {}, glyph(series, change), " ", marks.verdict(worse(series, change) ? "regression" : "improvement"), " ", h("b", { class: "num" }, size(series, change)),
      h("span", { class: "num quiet" }, ` ${format.value(change.from, series.unit)} → ${format.value(change.to, series.unit)}`),
      h("div", {}, ...range, ` ${index.subject[index.run_commit[change.likely]]}`),
      h("div", { class: "quiet" }, [change.standing !== "alert" && style(change).word, KINDS[change.kind]].filter(Boolean).join(", "), several && marks.lane(change.lane), change.id && h("a", { href: `${root}changes.html#id=${encodeURIComponent(change.id)}` }, "commits and causes")));
  };

  // Newest first.
  const list = (series) => {
    const several = new Set(series.lane).size > 1;
    const changes = [...series.changes].sort((a, b) => b.likely - a.likely);
    const index = perftrack.get("history");
    const accepted = [...new Map(series.epochs.map((epoch) => [`${epoch.sha} ${epoch.reason}`, epoch])).values()];
    const forge = (sha) => (index.commit_url && /^[0-9a-f]{7,64}$/.test(sha) ? h("a", { class: "sha", href: index.commit_url + sha, rel: "noreferrer" }, sha.slice(0, 10)) : h("span", { class: "sha" }, sha.slice(0, 10)));
    return [
      ...(changes.length ? [h("h3", {}, "Changes"), h("ul", { class: "breaks turns" }, changes.map(line(series, several)))] : []),
      ...(accepted.length ? [h("h3", {}, "Accepted changes"), h("ul", { class: "breaks" }, accepted.map((epoch) => h("li", {}, forge(epoch.sha), ` ${epoch.reason}`, h("div", { class: "quiet" }, "Earlier values are no baseline any more; the first after it is ", marks.runLink(epoch.run)))))] : []),
    ];
  };

  const spoken = (series) => {
    const last = [...series.changes].sort((a, b) => a.likely - b.likely).at(-1);
    if (!last) return "";
    const count = series.changes.length;
    return ` ${count} change${count === 1 ? "" : "s"}, the last one a ${worse(series, last) ? "regression" : "improvement"} ${size(series, last)}.`;
  };

  return { ofChart, labelsOf, legend, list, spoken };
})();
