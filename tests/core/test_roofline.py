from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.roofline import Counted, Declared, Peak, Roof, Side, place
from tests.core.launches.builders import USUAL

MAMF, COPY = Peak("MAMF bfloat16", 800e12), Peak("copy", 4e12)


def counted(**fields: object) -> LaunchSummary:
    return LaunchSummary(**(USUAL | fields))  # type: ignore[arg-type]


NOTHING = {"flops": None, "dram_read_bytes": None, "dram_write_bytes": None, "dram_bytes_per_s": None}


def test_a_copy_stands_under_the_bandwidth() -> None:
    placed = place(counted(duration_s=200e-6), MAMF, COPY)
    assert (placed.against, placed.side) == (Roof.MEASURED, Side.MEMORY)
    assert placed.fraction == pytest.approx(513e6 / 200e-6 / 4e12)
    assert placed.intensity == 0
    assert (placed.flops_source, placed.bytes_source) == (Counted.COUNTERS, Counted.COUNTERS)


def test_a_product_of_matrices_stands_under_the_arithmetic() -> None:
    flops = 2.0 * 8192**3
    placed = place(counted(flops=flops, dram_read_bytes=4e8, dram_write_bytes=1e8, duration_s=2e-3), MAMF, COPY)
    assert placed.side is Side.COMPUTE
    assert placed.intensity == pytest.approx(flops / 5e8)
    assert placed.ridge == pytest.approx(200)
    assert placed.fraction == pytest.approx(flops / 2e-3 / 800e12)


@pytest.mark.parametrize(
    ("intensity", "side"), [(199.0, Side.MEMORY), (200.0, Side.COMPUTE), (201.0, Side.COMPUTE)]
)
def test_the_roof_bends_at_the_ridge(intensity: float, side: Side) -> None:
    assert place(counted(flops=intensity * 513e6), MAMF, COPY).side is side


def test_what_is_declared_goes_before_counters() -> None:
    placed = place(counted(flops=1.0), MAMF, COPY, Declared(flops=5e9, bytes=1e9, seconds=1e-3))
    assert placed.intensity == 5.0
    assert (placed.flops_source, placed.bytes_source) == (Counted.DECLARED, Counted.DECLARED)
    assert (placed.bytes_per_s, placed.seconds_source) == (1e12, "the recorded time")


def test_without_ceilings_the_profilers_shares_are_used_and_that_is_said() -> None:
    placed = place(counted())
    assert (placed.against, placed.side, placed.fraction) == (Roof.PROFILER, Side.MEMORY, 0.86)
    assert place(counted(sm_pct=95.0)).side is Side.COMPUTE
    assert placed.seconds_source == "the profiler's duration"


@pytest.mark.parametrize("ceilings", [(MAMF, None), (None, COPY)])
def test_one_ceiling_makes_no_roof(ceilings: tuple[Peak | None, Peak | None]) -> None:
    assert place(counted(), *ceilings).against is Roof.PROFILER


def test_a_details_page_has_bytes_as_a_rate() -> None:
    page = counted(dram_read_bytes=None, dram_write_bytes=None, dram_bytes_per_s=2e12, duration_s=1e-3, flops=4e9)
    placed = place(page, MAMF, COPY)
    assert (placed.intensity, placed.fraction) == (2.0, 0.5)


def test_bytes_alone_are_held_against_the_bandwidth() -> None:
    placed = place(counted(flops=None), MAMF, COPY)
    assert (placed.side, placed.intensity) == (Side.MEMORY, None)
    assert placed.missing == ("operations: declare them, or profile with floating-point counters",)


def test_without_any_counter_there_is_no_place_and_it_is_said_what_is_missing() -> None:
    placed = place(counted(**NOTHING, dram_pct=None, duration_s=None), MAMF, COPY)
    assert (placed.against, placed.side, placed.fraction) == (Roof.NONE, None, None)
    assert len(placed.missing) == 3


def test_without_traffic_there_is_no_intensity() -> None:
    placed = place(counted(flops=1e9, dram_read_bytes=0.0, dram_write_bytes=0.0), MAMF, COPY)
    assert placed.intensity is None
    assert placed.side is Side.COMPUTE
    assert "DRAM traffic: there was none" in placed.missing[0]


@given(st.floats(1, 1e15), st.floats(1, 1e12), st.floats(1e-7, 10))
def test_a_launch_that_is_slower_stands_lower(flops: float, moved: float, seconds: float) -> None:
    fast, slow = (place(counted(**NOTHING), MAMF, COPY, Declared(flops, moved, s)) for s in (seconds, 2 * seconds))
    assert fast.side is slow.side
    assert fast.fraction == pytest.approx(2 * slow.fraction)  # type: ignore[operator]
