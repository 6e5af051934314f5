"""A foreign value as a finite float: what benchmarks return and declare. Standard library only."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real

from perftrack.core.text import quoted
from perftrack.errors import InvalidValueError

LIMIT = 1e300  # beyond it the squares and products of an estimate leave the range of a float


def finite(value: object) -> float:
    """`value` as a float: int, float, Decimal, Fraction, NumPy's real scalars, and what else is a numbers.Real.

    Raises InvalidValueError, naming value and type, for anything else: bool, complex, None, text, arrays, and
    what is not finite.
    """
    if not isinstance(value, bool) and isinstance(value, Real | Decimal):
        try:
            number = float(value)
        except (OverflowError, ValueError):  # an integer beyond a float; a signalling NaN
            number = float("nan")
        if -LIMIT < number < LIMIT:
            return number
    raise InvalidValueError(f"{quoted(value)} ({type(value).__name__}) is not a finite number")
