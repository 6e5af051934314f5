"""Decimal numbers as columns of small integers: what a file of a million points is made of.

A value and its interval are written in steps of a power of ten: a hundredth to a thousandth of the interval's half
width, which is finer than any reader is shown, and never finer than six significant digits. An exact whole number,
as counts and sizes are, keeps all of its digits. The steps of a value are given as their difference from those of
its series' first value, its *reference*, so that what is left is noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.pointtable import Floats

Ints = NDArray[np.int64]
DIGITS = 6
FINER = 2  # decimal places beyond the first digit of the half width
LARGEST_WHOLE = 1e15
FAR = 9  # a step that is further than this from the reference's is not told as a difference
_LIMIT = 290
_MOST = 2.0**52  # what a browser counts exactly


@dataclass(frozen=True, slots=True)
class Numerals:
    """Values (n,) as `digits` times 10 to the `exponent`; the interval from digits - below to digits + above."""

    exponent: Ints
    digits: Ints
    below: Ints
    above: Ints


def numerals(value: Floats, lo: Floats, hi: Floats) -> Numerals:
    """Values (n,) and the ends of their intervals; zeros where one is not finite, which the caller must tell."""
    with np.errstate(all="ignore"):
        known = np.isfinite(value)
        plain = np.where(known, value, 0.0)
        half = (hi - lo) / 2
        bounded = known & np.isfinite(half)
        fine = np.floor(np.log10(np.abs(plain))) - (DIGITS - 1)
        wide = np.where(bounded, np.floor(np.log10(half)) - FINER, -np.inf)
        exponent = np.fmax(fine, wide)
        whole = bounded & (half == 0) & (plain == np.rint(plain)) & (np.abs(plain) < LARGEST_WHOLE)
        exponent = np.where(whole | ~np.isfinite(exponent), 0.0, np.clip(exponent, -_LIMIT, _LIMIT))
        step = 10.0**exponent
        digits = np.rint(plain / step)
        # Widths, not ends, are rounded: what is symmetric stays so.
        below = np.where(bounded, np.rint((plain - lo) / step), 0.0)
        above = np.where(bounded, np.rint((hi - plain) / step), 0.0)
        sizes = (np.clip(np.nan_to_num(c), -_MOST, _MOST) for c in (exponent, digits, below, above))
    return Numerals(*(size.astype(np.int64) for size in sizes))


def differences(digits: Ints, exponent: Ints, reference: Ints, reference_exponent: Ints) -> Ints:
    """(n,) digits beyond those of the reference brought to the same step; all of them where that is far."""
    apart = reference_exponent - exponent
    near = np.abs(apart) <= FAR
    finer = reference * 10 ** np.clip(apart, 0, FAR)
    coarser = reference // 10 ** np.clip(-apart, 0, FAR)
    base = np.where(apart >= 0, finer, coarser)
    # A whole number has digits enough for the product to leave what a browser counts exactly.
    sound = near & (np.abs(base) < LARGEST_WHOLE) & (np.abs(reference) < 10**7)
    return digits - np.where(sound, base, 0)
