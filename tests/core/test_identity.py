from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.core.identity import ID_LENGTH, content_id, round_samples, run_id
from perftrack.core.model import (
    Cache,
    Case,
    Direction,
    Evidence,
    Interval,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Reason,
    Run,
    Status,
    Timer,
    Window,
)
from tests.core.builders import process

PINNED = "6e15865a4ab21eecd40f"

WINDOW = Window((1.5e-3, 1.25e-3), Evidence((1500.0,), 4, 0.5, 300.0, 12.5, 61.0), 2e-6)
PROCESS = ProcessSamples(1, (WINDOW,), 10, 200, 0.5, 1e-9, (Reason("warmup-capped", "stopped"),))
MEASUREMENT = Measurement(
    case=Case("naïve", (("n", 1024), ("dtype", "bf16"), ("ratio", 0.5), ("bias", True), ("init", None))),
    metric="time",
    unit="s",
    direction=Direction.LOWER,
    status=Status.OK,
    protocol=Protocol(Timer.EVENT, Cache.COLD),
    tier=MeasurementTier.B,
    fingerprint=EnvironmentFingerprint(device_kind="cuda", ecc=UNKNOWN, sm_count=0),
    value=1.375e-3,
    interval=Interval(1.25e-3, 1.5e-3),
    reasons=(Reason("clocks-floating", "clocks were not locked"),),
    limitations=(Reason("one-process", "one process"),),
    processes=(PROCESS,),
    threshold=0.02,
    flops=2e9,
    bytes_moved=1e6,
    tags=("gemm",),
    source="benchmarks/bench_x.py:12",
    code_hash="abc",
    output="",
)
RUN = Run(
    sha="0" * 40,
    started_at=1_700_000_000.25,
    duration_s=12.5,
    seed=7,
    dirty=False,
    measurements=(MEASUREMENT,),
    limitations=(Reason("quick", "fewer"),),
    perftrack_version="0.1.0",
    host="a",
    label="nightly",
    settings={"windows": 3, "lock": None},
)


def alternatives(value: Any) -> list[Any]:
    """`value` with one thing changed, once for every thing in it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, EnvironmentFingerprint):
        return [
            replace(value, **{f.name: other})  # type: ignore[type-var]
            for f in fields(value)
            for other in alternatives(getattr(value, f.name))
        ]
    if isinstance(value, EnvironmentFingerprint):
        return [replace(value, ecc=None), replace(value, sm_count=None), replace(value, host="b")]
    if isinstance(value, tuple):
        inner = [(*value[:i], o, *value[i + 1 :]) for i, v in enumerate(value) for o in alternatives(v)]
        return [*inner, (*value, value[-1]), value[:-1]] if value else [("more",)]
    if isinstance(value, dict):
        return [{}, value | {"more": 1}, value | {"windows": 4}]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, Direction | Status | Timer | Cache | MeasurementTier):
        return [o for o in type(value) if o is not value]
    if isinstance(value, str):
        return [value + "x"]
    if isinstance(value, int | float):
        return [value + 1]
    return [0 if value is None else None]


def test_id_of_a_fixed_run_is_that_of_every_version_and_machine() -> None:
    assert run_id(RUN) == RUN.id == PINNED


def test_id_does_not_depend_on_the_process() -> None:
    code = "from tests.core.test_identity import RUN; print(RUN.id)"
    for seed in ("0", "1"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert out.stdout.strip() == PINNED


def test_id_changes_with_everything_in_a_run() -> None:
    others = alternatives(RUN)
    assert len(others) > 100
    assert len({run_id(o) for o in [RUN, *others]}) == len(others) + 1


def test_settings_are_the_same_in_any_order() -> None:
    turned = replace(RUN, settings=dict(reversed(RUN.settings.items())))
    assert list(turned.settings) != list(RUN.settings)
    assert run_id(turned) == PINNED


def test_unknown_absent_and_zero_are_three_environments() -> None:
    ids = {content_id(EnvironmentFingerprint(device_kind="cpu", ecc=v)) for v in (UNKNOWN, None, 0)}
    assert len(ids) == 3


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=5))
def test_mappings_have_no_order(mapping: dict[str, int]) -> None:
    assert content_id(dict(reversed(mapping.items()))) == content_id(mapping)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_is_hex_of_a_fixed_length_and_lists_are_tuples(values: list[float]) -> None:
    found = content_id(values)
    assert len(found) == ID_LENGTH
    int(found, 16)
    assert found == content_id(tuple(values))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_refuses_what_is_not_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        run_id(replace(RUN, measurements=(replace(MEASUREMENT, value=bad),)))


class TestRounding:
    def test_is_to_a_nanosecond(self) -> None:
        (rounded,) = round_samples((process([1.23456789049e-3, 2e-10]),), "s")
        assert rounded.windows[0].samples == (1.234568e-3, 0.0)

    def test_of_amortised_samples_is_to_a_nanosecond_of_the_whole_block(self) -> None:
        (rounded,) = round_samples((process([30.123456e-9], inner_reps=1000),), "s")
        assert rounded.windows[0].samples == (30.123e-9,)
        (rounded,) = round_samples((process([30.123456e-9], inner_reps=1001),), "s")
        assert rounded.windows[0].samples == (30.1235e-9,)

    def test_leaves_other_units_and_everything_else_alone(self) -> None:
        assert round_samples((PROCESS,), "B") == (PROCESS,)
        (rounded,) = round_samples((PROCESS,), "s")
        assert rounded == PROCESS

    @given(
        st.lists(st.floats(0, 100), min_size=1, max_size=5),
        st.integers(1, 10**6),
    )
    def test_twice_is_once_and_moves_by_half_a_step_at_most(self, samples: list[float], reps: int) -> None:
        once = round_samples((process(samples, inner_reps=reps),), "s")
        assert round_samples(once, "s") == once
        moved = [abs(a - b) for a, b in zip(once[0].windows[0].samples, samples, strict=True)]
        assert max(moved) <= 0.5e-9 / reps + 1e-14
