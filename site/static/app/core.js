// What every page shares: data files, elements, state in the address, times.
"use strict";

const perftrack = (() => {
  const root = document.documentElement.dataset.root;
  const arrived = new Map();
  const waiting = new Map();

  // Data files are scripts: from a file:// address nothing else may be read. `packed` is how most of them hand their data over.
  const provide = (name, payload) => {
    arrived.set(name, payload);
    waiting.get(name)?.resolve(payload);
  };

  const entry = (name) => {
    if (!waiting.has(name)) {
      const made = {};
      made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
      made.promise.catch(() => {}); // whoever needs it says so
      waiting.set(name, made);
    }
    return waiting.get(name);
  };

  const get = (name) => arrived.get(name);

  // A file may be asked for by a tag of the page, too, and before anyone needs it.
  const need = (name) => {
    if (arrived.has(name)) return Promise.resolve(arrived.get(name));
    const { promise } = entry(name);
    const src = `${root}data/${name}.js`;
    if (!document.querySelector(`script[src="${src}"]`)) {
      const script = document.createElement("script");
      script.src = src;
      document.head.append(script);
    }
    return promise;
  };

  // The name of a data file by the tag that asks for it; null for any other tag.
  const nameOf = (tag) => {
    const src = tag.tagName === "SCRIPT" && tag.getAttribute("src");
    return src && src.startsWith(`${root}data/`) ? src.slice(`${root}data/`.length, -".js".length) : null;
  };

  // Without its tag a file that could not be read is asked for again by the next who needs it.
  addEventListener("error", ({ target }) => {
    const name = target instanceof Element ? nameOf(target) : null;
    if (name === null) return;
    const { reject } = entry(name);
    waiting.delete(name);
    target.remove();
    reject(new Error(`${target.src} could not be read`));
  }, true);

  // Text to bytes: two characters are 31 bits (publish/packing.py says how they are written).
  const FIRST = 0x2200, BASE = 46341;
  const bytesOf = (text, length) => {
    const bytes = new Uint8Array(length);
    let held = 0, bits = 0, at = 0;
    for (let i = 0; i < text.length; i += 2) {
      held = held * 2 ** 31 + (text.charCodeAt(i) - FIRST) * BASE + (text.charCodeAt(i + 1) - FIRST); // below 2 ** 39: exact
      bits += 31;
      while (bits >= 8 && at < length) {
        bits -= 8;
        bytes[at++] = held / 2 ** bits;
        held %= 2 ** bits;
      }
    }
    return bytes;
  };

  // The document, with its columns of integers (publish/packing.py says how they are written).
  const unpacked = (bytes) => {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const found = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
    let from = 4 + size;
    const columns = {};
    for (const [name, width] of found.columns ?? []) {
      const column = new Array(found.rows).fill(0);
      for (let plane = 0, weight = 1; plane < width; plane++, weight *= 256, from += found.rows) {
        for (let i = 0; i < found.rows; i++) column[i] += bytes[from + i] * weight;
      }
      columns[name] = column.map((folded) => (folded % 2 ? -(folded + 1) / 2 : folded / 2));
    }
    if (found.columns) found.columns = columns;
    return found;
  };

  // What every stream goes on from (publish/primer.py): put before it as a stored block.
  const PRIMER = new TextEncoder().encode('["throttled while measuring: "]["no clock evidence: "]["the working tree had uncommitted changes"][["clocks locked and verified: range  MHz over all windows"],["clocks-locked"]]few-processes process(es); tier A needs at least interval-too-wide the interval includes both no change and a change of  %; an effect of  % would be detected 4 times in 5 not significant among  comparisons (Benjamini-Hochberg, q = 0.05) against  process(es), and fewer than 6 runs to learn the lane\'s noise from: record both with --processes 4 or more, or compare --liveworse by better by  %, interval excludes 0, threshold interval lies inside ±2 %clocks were free to move"failed"skipped"regression"improvement"unchanged"duration_p50","higher","limitations":[],"notes":[[["clocks were not locked"],["clocks were free to move"],["clocks-floating"]]],"outputs":{},"rows":,"samples":false,"settings":[],"version":"0.1.0"}{"columns":[["series",1],["facet",0],["step",0],["value",2],["width",1],["skew",0],["code",0],["processes",1],["spread",2]],"duration":" min  s","environments":[["",[0]]],"host":"","id":"","label":"",{"breaks":[],"changes":[],"columns":[["run",1],["facet",0],["step",0],["value",2],["width",1],["skew",0]],"commits":,"dir":"lower","epochs":[],"facets":[["ok","A",0,0,1],["ok","B",0,0,1]],"failed":0,"limits":[],"metric":"time","name":"","notes":[[[],[],[]]],"page":{"cases":1,"entries":{"direction":["lower"],"given":[[]],"hi":[0.0],"key":[""],"lane":[0],"latest":[" ms ±  %"],"lo":[0.0],"metric":["time"],"params":[""],"run":[],"share":[null],"share_of":[""],"spark":[""],"status":["ok"],"tier":["B"],"unit":["s"],"value":[0.0],"verdict":["inconclusive"],"why":[""]},"metrics":["time"],"name":"","source":"benchmarks/bench_.py:","tags":[],"threshold":null},"ref":[,"rows":,"total":,"unit":"s"}');
  const STORED = Uint8Array.of(0, PRIMER.length & 255, PRIMER.length >> 8, ~PRIMER.length & 255, (~PRIMER.length >> 8) & 255);

  const packed = async (length, text) => {
    const name = nameOf(document.currentScript);
    try {
      const stream = new Blob([STORED, PRIMER, bytesOf(text, length)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      provide(name, unpacked(new Uint8Array(await new Response(stream).arrayBuffer(), PRIMER.length)));
    } catch (error) {
      entry(name).reject(new Error(`${root}data/${name}.js could not be understood: ${error.message}`));
    }
  };

  // Columns of steps to values and intervals (publish/numerals.py says how they are written); `reference(i)` is digits, scale, level and grade of row i, `bounded(i)` whether it has an interval.
  const UNITS = [1, 2], GRADES = 240, FIFTY = 408, FAR = 18;
  const tens = (scale) => Math.floor(scale / 2);
  const unit = (scale) => UNITS[scale - 2 * tens(scale)];
  const usualScale = (grade, level) => {
    const share = Math.min(Math.max(Math.floor((grade - level) / GRADES), -4), 0);
    const last = Math.floor(level / GRADES) + share - 1;
    return 2 * last - (grade - GRADES * last < FIFTY);
  };
  const baseOf = (digits, from, to) => {
    if (Math.abs(from - to) > FAR || Math.abs(digits) >= 1e7) return 0;
    const apart = tens(from) - tens(to);
    const more = digits * unit(from) * 10 ** Math.max(apart, 0);
    return Math.abs(more) < 1e15 ? Math.floor(more / (unit(to) * 10 ** Math.max(-apart, 0))) : 0;
  };
  const numbers = ({ step, value, width, skew }, reference, known, bounded) => {
    const columns = { value: [], lo: [], hi: [] };
    for (let i = 0; i < value.length; i++) {
      const [digits, first, level, grade] = reference(i);
      const own = grade + width[i] - (width[i] > 0);
      const scale = step[i] + (width[i] ? usualScale(own, level) : first);
      const at = (count) => Number(`${count * unit(scale)}e${tens(scale)}`);
      const count = baseOf(digits, first, scale) + value[i];
      const half = width[i] ? 10 ** (own / GRADES) : 0;
      columns.value.push(known(i) ? at(count) : null);
      columns.lo.push(bounded(i) ? at(count + skew[i]) - half : null);
      columns.hi.push(bounded(i) ? at(count + skew[i]) + half : null);
    }
    return columns;
  };

  const ready = (work) => (document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", work) : work());

  // Draws a page once its data are there; a file that cannot be read is named where the page would be.
  const page = (names, work) => ready(async () => {
    try {
      await Promise.all(names.map(need));
      await work();
    } catch (error) {
      const place = document.getElementById("main") ?? document.body;
      place.prepend(h("p", { class: "notice", role: "alert" }, `${error.message}. Build the site again.`));
      document.querySelector("[aria-busy=true]")?.setAttribute("aria-busy", "false");
    }
  });

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

  return { root, packed, provide, get, need, numbers, page, h, svg, rows, state, utc, when };
})();

const { packed } = perftrack; // under a short name: every data file has it
