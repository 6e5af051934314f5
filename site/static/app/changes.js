// All change events; and of one of them, chosen in the address, its commits, causes and cases.
"use strict";

perftrack.page(["history", "changes"], async () => {
  const { h, state, format, marks, root, when } = perftrack;
  const index = perftrack.get("history");
  const { events } = perftrack.get("changes");
  const byId = (id) => document.getElementById(id);
  const STANDING = new Set(["new", "confirmed", "suspect"]);
  const WORDS = { new: "new", confirmed: "confirmed", suspect: "suspect: measure again", accepted: "accepted", fixed: "fixed later", minor: "below the threshold", past: "before an accepted change" };

  const sha = (commit) => {
    const short = h("span", { class: "sha" }, commit[0].slice(0, 10));
    return index.commit_url ? h("a", { class: "sha", href: index.commit_url + commit[0], rel: "noreferrer" }, commit[0].slice(0, 10)) : short;
  };
  const size = (change) => {
    if (change.change === null) return `${format.value(change.before, change.unit)} → ${format.value(change.after, change.unit)}`;
    const range = change.lo === null || change.lo === change.hi ? "" : ` (${format.range(change.lo, change.hi)})`;
    return `${format.change(change.change)}${range}`;
  };
  const way = (event) => (event.worse ? "regression" : "improvement");

  // The list

  const filters = byId("filters");
  const field = (name) => filters.querySelector(`[name=${name}]`);
  const states = [...new Set(events.map((event) => event.state))];
  field("state").append(...states.map((name) => h("option", { value: name }, WORDS[name])));
  for (const event of events) {
    event.text = [event.title, event.likely.join(" "), ...event.changes.map((c) => `${c.case} ${c.metric}`), ...event.commits.map((c) => `${c[0]} ${c[1]} ${c[2]}`)].join(" ").toLowerCase();
  }
  const list = perftrack.grid(byId("grid"), {
    sort: state.read().sort,
    onsort: (sort) => state.write({ ...state.read(), sort }),
    empty: "No change matches the filter.",
    columns: [
      {
        name: "title", label: "Change", class: "name", key: (event) => event.title.toLowerCase(),
        cell: (event) => h("a", { href: `#id=${event.id}` }, event.title),
      },
      { name: "way", label: "Way", class: "verdict-cell", key: (event) => way(event), cell: (event) => marks.verdict(way(event), `${event.worse} worse, ${event.better} better`) },
      { name: "state", label: "State", key: (event) => event.state, cell: (event) => WORDS[event.state] },
      { name: "commits", label: "Commits", class: "num", start: -1, key: (event) => event.count, cell: (event) => String(event.count) },
      { name: "likely", label: "Most likely", cell: (event) => [sha(event.likely), " ", h("span", { class: "quiet subject" }, event.likely[1])] },
      { name: "when", label: "Committed", class: "num", start: -1, key: (event) => event.likely[3], cell: (event) => when(event.likely[3]) },
    ],
  });
  const view = () => ({ q: "", state: "", way: "", ...state.read() });
  const update = () => {
    const { q, state: wanted, way: direction } = view();
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = events.filter((event) => words.every((word) => event.text.includes(word)) &&
      (wanted === "all" || (wanted ? event.state === wanted : STANDING.has(event.state))) &&
      (!direction || (direction === "worse") === event.worse > 0));
    list.show(chosen);
    byId("shown").textContent = chosen.length === events.length ? "" : `${chosen.length} of ${events.length}`;
  };
  for (const name of ["q", "state", "way"]) {
    field(name).addEventListener("input", () => {
      state.write({ ...state.read(), [name]: field(name).value });
      update();
    });
  }

  // One event

  const commitLine = (event) => (commit) => {
    const candidate = !event.candidates.length || event.candidates.includes(commit[0]);
    return h("li", { class: commit[0] === event.likely[0] ? "likely" : candidate ? undefined : "quiet" },
      sha(commit), " ", h("span", {}, commit[1]), " ", h("small", {}, `${commit[2]}, `, when(commit[3]),
        commit[0] === event.likely[0] && event.count > 1 && ", most likely", !candidate && ", changed no code"));
  };

  const search = (found) => {
    const where = found.commits.map((name) => name.slice(0, 10)).join(", ");
    const told = found.outcome === "found" ? `names ${where} with probability ${(100 * found.probability).toFixed(1)} %` : `came to "${found.outcome}"${where ? `: ${where}` : ""}`;
    const confirmed = found.effect ? `, confirmed at ${found.effect}` : "";
    return `perftrack bisect of ${found.case} ${told}${confirmed} after ${found.measurements} measurements and ${found.builds} builds`;
  };

  const caseBlock = (event) => (change) => {
    const plot = h("div", { class: "sides" }, h("p", { class: "quiet" }, "Reading the values …"));
    const block = h("article", { class: "event-case" },
      h("h3", {}, h("a", { href: `${root}${change.page}#series=${change.key}` }, change.case), change.metric !== "time" && h("span", { class: "metric" }, ` ${change.metric}`)),
      h("p", { class: "meta" }, h("span", { class: change.verdict }, size(change)),
        h("span", {}, `${format.value(change.before, change.unit)} → ${format.value(change.after, change.unit)}`),
        change.kind !== "step" && h("span", {}, change.kind), change.standing !== "alert" && h("span", {}, change.standing), marks.lane(change.lane),
        h("span", { title: "probability that chance alone shows as much" }, `p ${change.p < 1e-4 ? "< 0.0001" : change.p.toPrecision(2)}`)),
      change.reasons.length > 0 && h("ul", { class: "causes" }, change.reasons.map((text) => h("li", {}, text))), plot);
    perftrack.sides(plot, change);
    return block;
  };

  const MOST = 12; // plots at once; the rest is listed
  const showEvent = (event) => {
    byId("title").textContent = event.title;
    document.title = `${event.title} · Changes`;
    byId("about").replaceChildren(marks.verdict(way(event)), h("span", {}, WORDS[event.state]), h("span", {}, `${event.count} commit${event.count === 1 ? "" : "s"}`),
      h("span", {}, `${event.worse} worse, ${event.better} better`));
    const hidden = event.count - event.commits.length;
    byId("commits").replaceChildren(...[...event.commits].reverse().map(commitLine(event)), ...(hidden > 0 ? [h("li", { class: "quiet" }, `and ${hidden} earlier ones`)] : []));
    const known = [...event.searches.map(search), ...event.hints, ...event.words.flatMap(([name, lines]) => lines.map((line) => `${name}: ${line}`))];
    byId("why-section").hidden = !known.length;
    byId("why").replaceChildren(...known.map((text) => h("li", {}, text)));
    const [first, rest] = [event.changes.slice(0, MOST), event.changes.slice(MOST)];
    byId("cases").replaceChildren(...first.map(caseBlock(event)), ...(rest.length ? [h("ul", {}, rest.map((change) => h("li", {}, h("a", { href: `${root}${change.page}#series=${change.key}` }, `${change.case} ${change.metric}`), ` ${size(change)}`)))] : []));
  };

  const show = () => {
    const id = state.read().id;
    const event = events.find((each) => each.changes.some((change) => change.id === id));
    for (const name of ["list-section", "creep-section", "events-title"]) if (byId(name)) byId(name).hidden = Boolean(event);
    byId("event-section").hidden = !event;
    byId("crumb").hidden = !event;
    if (event) return showEvent(event);
    byId("title").textContent = "Changes";
    for (const name of ["q", "state", "way"]) field(name).value = view()[name];
    update();
    if (id) byId("list-section").prepend(h("p", { class: "notice", role: "status" }, `No change has the name ${id} any more: its commits were measured again, or left the history.`));
  };
  addEventListener("hashchange", show);
  show();
});
