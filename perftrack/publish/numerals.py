"""Decimal numbers as columns of small integers: what a file of a million points is made of.

A value is written in steps of 1, 2 or 5 times a power of ten: the largest that is no more than a hundredth of its
interval's half width, and never finer than six significant digits. An exact whole number, as counts and sizes are,
keeps all of its digits. The half width is written by its logarithm, to within half a per cent, or one and a half
where that makes it read as it does elsewhere; the step follows from it. Value and width are given as their
difference from those of their series' first value, its *reference*, so that what is left is noise. A reader who is
shown more than a hundredth of the half width may find the last digit one off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.pointtable import Floats

Ints = NDArray[np.signedinteger]
DIGITS = 6
FINER = 100  # steps that the half width has at least
GRADES = 240  # of half widths to a factor of ten
LARGEST_WHOLE = 1e15
FAR = 27  # a scale that is further than this from the reference's is not told as a difference
_UNITS = np.array([1, 2, 5])
_TWO, _FIVE = 73, 168  # the first grades of a factor of ten at which log10 is that of two, and of five
_EQUAL = 1e-6  # steps: what is no further from a whole number of them is that number
_LIMIT = 870
_MOST = 2.0**52  # what a browser counts exactly
_FURTHEST = 2.0**31 - 1  # steps from a value to the middle of its interval: billions of times its width


@dataclass(frozen=True, slots=True)
class Numerals:
    """Values (n,) as `digits` steps of the `scale`: 1, 2 or 5 times ten to the power of a third of it.

    Where `wide` an interval has the half width 10 ** (grade / GRADES), its middle `skew` steps above the value;
    else it has none, or one without any width. `beyond`: the scale beyond that which the grade gives.
    """

    scale: Ints
    digits: Ints
    wide: NDArray[np.bool_]
    grade: Ints
    beyond: Ints
    skew: Ints


def numerals(value: Floats, lo: Floats, hi: Floats) -> Numerals:
    """Values (n,) and the ends of their intervals; zeros where one is not finite, which the caller must tell."""
    with np.errstate(all="ignore"):
        known = np.isfinite(value)
        plain = np.where(known, value, 0.0)
        half = (hi - lo) / 2
        bounded = known & np.isfinite(half)
        wide = bounded & (half > 0)
        grade = np.where(wide, np.rint(GRADES * np.log10(half)), 0.0)
        given = _scale_of(grade)
        fine = 3 * (np.floor(np.log10(np.abs(plain))) - (DIGITS - 1))
        scale = np.where(wide, np.fmax(fine, given), fine)
        whole = bounded & (half == 0) & (plain == np.rint(plain)) & (np.abs(plain) < LARGEST_WHOLE)
        scale = np.where(whole | ~np.isfinite(scale), 0.0, np.clip(scale, -_LIMIT, _LIMIT))
        tens, unit = np.floor(scale / 3), _UNITS[np.mod(scale, 3).astype(np.intp)]
        step = unit * 10.0**tens
        # Powers of ten are exact where they are no fractions.
        counted = plain / 10.0 ** np.fmax(tens, 0) * 10.0 ** np.fmax(-tens, 0) / unit
        digits = np.copysign(np.floor(np.abs(counted) + 0.5), plain)  # halves as pages round them
        digits += np.where(wide & (given >= fine), _off_halves(digits * unit, counted - digits), 0)
        grade += np.where(wide, _as_shown(half / np.abs(plain), _width(grade) / np.abs(digits * step)), 0)
        # Where rounding would put the value outside of its interval, the interval moves.
        reach = np.floor(_width(grade) / step)
        skew = np.rint(((lo + hi) / 2 - plain) / step)
        inside = (lo <= plain) & (plain <= hi)
        skew = np.where(wide, np.where(inside, np.clip(skew, -reach, reach), skew), 0.0)
        skew = np.clip(np.nan_to_num(skew), -_FURTHEST, _FURTHEST)
        parts = (scale, digits, grade, np.where(wide, scale - _scale_of(grade), 0.0), skew)
        whole_parts = [np.clip(np.nan_to_num(p), -_MOST, _MOST).astype(np.int64) for p in parts]
    scale, digits, grade, beyond, skew = whole_parts
    return Numerals(scale, digits, wide, grade, beyond, skew)


def _off_halves(counted: Floats, beyond: Floats) -> Floats:
    """A step up or down from where a number of one digit less is rounded up, for values that are not just there.

    Else a page that rounds the value itself would show another last digit. `counted`: in units of its last digit.
    """
    half = np.mod(np.abs(counted), 10) == 5
    return np.where(half & (np.abs(beyond) > _EQUAL), np.sign(beyond), 0.0)


def _as_shown(own: Floats, told: Floats) -> Floats:
    """A grade up or down where in per cent a share of the value reads otherwise than what is told of it.

    Two digits are shown, of less than one per cent two decimals.
    """
    last = np.clip(10.0 ** (np.floor(np.log10(own)) - 1), 1e-4, 1e-2)
    apart = np.floor(own / last + 0.5) - np.floor(told / last + 0.5)
    return np.where(np.isfinite(apart), np.sign(apart), 0.0)


def _width(grade: Floats) -> Floats:
    width: Floats = 10.0 ** (grade / GRADES)
    return width


def _scale_of(grade: Floats) -> Floats:
    """The largest scale whose step is no more than a hundredth of the half width, to within its grade."""
    tens, rest = np.divmod(grade, GRADES)
    return 3 * (tens - 2) + (rest >= _TWO) + (rest >= _FIVE)


def differences(digits: Ints, scale: Ints, reference: Ints, reference_scale: Ints) -> Ints:
    """(n,) digits beyond those of the reference brought to the same step; all of them where that is far."""
    tens = reference_scale // 3 - scale // 3
    near = np.abs(reference_scale - scale) <= FAR
    sound = near & (np.abs(reference) < 10**7)
    more = np.where(sound, reference, 0) * _UNITS[reference_scale % 3] * 10 ** np.clip(tens, 0, FAR // 3)
    base = more // (_UNITS[scale % 3] * 10 ** np.clip(-tens, 0, FAR // 3))
    # A whole number has digits enough for the product to leave what a browser counts exactly.
    return digits - np.where(np.abs(more) < LARGEST_WHOLE, base, 0)
