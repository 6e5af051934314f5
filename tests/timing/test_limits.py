"""Results that a device could not have reached are refused, with both numbers."""

from __future__ import annotations

import pytest

from perftrack.errors import MeasurementError
from perftrack.timing.limits import Limits, check_limits, measured_limits

LIMITS = Limits(bytes_per_s=4e12, flops_per_s=8e14, l2_bytes=60_000_000)


@pytest.mark.parametrize(
    ("seconds", "flops", "bytes_moved", "cold"),
    [
        (1e-3, 7e11, None, True),
        (1e-3, 3.9e12, None, True),  # a four-bit product at its best
        (1e-3, None, 4e9, True),
        (1e-6, None, 60e6, True),  # all of it may still be in the cache
        (1e-6, None, 1e9, False),  # hot: it need not come from memory
        (1e-6, None, None, True),
    ],
)
def test_what_is_possible_passes(seconds, flops, bytes_moved, cold):
    check_limits(seconds, flops, bytes_moved, LIMITS, cold=cold)


def test_more_flops_than_the_device_has_are_refused_with_both_numbers():
    with pytest.raises(MeasurementError, match=r"1e\+04 Tflop/s .* reached 800 Tflop/s") as caught:
        check_limits(1e-6, 1e10, None, LIMITS, cold=True)
    assert "flops=" in caught.value.hint


def test_more_bytes_than_its_memory_moves_are_refused_with_both_numbers():
    with pytest.raises(MeasurementError, match=r"9.4e\+05 GB/s .* reached 4000 GB/s") as caught:
        check_limits(1e-6, None, 1e9, LIMITS, cold=True)
    assert "bytes=" in caught.value.hint


def test_without_limits_nothing_is_refused():
    check_limits(1e-9, 1e15, 1e15, None, cold=True)


@pytest.mark.parametrize("kind", ["cpu", "replay", "mps"])
def test_other_devices_have_none(kind):
    assert measured_limits(kind, 0) is None
