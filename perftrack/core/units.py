"""Values for people: SI prefixes, as many digits as the interval supports, units always.

site/static/app/format.js says the same in the browser; both round halves away from zero, so that they agree.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

from perftrack.core.model import Interval

_SCALES = (1e18, 1e15, 1e12, 1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15)
_PREFIXES = tuple(zip(_SCALES, ("E", "P", "T", "G", "M", "k", "", "m", "µ", "n", "p", "f"), strict=True))
# Units whose magnitude people read with a prefix. Counts, ratios and percentages are left as they are.
_PREFIXED = frozenset({"s", "B", "byte", "B/s", "byte/s", "flop/s", "FLOP/s", "Hz", "W", "J"})
_NONE = "1"  # the unit of what has none: not shown
# Beyond these a row of zeros is harder to read than a power of ten.
_LARGE, _SMALL = 1e9, 1e-4
_LARGEST_PERCENT, _LEAST_CHANGE = 999_999.0, -99.999
_EXACT_DIGITS, _LARGEST_WHOLE = 15, 1e15  # what a float keeps of any decimal number


def format_value(value: float | None, unit: str, interval: Interval | None = None) -> str:
    """`1.234 ms`. Digits follow the interval: the last one shown is about a tenth of its half-width.

    A whole number that is exact, as counts and sizes are, keeps all of its digits.
    """
    if value is None or not math.isfinite(value):
        return "–"
    exact = interval is not None and interval.lo == interval.hi
    whole = exact and float(value).is_integer()
    digits = _EXACT_DIGITS if whole else _digits(value, interval)
    value = _rounded(value, digits)  # first, so that 999.96 ms becomes 1.000 s
    scale, prefix = _scale(value, unit)
    scaled = value / scale
    if scaled and not _SMALL <= abs(scaled) < (_LARGEST_WHOLE if whole else _LARGE):
        prefix, text = "", _power(value, digits, strip=exact)
    else:
        text = _fixed(scaled, _decimals(scaled, digits))
        if exact and "." in text:
            text = text.rstrip("0").rstrip(".")  # exact: zeros would claim nothing
    suffix = "" if unit == _NONE else f"{prefix}{unit}"
    return f"{text} {suffix}" if suffix else text


def format_interval(value: float | None, unit: str, interval: Interval | None) -> str:
    """`1.234 ms ± 0.5 %`: value with the relative half-width of its interval."""
    shown = format_value(value, unit, interval)
    if value is None or interval is None:
        return shown
    half = 0.5 * (interval.hi - interval.lo)
    if value == 0.0:
        return f"{shown} ± {format_value(half, unit)}"
    return f"{shown} ± {format_percent(100 * half / abs(value))}"


def format_percent(percent: float) -> str:
    """Two significant digits, never in exponent form; near 100 % as many as keep it from reading 100 %."""
    if not math.isfinite(percent):
        return "∞ %"
    size, sign = abs(percent), "-" if percent < 0 else ""
    if size > _LARGEST_PERCENT:
        return f"{sign}>{_LARGEST_PERCENT:.0f} %"
    if size == 0.0:
        return "0 %"
    if size < 0.005:
        return f"{sign}<0.01 %"
    if 99.0 < size < 100.0:
        return f"{sign}>99.99 %" if size >= 99.995 else f"{_fixed(percent, 2)} %"
    return f"{_fixed(percent, 0 if size >= 10 else 1 if size >= 1 else 2)} %"


def format_change(effect: float | None) -> str:
    """`+12 %` from a log ratio. Never -100 %: nothing takes no time at all."""
    if effect is None:
        return "–"
    percent = max(100 * math.expm1(min(effect, 700.0)), _LEAST_CHANGE)
    text = format_percent(percent)
    return text if text.startswith("-") else f"+{text}"


def format_change_range(lo: float, hi: float) -> str:
    """`+11 % … +13 %` from the log ratios at both ends; to a tenth where they would read alike."""
    plain = (format_change(lo), format_change(hi))
    ends = [100 * math.expm1(min(end, 700.0)) for end in (lo, hi)]
    coarse = all(10 <= abs(end) <= (99 if end < 0 else 1000) for end in ends)
    if plain[0] == plain[1] and lo != hi and coarse:
        plain = (f"{ends[0]:+.1f} %", f"{ends[1]:+.1f} %")
    return " … ".join(plain)


def format_effect(effect: float) -> str:
    """Size of a log ratio, without its sign: `12 %`."""
    return format_percent(100 * abs(math.expm1(min(effect, 700.0))))


def format_duration(seconds: float) -> str:
    """Wall time for people: `3 min 20 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def _scale(value: float, unit: str) -> tuple[float, str]:
    if unit not in _PREFIXED or value == 0.0:
        return 1.0, ""
    for scale, prefix in _PREFIXES:
        if abs(value) >= scale:
            return scale, prefix
    return _PREFIXES[-1]


def _digits(value: float, interval: Interval | None) -> int:
    if interval is None or value == 0.0:
        return 4
    half = 0.5 * (interval.hi - interval.lo) / abs(value)
    if half <= 0.0:
        return 6
    return min(6, max(2, 2 - math.floor(math.log10(min(half, 1.0)))))  # next to a tiny value it may be infinite


def _decimals(scaled: float, digits: int) -> int:
    if scaled == 0.0:
        return 0
    return max(0, digits - 1 - math.floor(math.log10(abs(scaled))))


def _rounded(value: float, digits: int) -> float:
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(value))


def _fixed(value: float, decimals: int) -> str:
    whole = Context(prec=60, rounding=ROUND_HALF_UP)
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=whole):f}"


def _power(value: float, digits: int, *, strip: bool) -> str:
    """`1.235e9`: of a value that is rounded to `digits` already."""
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    if strip and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent)}"
