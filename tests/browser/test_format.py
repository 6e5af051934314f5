"""The browser formats numbers exactly as perftrack.core.units does."""

import random
from pathlib import Path

from perftrack.core.model import Interval
from perftrack.core.units import format_change, format_change_range, format_interval, format_percent, format_value
from tests.browser.conftest import Visit

NEAR_ALL = (98.9, 99.0, 99.01, 99.98, 99.994, 99.995, 99.9999, 100.0)
UNITS = ("s", "B", "byte/s", "flop/s", "W", "count", "%", "", "1")


def test_numbers_read_alike_in_python_and_in_the_browser(visit: Visit, site: Path) -> None:
    draw = random.Random(20260101)
    cases = [
        (0.0, "s", None, None),
        (1.0, "s", 1.0, 1.0),
        (0.0, "s", -1e-6, 1e-6),
        (-3.2e-5, "s", -3.3e-5, -3.1e-5),
        (12_345_678_901.0, "count", 12_345_678_901.0, 12_345_678_901.0),
        (1e20, "count", 1e20, 1e20),
        (2445.0, "B", 2445.0, 2445.0),
        (1234.5, "", None, None),
        (5e-324, "s", None, None),
        (1.5e300, "B", None, None),
        *((float(draw.randrange(10**18)), draw.choice(UNITS), 7.0, 7.0) for _ in range(50)),
    ]
    for _ in range(800):
        value = draw.choice((1, -1)) * 10 ** draw.uniform(-30, 30)
        half = abs(value) * 10 ** draw.uniform(-6, 1)
        bounded = draw.random() < 0.8
        cases.append(
            (value, draw.choice(UNITS), value - half if bounded else None, value + half if bounded else None)
        )
    effects = [draw.uniform(-4, 4) * 10 ** draw.uniform(-5, 2) for _ in range(300)] + [0.0, -8.5, -700.0, 700.0]
    percents = [draw.uniform(-1, 1) * 10 ** draw.uniform(-4, 9) for _ in range(300)]
    percents += [0.0, 0.125, 1.25, 12.5, -12.5, *(sign * p for sign in (1, -1) for p in NEAR_ALL)]
    page = visit(f"{site.as_uri()}/index.html")
    script = """([cases, effects, percents]) => ({
        values: cases.map(([v, u, lo, hi]) => perftrack.format.value(v, u, lo, hi)),
        intervals: cases.map(([v, u, lo, hi]) => perftrack.format.interval(v, u, lo, hi)),
        changes: effects.map((e) => perftrack.format.change(e)),
        ranges: effects.map((e, i) => perftrack.format.range(e, e + effects[effects.length - 1 - i] / 1e4)),
        percents: percents.map((p) => perftrack.format.percent(p)),
    })"""
    shown = page.evaluate(script, [cases, effects, percents])
    bounds = [None if lo is None or hi is None else Interval(lo, hi) for _, _, lo, hi in cases]
    assert shown["values"] == [format_value(v, u, b) for (v, u, _, _), b in zip(cases, bounds, strict=True)]
    assert shown["intervals"] == [format_interval(v, u, b) for (v, u, _, _), b in zip(cases, bounds, strict=True)]
    assert shown["changes"] == [format_change(e) for e in effects]
    ends = [(e, e + other / 1e4) for e, other in zip(effects, reversed(effects), strict=True)]
    assert shown["ranges"] == [format_change_range(lo, hi) for lo, hi in ends]
    assert shown["percents"] == [format_percent(p) for p in percents]
