// Numbers for people, by the rules of perftrack.core.units: a test holds the two together.
"use strict";

perftrack.format = (() => {
  const PREFIXES = [
    [1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""],
    [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"], [1e-15, "f"],
  ];
  const PREFIXED = new Set(["s", "B", "byte", "B/s", "byte/s", "flop/s", "FLOP/s", "Hz", "W", "J"]);
  const NONE = "1"; // the unit of what has none
  const LARGE = 1e9, SMALL = 1e-4, LARGEST_PERCENT = 999999, LEAST_CHANGE = -99.999, EXACT_DIGITS = 15, LARGEST_WHOLE = 1e15;
  const known = (value) => value !== null && value !== undefined && Number.isFinite(value);

  // [factor, unit with prefix] in which a value reads best.
  const scale = (value, unit) => {
    if (unit === NONE) return [1, ""];
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
  const stripped = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text); // exact: zeros would claim nothing

  const power = (number, count, exact) => {
    const [mantissa, exponent] = number.toExponential(count - 1).split("e");
    return `${exact ? stripped(mantissa) : mantissa}e${Number(exponent)}`;
  };

  const value = (number, unit, lo, hi) => {
    if (!known(number)) return "–";
    const exact = known(lo) && lo === hi;
    const whole = exact && Number.isInteger(number);
    const count = whole ? EXACT_DIGITS : digits(number, lo, hi);
    const rounded = Number(number.toExponential(count - 1)); // first, so that 999.96 ms becomes 1.000 s
    const [factor, shown] = scale(rounded, unit);
    const scaled = rounded / factor;
    const size = Math.abs(scaled);
    if (scaled !== 0 && !(size >= SMALL && size < (whole ? LARGEST_WHOLE : LARGE))) {
      const text = power(rounded, count, exact);
      return unit && unit !== NONE ? `${text} ${unit}` : text;
    }
    const fixed = scaled.toFixed(decimals(scaled, count));
    const text = exact ? stripped(fixed) : fixed;
    return shown ? `${text} ${shown}` : text;
  };

  const percent = (number) => {
    if (!Number.isFinite(number)) return "∞ %";
    const size = Math.abs(number);
    const sign = number < 0 ? "-" : "";
    if (size > LARGEST_PERCENT) return `${sign}>${LARGEST_PERCENT} %`;
    if (size === 0) return "0 %";
    if (size < 0.005) return `${sign}<0.01 %`;
    if (size > 99 && size < 100) return size >= 99.995 ? `${sign}>99.99 %` : `${number.toFixed(2)} %`;
    return `${number.toFixed(size >= 10 ? 0 : size >= 1 ? 1 : 2)} %`;
  };

  const halfWidth = (number, unit, lo, hi) => {
    if (!known(number) || !known(lo) || !known(hi)) return "";
    const half = 0.5 * (hi - lo);
    return number === 0 ? `± ${value(half, unit)}` : `± ${percent((100 * half) / Math.abs(number))}`;
  };

  const interval = (number, unit, lo, hi) => [value(number, unit, lo, hi), halfWidth(number, unit, lo, hi)].filter(Boolean).join(" ");

  const change = (effect) => {
    if (!known(effect)) return "–";
    const text = percent(Math.max(100 * Math.expm1(Math.min(effect, 700)), LEAST_CHANGE));
    return text.startsWith("-") ? text : `+${text}`;
  };

  // Both ends of a change's interval, to a tenth of a percent where they would read alike.
  const range = (lo, hi) => {
    const plain = [change(lo), change(hi)];
    if (plain[0] !== plain[1] || lo === hi || !known(lo) || !known(hi)) return plain.join(" … ");
    const ends = [lo, hi].map((end) => 100 * Math.expm1(Math.min(end, 700)));
    if (ends.some((end) => Math.abs(end) < 10 || Math.abs(end) > (end < 0 ? 99 : 1000))) return plain.join(" … ");
    return ends.map((end) => `${end < 0 ? "" : "+"}${end.toFixed(1)} %`).join(" … ");
  };

  return { scale, value, percent, halfWidth, interval, change, range };
})();
