"""Values for people: SI prefixes, as many digits as the interval supports, units always."""

from __future__ import annotations

import math

from perftrack.core.model import Interval

_SCALES = (1e12, 1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9)
_PREFIXES = tuple(zip(_SCALES, ("T", "G", "M", "k", "", "m", "µ", "n"), strict=True))
# Units whose magnitude people read with a prefix. Counts, ratios and percentages are left as they are.
_PREFIXED = frozenset({"s", "B", "byte", "B/s", "byte/s", "flop/s", "FLOP/s", "Hz", "W", "J"})


def format_value(value: float | None, unit: str, interval: Interval | None = None) -> str:
    """`1.234 ms`. Digits follow the interval: the last one shown is about a tenth of its half-width."""
    if value is None or not math.isfinite(value):
        return "–"
    digits = _digits(value, interval)
    value = float(f"{value:.{digits - 1}e}")  # first, so that 999.96 ms becomes 1.000 s
    scale, prefix = _scale(value, unit)
    text = f"{value / scale:.{_decimals(value / scale, digits)}f}"
    if interval is not None and interval.lo == interval.hi and "." in text:
        text = text.rstrip("0").rstrip(".")  # exact: zeros would claim nothing
    suffix = f"{prefix}{unit}"
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
    """Two significant digits, never in exponent form."""
    if not math.isfinite(percent):
        return "∞ %"
    size = abs(percent)
    if size >= 10:
        return f"{percent:.0f} %"
    if size >= 1:
        return f"{percent:.1f} %"
    if size < 0.005:
        return "0 %" if size == 0 else f"{'-' if percent < 0 else ''}<0.01 %"
    return f"{percent:.2f} %"


def format_change(effect: float | None) -> str:
    """`+12 %` from a log ratio."""
    if effect is None:
        return "–"
    percent = 100 * math.expm1(min(effect, 700.0))
    text = format_percent(percent)
    return text if text.startswith("-") else f"+{text}"


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
    return min(6, max(2, 2 - math.floor(math.log10(half))))


def _decimals(scaled: float, digits: int) -> int:
    if scaled == 0.0:
        return 0
    return max(0, digits - 1 - math.floor(math.log10(abs(scaled))))
