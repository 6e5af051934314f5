// A table made from rows of data: sorts, and draws only as many rows as were scrolled to.
"use strict";

// columns: [{name, label, cell(row) -> node or text, key?(row) -> sort key, class?, start?: 1 | -1}]
perftrack.grid = (table, { columns, rowClass, empty, sort = "", onsort }) => {
  const { h } = perftrack;
  const CHUNK = 150;
  const words = new Intl.Collator("en", { numeric: true }); // n=512 before n=4096
  let rows = [];
  let shown = 0;
  let order = sort;

  const body = h("tbody");
  const heads = columns.map((column) => {
    const button = column.key ? h("button", { type: "button", class: "sort", onclick: () => toggle(column) }, column.label) : column.label;
    return h("th", { scope: "col", class: column.class }, button);
  });
  table.append(h("thead", {}, h("tr", {}, heads)), body);

  const compare = (a, b) => {
    if (a === b) return 0;
    const missing = (value) => value === null || value === undefined || Number.isNaN(value);
    if (missing(a) || missing(b)) return missing(a) ? (missing(b) ? 0 : 1) : -1;
    return typeof a === "string" ? words.compare(a, b) : a < b ? -1 : 1;
  };

  const sorted = (given) => {
    const column = columns.find(({ name }) => name === order.replace("-", ""));
    columns.forEach(({ name }, i) => {
      if (name !== column?.name) heads[i].removeAttribute("aria-sort");
      else heads[i].setAttribute("aria-sort", order.startsWith("-") ? "descending" : "ascending");
    });
    if (!column?.key) return given;
    const sign = order.startsWith("-") ? -1 : 1;
    const keyed = given.map((row, i) => [column.key(row), i, row]);
    const missing = (key) => key === null || key === undefined || Number.isNaN(key);
    // Rows without a value stay at the end in both directions.
    keyed.sort(([a, i], [b, j]) => (missing(a) || missing(b) ? compare(a, b) : sign * compare(a, b)) || i - j);
    return keyed.map(([, , row]) => row);
  };

  const toggle = (column) => {
    const first = column.start === -1 ? `-${column.name}` : column.name;
    const second = column.start === -1 ? column.name : `-${column.name}`;
    order = order === first ? second : first;
    onsort?.(order);
    show(rows);
  };

  const draw = (upto) => {
    const batch = document.createDocumentFragment();
    for (; shown < Math.min(upto, ordered.length); shown++) {
      const row = ordered[shown];
      batch.append(
        h("tr", { class: rowClass?.(row) }, columns.map((column) => h("td", { class: column.class }, column.cell(row)))),
      );
    }
    body.append(batch);
    if (shown < ordered.length) body.append(tail);
    else tail.remove();
  };

  let ordered = [];
  const tail = h("tr", { class: "tail" }, h("td", { colspan: columns.length }, h("button", { type: "button", class: "plain", onclick: () => draw(Infinity) }, "Show all rows")));
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) draw(shown + CHUNK);
  }, { rootMargin: "400px" }).observe(tail);
  addEventListener("beforeprint", () => draw(Infinity));

  const show = (next) => {
    rows = next;
    ordered = sorted(next);
    shown = 0;
    body.replaceChildren();
    if (!ordered.length) {
      tail.remove();
      body.append(h("tr", { class: "none" }, h("td", { colspan: columns.length }, empty ?? "Nothing to show.")));
    } else draw(CHUNK);
  };

  return { show, all: () => draw(Infinity), sort: (name) => { order = name; } };
};
