// Student's t, and which of many p-values stand: what a verdict needs of statistics. A test holds it against scipy.
"use strict";

perftrack.student = (() => {
  // Logarithm of the gamma function for positive numbers: Stirling's series, after moving small ones up.
  const logGamma = (given) => {
    let x = given, shift = 0;
    for (; x < 12; x += 1) shift += Math.log(x);
    const s = 1 / (x * x);
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) - shift +
      (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / x;
  };

  // ln of 1 / B(a, 1/2).
  const scale = (a) => logGamma(a + 0.5) - logGamma(a) - 0.5 * Math.log(Math.PI);

  // Continued fraction of the incomplete beta function, by the modified Lentz method (DLMF 8.17.22).
  const fraction = (x, a, b) => {
    const tiny = 1e-300;
    const kept = (value) => (Math.abs(value) < tiny ? tiny : value);
    let c = 1, d = 1 / kept(1 - ((a + b) * x) / (a + 1)), product = d;
    for (let m = 1; m < 20000; m++) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / kept(1 + even * d);
      c = kept(1 + even / c);
      product *= d * c;
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / kept(1 + odd * d);
      c = kept(1 + odd / c);
      product *= d * c;
      if (Math.abs(d * c - 1) < 1e-15) break;
    }
    return product;
  };

  // Probability of |T| > |t|: the regularised incomplete beta function of df / (df + t²) at df/2 and 1/2.
  const twoSided = (df, t) => {
    if (t === 0) return 1;
    if (!Number.isFinite(t)) return 0;
    const a = df / 2, square = t * t;
    const x = df / (df + square), y = square / (df + square);
    // ln x by log1p where it is close to 1: large df would lose it.
    const front = Math.exp(scale(a) - a * Math.log1p(square / df) + 0.5 * Math.log(y));
    return x < (a + 1) / (a + 2.5) ? (front * fraction(x, a, 0.5)) / a : 1 - (front * fraction(y, 0.5, a)) / 0.5;
  };

  const density = (df, t) => Math.exp(scale(df / 2) - 0.5 * Math.log(df) - ((df + 1) / 2) * Math.log1p((t * t) / df));

  // Quantile for p above 1/2: Newton's steps, kept inside the bracket.
  const known = new Map();
  const quantile = (df, p) => {
    const name = `${df}/${p}`;
    if (known.has(name)) return known.get(name);
    const tail = 2 * (1 - p);
    let low = 0, high = 1;
    while (twoSided(df, high) > tail) [low, high] = [high, high * 2];
    let t = (low + high) / 2;
    for (let i = 0; i < 200; i++) {
      const excess = twoSided(df, t) - tail;
      if (excess > 0) low = t;
      else high = t;
      let next = t + excess / (2 * density(df, t));
      if (!(next > low && next < high)) next = (low + high) / 2;
      if (Math.abs(next - t) <= 1e-14 * Math.abs(next)) break;
      t = next;
    }
    known.set(name, t);
    return t;
  };

  // Largest p-value that is rejected at false-discovery rate q (Benjamini & Hochberg 1995); -1 where none is.
  const rejected = (values, q) => {
    const ordered = [...values].sort((a, b) => a - b);
    for (let i = ordered.length; i > 0; i--) if (ordered[i - 1] <= (q * i) / ordered.length) return ordered[i - 1];
    return -1;
  };

  return { twoSided, quantile, rejected };
})();
