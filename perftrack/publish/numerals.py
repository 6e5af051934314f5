"""Decimal numbers as columns of small integers: what a file of a million points is made of.

A value is written in steps of the last digit that pages show of it (core.units): two digits beyond the first of
its interval's half width as a share of the value, and of six in all at most. Where fifty of those are more than
the half width, in steps of a fifth of that digit, so that it reads the same. An exact whole number, as counts and
sizes are, keeps all of its digits. The half width is written by its logarithm, to within half a per cent, or one
and a half where that makes it read as it does elsewhere; with the size of the value the step follows from it.
Value and width are given as their difference from those of their series' first value, its *reference*, so that
what is left is noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.pointtable import Floats

Ints = NDArray[np.signedinteger]
DIGITS = 6
GRADES = 240  # of sizes and half widths to a factor of ten
FIFTY = 408  # the first grade that is fifty times that of one
LARGEST_WHOLE = 1e15
FAR = 18  # a scale that is further than this from the reference's is not told as a difference
_UNITS = np.array([1, 2])
_LIMIT = 580
_MOST = 2.0**52  # what a browser counts exactly
_FURTHEST = 2.0**31 - 1  # steps from a value to the middle of its interval: billions of times its width


@dataclass(frozen=True, slots=True)
class Numerals:
    """Values (n,) as `digits` steps of the `scale`: once or twice ten to the power of half of it, rounded down.

    `level`: GRADES times the logarithm of the value's size, 0 of none. Where `wide` an interval has the half width
    10 ** (grade / GRADES), its middle `skew` steps above the value; else it has none, or one without any width.
    """

    scale: Ints
    digits: Ints
    level: Ints
    wide: NDArray[np.bool_]
    grade: Ints
    skew: Ints


def numerals(value: Floats, lo: Floats, hi: Floats) -> Numerals:
    """Values (n,) and the ends of their intervals; zeros where one is not finite, which the caller must tell."""
    with np.errstate(all="ignore"):
        known = np.isfinite(value)
        plain = np.where(known, value, 0.0)
        half = (hi - lo) / 2
        bounded = known & np.isfinite(half)
        wide = bounded & (half > 0)
        size = np.log10(np.abs(plain))
        fine = 2 * (np.floor(size) - (DIGITS - 1))
        scale = np.where(wide, _scale(np.floor(size), np.log10(half / np.abs(plain)), np.log10(half)), fine)
        whole = bounded & (half == 0) & (plain == np.rint(plain)) & (np.abs(plain) < LARGEST_WHOLE)
        scale = np.where(whole | ~np.isfinite(scale), 0.0, np.clip(scale, -_LIMIT, _LIMIT))
        tens, unit = np.floor(scale / 2), _UNITS[np.mod(scale, 2).astype(np.intp)]
        step = unit * 10.0**tens
        # Powers of ten are exact where they are no fractions, and halves are rounded as pages round them.
        counted = plain / 10.0 ** np.fmax(tens, 0) * 10.0 ** np.fmax(-tens, 0) / unit
        digits = np.copysign(np.floor(np.abs(counted) + 0.5), plain)
        grade = np.where(wide, np.rint(GRADES * np.log10(half)), 0.0)
        grade += np.where(wide, _as_shown(half / np.abs(plain), _width(grade) / np.abs(digits * step)), 0)
        # Where rounding would put the value outside of its interval, the interval moves.
        reach = np.floor(_width(grade) / step)
        skew = np.rint(((lo + hi) / 2 - plain) / step)
        inside = (lo <= plain) & (plain <= hi)
        skew = np.where(wide, np.where(inside, np.clip(skew, -reach, reach), skew), 0.0)
        skew = np.clip(np.nan_to_num(skew), -_FURTHEST, _FURTHEST)
        level = np.where(np.isfinite(size), np.rint(GRADES * size), 0.0)
        parts = [
            np.clip(np.nan_to_num(p), -_MOST, _MOST).astype(np.int64) for p in (scale, digits, level, grade, skew)
        ]
    scale, digits, level, grade, skew = parts
    return Numerals(scale, digits, level, wide, grade, skew)


def _scale(first: Floats, share: Floats, half: Floats) -> Floats:
    """From powers of ten: of a value's first digit, its half width as a share of it, and the half width itself."""
    fewest = 1 - (DIGITS - 1)
    # Without a value there are no digits of it: its half width's own are told.
    last = np.where(np.isfinite(first), first + np.clip(np.floor(share), fewest, 0) - 1, np.floor(half) - 2)
    scale: Floats = 2 * last - (half - last < FIFTY / GRADES)
    return scale


def usual_scale(grade: Ints, level: Ints) -> Ints:
    """The scale that a value of this size and half width has; near a power of ten its own may be another."""
    share = np.clip((grade - level) // GRADES, 1 - (DIGITS - 1), 0)
    last = level // GRADES + share - 1
    found: Ints = 2 * last - (grade - GRADES * last < FIFTY)
    return found


def _as_shown(own: Floats, told: Floats) -> Floats:
    """A grade up or down where in per cent a share of the value reads otherwise than what is told of it.

    Two digits are shown, of less than one per cent two decimals; and its first decides on those of the value.
    """
    first = np.floor(np.log10(own))
    last = np.clip(10.0 ** (first - 1), 1e-4, 1e-2)
    apart = np.sign(np.floor(own / last + 0.5) - np.floor(told / last + 0.5))
    apart = np.where(apart == 0, np.sign(first - np.floor(np.log10(told))), apart)
    return np.where(np.isfinite(apart), apart, 0.0)


def _width(grade: Floats) -> Floats:
    width: Floats = 10.0 ** (grade / GRADES)
    return width


def differences(digits: Ints, scale: Ints, reference: Ints, reference_scale: Ints) -> Ints:
    """(n,) digits beyond those of the reference brought to the same step; all of them where that is far."""
    tens = reference_scale // 2 - scale // 2
    near = np.abs(reference_scale - scale) <= FAR
    sound = near & (np.abs(reference) < 10**7)
    more = np.where(sound, reference, 0) * _UNITS[reference_scale % 2] * 10 ** np.clip(tens, 0, FAR // 2)
    base = more // (_UNITS[scale % 2] * 10 ** np.clip(-tens, 0, FAR // 2))
    # A whole number has digits enough for the product to leave what a browser counts exactly.
    return digits - np.where(np.abs(more) < LARGEST_WHOLE, base, 0)
