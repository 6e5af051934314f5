from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.publish.badges import badge, badge_files
from perftrack.publish.gather import read_history
from perftrack.publish.overview import grid_rows
from perftrack.publish.pages import GridRow
from tests.publish.synthetic import HOSTILE, SyntheticHistory

ROWS = grid_rows(read_history(SyntheticHistory(20)))
SVG = "{http://www.w3.org/2000/svg}"


def row(**changes: object) -> GridRow:
    base = next(r for r in ROWS if r.status == "ok" and r.name == "softmax")
    return replace(base, **{"verdict": "unchanged", **changes})  # type: ignore[arg-type]


def parsed(*rows: GridRow, name: str = "softmax") -> tuple[str, str]:
    """The words of a badge and the colour of its right side."""
    root = ElementTree.fromstring(badge(name, rows))
    rect = root.find(f"{SVG}rect")
    assert rect is not None
    return root.attrib["aria-label"], rect.attrib["fill"]


def test_there_is_a_badge_a_benchmark_at_an_address_of_its_own() -> None:
    paths = [path for path, _ in badge_files(ROWS)]
    assert len(paths) == len(set(paths)) == len({r.name for r in ROWS})
    assert all(path.startswith("badges/") and path.endswith(".svg") for path in paths)


def test_a_single_case_has_its_value_and_the_way_it_went() -> None:
    words, _ = parsed(row(value=1.5e-3, lo=1.49e-3, hi=1.51e-3, unit="s"))
    assert words == "softmax: 1.5000 ms ± 0.67 %"
    root = ElementTree.fromstring(badge("softmax", [row()]))
    assert len(root.findall(f".//{SVG}path")) == 2


@pytest.mark.parametrize("odd", ["\x00", "\x1f", "\ud800", "\ufffe", "\uffff", "<&\"'"])
def test_a_badge_is_xml_whatever_is_in_names_and_units(odd: str) -> None:
    words, _ = parsed(row(unit=f"u{odd}v"), name=f"a{odd}b")
    assert words.startswith("a")


def test_a_regression_has_its_change_and_another_colour() -> None:
    words, colour = parsed(row(verdict="regression", change=0.1))
    assert words.endswith(", +11 %")
    assert colour != parsed(row())[1]


def test_several_cases_say_how_many_are_the_worst() -> None:
    cases = (row(), row(verdict="regression"), row(verdict="regression"), row(verdict="improvement"))
    assert parsed(*cases)[0] == "softmax: 2 of 4 worse"
    assert parsed(row(), row())[0] == "softmax: 2 cases, no change"


def test_a_failure_is_not_a_value() -> None:
    assert parsed(row(status="failed", value=None, lo=None, hi=None))[0] == "softmax: failed"


def line(spark: str) -> list[tuple[int, int]]:
    """Where the points of a trend without gaps are, in pixels from its first."""
    path = ElementTree.fromstring(badge("softmax", [row(spark=spark)])).findall(f"{SVG}path")[1].attrib["d"]
    steps = [int(step) for step in re.findall(r"-?\d+", path)][2:]
    return list(zip(accumulate(steps[::2]), accumulate(steps[1::2]), strict=True))


def test_a_trend_goes_over_its_whole_width_and_height() -> None:
    assert line("0z0") == [(19, -12), (38, 0)]


def test_points_closer_than_pixels_are_fewer_and_keep_peaks_and_the_newest() -> None:
    points = line("5" * 12 + "z" + "5" * 25 + "05")
    assert len(points) == 19
    assert [y for _, y in points if y] == [-10]
    assert points[-1] == (38, 0)
    assert line("5" * 38 + "50")[-1] == (38, 2)


def test_a_gap_breaks_the_line() -> None:
    paths = ElementTree.fromstring(badge("softmax", [row(spark="5a--5a")])).findall(f"{SVG}path")
    assert paths[1].attrib["d"].count("m") == 2


def test_a_trend_of_one_point_is_not_drawn() -> None:
    assert len(ElementTree.fromstring(badge("softmax", [row(spark="-5-")])).findall(f"{SVG}path")) == 1


@pytest.mark.parametrize(("name", "squeezed"), [("GEMM_wmma", False), ("矩阵", True), ("σ", True)])
def test_text_takes_the_width_that_was_reckoned(name: str, squeezed: bool) -> None:
    label, message = ElementTree.fromstring(badge(name, [row(), row()])).findall(f"{SVG}text")
    assert int(label.attrib["x"]) + int(label.attrib["textLength"]) + 12 == int(message.attrib["x"])
    assert ("lengthAdjust" in label.attrib) is squeezed


def test_wide_letters_have_more_room() -> None:
    lengths = [
        int(ElementTree.fromstring(badge(name, [row()])).find(f"{SVG}text").attrib["textLength"])  # type: ignore[union-attr]
        for name in ("illi", "abcd", "MMMM", "矩阵矩阵")
    ]
    assert lengths == sorted(set(lengths))


def test_a_badge_of_one_case_is_small() -> None:
    name, spark = "suite_00.time_work_0000", "0z" * 20
    assert len(badge(name, [row(spark=spark, unit="s")])) < 620


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text(name: str) -> None:
    root = ElementTree.fromstring(badge(name, [row()]))
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {"svg", "title", "rect", "path", "g", "text"}
    assert root.attrib["aria-label"].startswith(name[:40])


@given(st.text(max_size=80), st.text("0123456789abcdefghijklmnopqrstuvwxyz-", max_size=40))
def test_any_name_and_trend_make_well_formed_svg(name: str, spark: str) -> None:
    ElementTree.fromstring(badge(name, [row(spark=spark)]))
