from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.launches.bands import BANDS, EXACT, Band, band, changed, log_ratio
from perftrack.core.launches.launch import Launch
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.read import read
from tests.ncu.needs import skip_module_without_reports

skip_module_without_reports()

DATA = Path(__file__).parents[2] / "data" / "h200" / "ncu"
PROFILES = (
    "small_basic.ncu-rep",
    "live_raw.csv",
    "small_full.raw.base.csv",
    "pair_better.ncu-rep",
    "pair_worse.ncu-rep",
)


@pytest.fixture(scope="module")
def equals() -> list[list[Launch]]:
    """Groups of equal launches: four kernels twice in each of three profiles, and one that a change left alone."""
    groups: dict[tuple[object, ...], list[Launch]] = defaultdict(list)
    for name in PROFILES:
        for launch in summarise_launches([read(DATA / name)]):
            same = launch.summary.code_hash if name.startswith("pair") else ""
            groups[launch.summary.kernel, same].append(launch)
    found = [group for group in groups.values() if len(group) > 1]
    assert [len(group) for group in found] == [6, 6, 6, 6, 2]
    return found


@pytest.mark.parametrize("field", BANDS)
def test_equal_launches_lie_within_the_bands(equals: list[list[Launch]], field: str) -> None:
    compared = 0
    for group in equals:
        values = [v for v in (getattr(launch.summary, field) for launch in group) if v is not None]
        for one, other in itertools.combinations(values, 2):
            assert band(field).holds(one, other), (group[0].summary.kernel, one, other)
            compared += 1
    assert compared


@pytest.mark.parametrize("field", ["registers", "shared_bytes", "instructions"])
def test_what_is_compared_exactly_is_equal_in_equal_launches(equals: list[list[Launch]], field: str) -> None:
    assert band(field) is EXACT
    for group in equals:
        assert len({getattr(launch.summary, field) for launch in group} - {None}) == 1


@pytest.mark.parametrize(
    ("field", "baseline", "candidate", "differs"),
    [
        ("registers", 64.0, 65.0, True),
        ("duration_s", 100e-6, 104e-6, False),
        ("duration_s", 100e-6, 106e-6, True),
        ("duration_s", 2.6e-6, 2.8e-6, False),
        ("l2_hit_pct", 50.0, 48.5, False),
        ("l2_hit_pct", 50.0, 47.0, True),
        ("dram_write_bytes", 0.0, 60000.0, False),
        ("dram_write_bytes", 0.0, 70000.0, True),
        ("local_bytes", 0.0, 32.0, True),
        ("registers", None, 64.0, False),
        ("registers", 64.0, None, False),
    ],
)
def test_a_change_is_what_exceeds_the_band(
    field: str, baseline: float | None, candidate: float | None, differs: bool
) -> None:
    assert changed(field, baseline, candidate) is differs


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(0, 0.5), st.floats(0, 100))
def test_a_band_holds_in_both_directions(one: float, other: float, relative: float, absolute: float) -> None:
    width = Band(relative, absolute)
    assert width.holds(one, other) is width.holds(other, one)
    assert width.holds(one, one)


@pytest.mark.parametrize(
    ("baseline", "candidate"), [(None, 1.0), (1.0, None), (0.0, 1.0), (1.0, 0.0), (-1.0, 1.0)]
)
def test_no_ratio_without_two_positive_sides(baseline: float | None, candidate: float | None) -> None:
    assert log_ratio(baseline, candidate) is None
