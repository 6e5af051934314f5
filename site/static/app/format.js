// Numbers for people, by the rules of perftrack.core.units: a test holds the two together.
"use strict";

perftrack.format = (() => {
  const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const PREFIXED = new Set(["s", "B", "byte", "B/s", "byte/s", "flop/s", "FLOP/s", "Hz", "W", "J"]);
  const known = (value) => value !== null && value !== undefined && Number.isFinite(value);

  // [factor, unit with prefix] in which a value reads best.
  const scale = (value, unit) => {
    if (!PREFIXED.has(unit) || value === 0) return [1, unit];
    const [factor, prefix] = PREFIXES.find(([size]) => Math.abs(value) >= size) ?? PREFIXES.at(-1);
    return [factor, prefix + unit];
  };

  const digits = (value, lo, hi) => {
    if (!known(lo) || !known(hi) || value === 0) return 4;
    const half = (0.5 * (hi - lo)) / Math.abs(value);
    return half <= 0 ? 6 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(half))));
  };

  const decimals = (scaled, count) => (scaled === 0 ? 0 : Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(scaled)))));

  const value = (number, unit, lo, hi) => {
    if (!known(number)) return "–";
    const count = digits(number, lo, hi);
    const rounded = Number(number.toExponential(count - 1)); // first, so that 999.96 ms becomes 1.000 s
    const [factor, shown] = scale(rounded, unit);
    const scaled = rounded / factor;
    let text = scaled.toFixed(Math.min(100, decimals(scaled, count)));
    if (known(lo) && lo === hi && text.includes(".")) text = text.replace(/\.?0+$/, ""); // exact: zeros would claim nothing
    return shown ? `${text} ${shown}` : text;
  };

  const percent = (number) => {
    if (!Number.isFinite(number)) return "∞ %";
    const size = Math.abs(number);
    if (size >= 10) return `${number.toFixed(0)} %`;
    if (size >= 1) return `${number.toFixed(1)} %`;
    if (size < 0.005) return size === 0 ? "0 %" : `${number < 0 ? "-" : ""}<0.01 %`;
    return `${number.toFixed(2)} %`;
  };

  const halfWidth = (number, unit, lo, hi) => {
    if (!known(number) || !known(lo) || !known(hi)) return "";
    const half = 0.5 * (hi - lo);
    return number === 0 ? `± ${value(half, unit)}` : `± ${percent((100 * half) / Math.abs(number))}`;
  };

  const interval = (number, unit, lo, hi) => [value(number, unit, lo, hi), halfWidth(number, unit, lo, hi)].filter(Boolean).join(" ");

  const change = (effect) => {
    if (!known(effect)) return "–";
    const text = percent(100 * Math.expm1(Math.min(effect, 700)));
    return text.startsWith("-") ? text : `+${text}`;
  };

  return { scale, value, percent, halfWidth, interval, change };
})();
