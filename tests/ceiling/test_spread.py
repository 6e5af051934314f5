from __future__ import annotations

import pytest

from perftrack.ceiling.spread import node_spread
from perftrack.core.ceiling import CeilingReport, CeilingResult, Definition, Ending, Shape

SHAPE = Shape(1536, 2816, 6144)


def report(*values: tuple[Definition, float], shape: Shape = SHAPE, partial: bool = False) -> CeilingReport:
    results = tuple(CeilingResult(d, "v1", v, None, shape, partial=partial) for d, v in values)
    return CeilingReport(results, Ending.COMPLETE)


def test_the_slowest_and_the_spread_of_a_node() -> None:
    reports = {f"cuda:{i}": report((Definition.MSMF, v)) for i, v in enumerate((750e12, 765e12, 745e12))}
    (row,) = node_spread(reports)
    assert row.slowest == ("cuda:2", 745e12)
    assert row.fastest == ("cuda:1", 765e12)
    assert row.median == 750e12
    assert row.spread == pytest.approx(20 / 750)
    assert row.deficit == pytest.approx(5 / 750)
    assert not row.shapes_differ
    assert not row.partial


def test_rows_come_in_the_order_of_definitions_and_name_devices_without_a_number() -> None:
    reports = {
        "cuda:0": report((Definition.MSMF, 1.0), (Definition.MAMF, 2.0)),
        "cuda:1": report((Definition.MSMF, 3.0)),
    }
    mamf, msmf = node_spread(reports)
    assert (mamf.definition, msmf.definition) == (Definition.MAMF, Definition.MSMF)
    assert mamf.missing == ("cuda:1",)
    assert msmf.missing == ()


def test_one_device_has_no_spread() -> None:
    (row,) = node_spread({"cuda:0": report((Definition.MAMF, 2.0))})
    assert (row.spread, row.deficit) == (0.0, 0.0)


def test_other_shapes_and_early_ends_show() -> None:
    reports = {
        "cuda:0": report((Definition.MAMF, 2.0)),
        "cuda:1": report((Definition.MAMF, 2.1), shape=Shape(8, 8, 8), partial=True),
    }
    (row,) = node_spread(reports)
    assert row.shapes_differ
    assert row.partial


def test_no_device_has_no_rows() -> None:
    assert node_spread({}) == ()
