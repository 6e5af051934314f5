"""What share of its ceiling a result reaches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.ceiling import DataType, Definition
from perftrack.core.model import Cache, Interval
from perftrack.core.share import Ceilings, StoredCeiling, Work, nearest, shares
from tests.core.builders import measured


def ceiling(definition: Definition, value: float, dtype: DataType | None = None, **more: object) -> StoredCeiling:
    interval = more.pop("interval", None)
    return StoredCeiling("key", definition, dtype, value, interval, "run", "sha", 0.0, **more)  # type: ignore[arg-type]


MAMF = ceiling(Definition.MAMF, 8e14, DataType.BFLOAT16)
MSMF = ceiling(Definition.MSMF, 7e14, DataType.BFLOAT16)
FP8 = ceiling(Definition.MAMF, 1.5e15, DataType.FLOAT8_E4M3FN)
COPY, TRIAD = ceiling(Definition.COPY_DEVICE, 4e12), ceiling(Definition.TRIAD_DEVICE, 3.9e12)
L2 = ceiling(Definition.COPY_L2, 1e13)
ALL = (MAMF, MSMF, COPY, TRIAD, L2)


def test_flops_are_held_against_the_achievable_and_the_sustainable_rate_of_their_type() -> None:
    found = shares(1e-3, None, Work(4e11, None, tags=("bf16",)), (*ALL, FP8))
    assert [(s.ceiling.name, s.value) for s in found] == [
        ("MAMF bfloat16", pytest.approx(0.5)), ("MSMF bfloat16", pytest.approx(4 / 7)),
    ]  # fmt: skip


def test_the_share_of_the_bound_is_shown_and_not_that_of_a_sustained_mean() -> None:
    found = shares(1e-3, None, Work(4e11, None, tags=("bf16",)), ALL)
    assert nearest(found) is found[0]
    assert nearest(()) is None


def test_a_type_that_is_not_named_is_the_only_one_measured_or_none() -> None:
    work = Work(4e11, None)
    assert shares(1e-3, None, work, ALL)[0].ceiling is MAMF
    assert shares(1e-3, None, work, (*ALL, FP8)) == ()


def test_another_type_s_ceiling_is_never_used() -> None:
    assert shares(1e-3, None, Work(4e11, None, tags=("fp16",)), ALL) == ()


def test_bytes_are_held_against_the_faster_of_copy_and_triad() -> None:
    (found,) = shares(1e-3, None, Work(None, 2e9), ALL)
    assert found.ceiling is COPY
    assert found.value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("moved", "cache", "l2", "name"),
    [
        (1e7, Cache.HOT, 6e7, "copy L2"),
        (1e9, Cache.HOT, 6e7, "copy"),
        (1e7, Cache.COLD, 6e7, "copy"),
        (1e7, Cache.HOT, None, "copy"),
    ],
)
def test_the_cache_is_the_limit_only_of_what_stays_in_it(
    moved: float, cache: Cache, l2: float | None, name: str
) -> None:
    (found,) = shares(1e-3, None, Work(None, moved, cache=cache), ALL, l2)
    assert found.ceiling.name == name


def test_of_two_limits_the_nearer_one_is_shown() -> None:
    by_memory = shares(1e-3, None, Work(1e11, 3.6e9, tags=("bf16",)), ALL)
    assert nearest(by_memory).ceiling is COPY  # type: ignore[union-attr]
    by_flops = shares(1e-3, None, Work(7e11, 1e9, tags=("bf16",)), ALL)
    assert nearest(by_flops).ceiling is MAMF  # type: ignore[union-attr]


def test_the_interval_takes_both_sides_doubts() -> None:
    doubtful = ceiling(Definition.MAMF, 8e14, DataType.BFLOAT16, interval=Interval(7.9e14, 8.2e14))
    (found,) = shares(1e-3, Interval(0.9e-3, 1.1e-3), Work(4e11, None), (doubtful,))
    assert found.interval is not None
    assert found.interval.lo == pytest.approx(4e11 / 1.1e-3 / 8.2e14)
    assert found.interval.hi == pytest.approx(4e11 / 0.9e-3 / 7.9e14)


@pytest.mark.parametrize("seconds", [None, 0.0, -1.0])
def test_what_is_no_time_has_no_share(seconds: float | None) -> None:
    assert shares(seconds, None, Work(1e9, 1e9), ALL) == ()


def test_nothing_declared_is_no_share_of_anything() -> None:
    assert shares(1e-3, None, Work(None, None), ALL) == ()
    assert shares(1e-3, None, Work(0.0, 0.0), ALL) == ()


@given(st.floats(1e-9, 1e3), st.floats(1, 1e18), st.floats(0.001, 0.5))
def test_an_interval_holds_its_share(seconds: float, flops: float, width: float) -> None:
    interval = Interval(seconds * (1 - width), seconds * (1 + width))
    (found,) = shares(seconds, interval, Work(flops, None), (MAMF,))
    assert found.interval is not None
    assert found.interval.lo <= found.value <= found.interval.hi


def test_only_a_time_of_the_environment_has_shares() -> None:
    from dataclasses import replace

    m = measured(1e-3, value=1e-3, flops=4e11)
    assert m.fingerprint is not None
    held = Ceilings({m.fingerprint.key_id: (MAMF,)})
    assert [s.ceiling for s in held.shares(m)] == [MAMF]
    assert held.shares(replace(m, metric="speedup")) == ()
    assert held.shares(replace(m, fingerprint=None)) == ()
    assert Ceilings({"another": (MAMF,)}).shares(m) == ()
