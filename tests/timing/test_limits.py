"""Results that a device could not have reached are refused, with both numbers."""

from __future__ import annotations

import pytest

from perftrack.core.limit import KnownLimit
from perftrack.errors import MeasurementError
from perftrack.timing.limits import (
    BANDWIDTH_MARGIN,
    CEILING_MARGIN,
    FLOPS_MARGIN,
    Bound,
    Limits,
    check_limits,
    limits_of,
)

LIMITS = Limits(
    Bound(8e14, FLOPS_MARGIN, "bf16 products"), Bound(4e12, BANDWIDTH_MARGIN, "a copy"), l2_bytes=60_000_000
)
STORED = (
    KnownLimit("here", "bfloat16", 8.5e14, "MAMF bfloat16"),
    KnownLimit("here", "bfloat16", 7.5e14, "MSMF bfloat16"),
    KnownLimit("here", "float16", 7e14, "MAMF float16"),
    KnownLimit("there", "bfloat16", 1e14, "MAMF bfloat16"),
    KnownLimit("here", "", 4e12, "copy"),
)


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
    check_limits(1e-9, 1e15, 1e15, Limits(None, None, 0), cold=True)


@pytest.mark.parametrize("kind", ["cpu", "replay", "mps"])
def test_other_devices_are_not_measured_in_passing(kind):
    assert limits_of(kind, 0, (), "here", dtype="bfloat16") is None


def test_the_highest_stored_ceiling_of_environment_and_type_is_the_limit():
    limits = limits_of("replay", 0, STORED, "here", dtype="bfloat16")
    assert limits is not None
    assert limits.flops == Bound(8.5e14, CEILING_MARGIN, "the MAMF bfloat16 of this environment")


@pytest.mark.parametrize(("key", "dtype"), [("elsewhere", "bfloat16"), ("here", None), ("here", "float32")])
def test_another_environment_or_type_sets_no_limit(key, dtype):
    limits = limits_of("replay", 0, STORED, key, dtype=dtype)
    assert limits is None or limits.flops is None


def test_a_little_above_a_ceiling_is_a_better_kernel_and_far_above_is_refused():
    limits = limits_of("replay", 0, STORED, "here", dtype="bfloat16")
    check_limits(1e-3, 8.5e11 * (CEILING_MARGIN - 0.01), None, limits, cold=True)
    with pytest.raises(MeasurementError, match=r"943.5 Tflop/s .* MAMF bfloat16 .* reached 850 Tflop/s"):
        check_limits(1e-3, 9.435e11, None, limits, cold=True)


def test_only_what_is_declared_is_looked_up():
    limits = limits_of("replay", 0, STORED, "here", dtype="bfloat16", needs_flops=False)
    assert limits is None or limits.flops is None
