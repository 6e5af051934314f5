"""The browser formats numbers exactly as perftrack.core.units does."""

import random
from pathlib import Path

from perftrack.core.model import Interval
from perftrack.core.units import format_change, format_interval, format_percent, format_value
from tests.browser.conftest import Visit

UNITS = ("s", "B", "byte/s", "flop/s", "W", "count", "%", "")


def test_numbers_read_alike_in_python_and_in_the_browser(visit: Visit, site: Path) -> None:
    draw = random.Random(20260101)
    cases = [
        (0.0, "s", None, None),
        (1.0, "s", 1.0, 1.0),
        (0.0, "s", -1e-6, 1e-6),
        (-3.2e-5, "s", -3.3e-5, -3.1e-5),
    ]
    for _ in range(800):
        value = draw.choice((1, -1)) * 10 ** draw.uniform(-11, 15)
        half = abs(value) * 10 ** draw.uniform(-6, 1)
        bounded = draw.random() < 0.8
        cases.append(
            (value, draw.choice(UNITS), value - half if bounded else None, value + half if bounded else None)
        )
    effects = [draw.uniform(-4, 4) * 10 ** draw.uniform(-5, 0) for _ in range(200)] + [0.0]
    percents = [draw.uniform(-1, 1) * 10 ** draw.uniform(-4, 5) for _ in range(200)] + [0.0]
    page = visit(f"{site.as_uri()}/index.html")
    script = """([cases, effects, percents]) => ({
        values: cases.map(([v, u, lo, hi]) => perftrack.format.value(v, u, lo, hi)),
        intervals: cases.map(([v, u, lo, hi]) => perftrack.format.interval(v, u, lo, hi)),
        changes: effects.map((e) => perftrack.format.change(e)),
        percents: percents.map((p) => perftrack.format.percent(p)),
    })"""
    shown = page.evaluate(script, [cases, effects, percents])
    bounds = [None if lo is None or hi is None else Interval(lo, hi) for _, _, lo, hi in cases]
    assert shown["values"] == [format_value(v, u, b) for (v, u, _, _), b in zip(cases, bounds, strict=True)]
    assert shown["intervals"] == [format_interval(v, u, b) for (v, u, _, _), b in zip(cases, bounds, strict=True)]
    assert shown["changes"] == [format_change(e) for e in effects]
    assert shown["percents"] == [format_percent(p) for p in percents]
