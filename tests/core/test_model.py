from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import (
    Cache,
    Case,
    Evidence,
    Interval,
    MeasurementTier,
    Protocol,
    Timer,
    Window,
    format_scalar,
)
from tests.core.builders import measured, process


class TestCase:
    def test_without_parameters_is_its_benchmark(self) -> None:
        assert Case("matmul").id == "matmul"

    def test_names_its_parameters_sorted(self) -> None:
        assert Case("matmul", (("n", 1024), ("dtype", "bf16"))).id == "matmul[dtype=bf16,n=1024]"

    @given(st.dictionaries(st.text(min_size=1, max_size=4), st.integers() | st.text(max_size=3), max_size=4))
    def test_has_one_id_for_any_order_of_parameters(self, params: dict[str, int | str]) -> None:
        there, back = tuple(params.items()), tuple(reversed(params.items()))
        assert Case("b", there).id == Case("b", back).id

    @pytest.mark.parametrize(
        ("value", "text"), [(0.1, "0.1"), (1e-9, "1e-09"), (2, "2"), (True, "True"), (None, "None"), ("x", "x")]
    )
    def test_formats_a_parameter(self, value: object, text: str) -> None:
        assert format_scalar(value) == text  # type: ignore[arg-type]

    @given(st.floats(allow_nan=False))
    def test_formats_floats_so_that_they_read_back(self, value: float) -> None:
        assert float(format_scalar(value)) == value


def test_tiers_are_ranked_from_best_to_worst() -> None:
    assert [t.rank for t in MeasurementTier] == [0, 1, 2]
    assert max(MeasurementTier, key=lambda t: t.rank) is MeasurementTier.C


def test_interval_contains_its_ends() -> None:
    interval = Interval(1.0, 2.0)
    assert [interval.contains(v) for v in (0.9, 1.0, 1.5, 2.0, 2.1)] == [False, True, True, True, False]


def test_protocol_key_tells_version_timer_and_cache() -> None:
    assert Protocol(Timer.EVENT, Cache.COLD).key == "v1/event/cold"
    keys = {Protocol(t, c, v).key for t in Timer for c in Cache for v in (1, 2)}
    assert len(keys) == len(Timer) * len(Cache) * 2


def test_nothing_read_is_no_evidence_rather_than_zero() -> None:
    assert all(getattr(Evidence(), f.name) in {None, ()} for f in dataclasses.fields(Evidence))


def test_process_values_are_medians_of_window_medians() -> None:
    measurement = measured(processes=(process([1.0, 2.0, 9.0], [4.0]), process([5.0])))
    assert measurement.process_values == (3.0, 5.0)


def test_process_values_of_a_failed_case_are_none() -> None:
    assert measured(processes=()).process_values == ()


@pytest.mark.parametrize("value", [Case("a"), Interval(0.0, 1.0), Window((1.0,)), measured(1.0)])
def test_values_are_frozen(value: object) -> None:
    name = dataclasses.fields(value)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)
    assert not hasattr(value, "__dict__")
