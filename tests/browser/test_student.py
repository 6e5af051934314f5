"""The browser's Student-t and Benjamini-Hochberg are scipy's and core.discoveries'."""

import random
from pathlib import Path

import pytest
from scipy.special import stdtr, stdtrit

from perftrack.core.discoveries import benjamini_hochberg
from tests.browser.conftest import Visit

DFS = (1.0, 1.3, 2.0, 2.96, 3.7, 5.0, 9.99, 17.3, 40.0, 123.4, 1e3, 2e4, 1e6)
TS = (0.0, 1e-9, 0.01, 0.3, 0.9999, 1.0, 1.7, 2.5, 4.0, 8.0, 20.0, 75.0, 1e3, 1e8)
PS = (0.500001, 0.6, 0.8, 0.9, 0.95, 0.975, 0.99, 0.9995, 0.999999)


def test_tails_and_quantiles_are_scipy_s(visit: Visit, site: Path) -> None:
    page = visit(f"{site.as_uri()}/compare.html")
    script = """([dfs, ts, ps]) => [dfs.map((df) => ts.map((t) => perftrack.student.twoSided(df, t))),
        dfs.map((df) => ps.map((p) => perftrack.student.quantile(df, p)))]"""
    tails, quantiles = page.evaluate(script, [DFS, TS, PS])
    for df, row in zip(DFS, tails, strict=True):
        for t, shown in zip(TS, row, strict=True):
            expected = 2 * float(stdtr(df, -t))
            # Far below any threshold only the order matters.
            assert shown == pytest.approx(expected, rel=1e-8, abs=1e-250), (df, t)
    for df, row in zip(DFS, quantiles, strict=True):
        for p, shown in zip(PS, row, strict=True):
            assert shown == pytest.approx(float(stdtrit(df, p)), rel=1e-7, abs=1e-9), (df, p)


def test_false_discoveries_are_cut_at_the_same_p_value(visit: Visit, site: Path) -> None:
    draw = random.Random(5)
    lists = [[], [0.05], [0.051], [0.0, 0.0, 1.0]]
    lists += [[draw.random() ** draw.choice((1, 4)) for _ in range(draw.randrange(1, 60))] for _ in range(60)]
    page = visit(f"{site.as_uri()}/compare.html")
    shown = page.evaluate("(lists) => lists.map((values) => perftrack.student.rejected(values, 0.05))", lists)
    assert shown == [benjamini_hochberg(values, 0.05) for values in lists]
