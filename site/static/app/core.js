// What every page shares: data files, elements, state in the address, times.
"use strict";

const perftrack = (() => {
  const root = document.documentElement.dataset.root;
  const arrived = new Map();
  const waiting = new Map();

  // Data files are scripts that call provide: from a file:// address nothing else may be read.
  const provide = (name, payload) => {
    arrived.set(name, payload);
    waiting.get(name)?.resolve(payload);
  };

  const get = (name) => arrived.get(name);

  const need = (name) => {
    if (arrived.has(name)) return Promise.resolve(arrived.get(name));
    if (waiting.has(name)) return waiting.get(name).promise;
    const entry = {};
    entry.promise = new Promise((resolve, reject) => {
      entry.resolve = resolve;
      const script = document.createElement("script");
      script.src = `${root}data/${name}.js`;
      script.onerror = () => {
        waiting.delete(name);
        reject(new Error(`${script.src} could not be read`));
      };
      document.head.append(script);
    });
    waiting.set(name, entry);
    return entry.promise;
  };

  const pageData = () => JSON.parse(document.getElementById("page-data").textContent);

  // h("td", {class: "num"}, "text", node): text is always text, never markup.
  const h = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
    return node;
  };

  const svg = (tag, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  // Columns to rows: {a: [1, 2], b: [3, 4]} to [{a: 1, b: 3}, {a: 2, b: 4}]; strings give one letter a row.
  const rows = (columns) => {
    const names = Object.keys(columns);
    const count = names.length ? columns[names[0]].length : 0;
    return Array.from({ length: count }, (_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  };

  // State lives behind "#": from file:// an address may change nowhere else.
  const state = {
    read: () => Object.fromEntries(new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "")),
    write: (values) => {
      const kept = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null);
      const hash = new URLSearchParams(kept).toString();
      if (location.hash.slice(1) !== hash) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    },
  };

  const pad = (number) => String(number).padStart(2, "0");
  const utc = (seconds) => {
    const date = new Date(seconds * 1000);
    if (Number.isNaN(date.getTime())) return "–";
    return `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())} ${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())} UTC`;
  };

  const STEPS = [[31557600, "year"], [2629800, "month"], [604800, "week"], [86400, "day"], [3600, "hour"], [60, "minute"]];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const relative = (seconds) => {
    const ago = seconds - Date.now() / 1000;
    for (const [size, unit] of STEPS) if (Math.abs(ago) >= size) return words.format(Math.trunc(ago / size), unit);
    return "just now";
  };
  // What is long past reads better as a date.
  const near = (seconds) => (Math.abs(Date.now() / 1000 - seconds) < 45 * 86400 ? relative(seconds) : utc(seconds).slice(0, 10));
  const when = (seconds) => h("time", { title: utc(seconds) }, near(seconds));

  document.addEventListener("DOMContentLoaded", () => {
    for (const node of document.querySelectorAll("time[data-relative]")) {
      const seconds = Date.parse(node.dateTime) / 1000;
      if (Number.isNaN(seconds)) continue;
      node.title = node.textContent;
      node.textContent = near(seconds);
    }
  });

  return { root, provide, get, need, pageData, h, svg, rows, state, utc, when };
})();
