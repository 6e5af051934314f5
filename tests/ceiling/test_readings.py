from __future__ import annotations

import math
from dataclasses import replace

import pytest

from perftrack.ceiling.readings import any_reason, highest_clock, iterations, middle, read, spread
from perftrack.errors import MeasurementError
from tests.ceiling.made import SQUARE, burst


def test_a_bursts_rate_is_over_its_summed_time_and_its_peak_the_fastest_iteration() -> None:
    reading = read(burst([1e14, 3e14], clock=[1500.0, 1700.0], power=650.0, heat=60.0, reasons=4))
    assert reading.rate == pytest.approx(1.5e14)
    assert reading.peak == pytest.approx(3e14)
    assert (reading.clock_mhz, reading.power_w, reading.temperature_c, reading.event_reasons) == (
        1600.0,
        650.0,
        60.0,
        4,
    )


def test_without_telemetry_there_is_no_clock_and_no_power() -> None:
    reading = read(burst([1e14], clock=None, power=None))
    assert reading.clock_mhz is None
    assert reading.power_w is None


def test_gaps_in_the_readings_are_left_out() -> None:
    assert read(burst([1e14] * 3, clock=[None, 1500.0, math.nan])).clock_mhz == 1500.0


@pytest.mark.parametrize("seconds", [(), (0.0,), (1e-3, -1e-3), (math.nan,), (math.inf,)])
def test_seconds_that_no_product_takes_are_refused(seconds: tuple[float, ...]) -> None:
    with pytest.raises(MeasurementError, match=str(SQUARE)):
        read(replace(burst([1e14]), seconds=seconds, clock_mhz=(), power_w=()))


def test_iterations_pair_each_rate_with_its_own_clock() -> None:
    rows = iterations(burst([1e14, 2e14], clock=[1500.0, None], power=None))
    assert [round(r.rate / 1e14, 9) for r in rows] == [1.0, 2.0]
    assert [(r.clock_mhz, r.power_w) for r in rows] == [(1500.0, None), (None, None)]


def test_the_highest_clock_is_of_all_bursts_or_not_known() -> None:
    assert highest_clock([burst([1e14], clock=1500.0), burst([1e14], clock=1980.0)]) == 1980.0
    assert highest_clock([burst([1e14], clock=None)]) is None
    assert highest_clock([]) is None


def test_the_middle_leaves_out_what_was_not_read() -> None:
    assert middle([None, 3.0, 1.0]) == 2.0
    assert middle([None]) is None


def test_spread_is_the_range_over_the_median() -> None:
    assert spread([1.0, 1.1, 0.9]) == pytest.approx(0.2)
    assert spread([5.0]) == 0.0


def test_reasons_are_joined_and_none_read_is_not_zero() -> None:
    assert any_reason([None, 4, 1]) == 5
    assert any_reason([0]) == 0
    assert any_reason([None]) is None
