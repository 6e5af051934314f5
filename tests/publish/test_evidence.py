"""What a comparison needs beside a point's value: coded spreads, processes, and codes that stay."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.estimate import estimate
from perftrack.core.history import Point
from perftrack.core.model import ProcessSamples, Window
from perftrack.publish.evidence import ALIKE, UNKNOWN, deviation_of, point_evidence
from perftrack.publish.gather import read_history
from tests.publish.synthetic import Shape, SyntheticHistory

ONE = (Shape("one", (), 1e-3),)


class Given(SyntheticHistory):
    """Points whose evidence is given."""

    def __init__(self, within: list[float | None], codes: list[str] | None = None, processes: int = 3) -> None:
        super().__init__(len(within), ONE, processes=processes)
        self.within, self.codes = within, codes or [""] * len(within)

    def _point(self, shape: Shape, at: int) -> Point:
        made = super()._point(shape, at)
        return replace(made, within_variance=self.within[at], code_hash=self.codes[at])


@given(st.lists(st.floats(1e-7, 2.0), min_size=1, max_size=4))
def test_a_deviation_is_kept_to_half_a_percent(deviations: list[float]) -> None:
    found = point_evidence(read_history(Given([d**2 for d in deviations]))).spread
    for coded, deviation in zip(found.tolist(), deviations, strict=True):
        assert deviation_of(coded) == pytest.approx(deviation, rel=0.0051)


def test_no_variance_is_no_zero() -> None:
    found = point_evidence(read_history(Given([None, 1e-6]))).spread.tolist()
    assert found[0] == UNKNOWN
    assert deviation_of(found[0]) is None
    assert deviation_of(found[1]) == pytest.approx(1e-3, rel=0.0051)


def test_equal_readings_of_a_coarse_timer_are_as_uncertain_as_their_interval() -> None:
    (coded,) = point_evidence(read_history(Given([0.0]))).spread.tolist()
    history = SyntheticHistory(1, ONE)
    interval = history.measurement(ONE[0], 0).interval
    assert interval is not None
    half = math.log(interval.hi / interval.lo) / 2
    assert coded > ALIKE
    # mean ± t s sqrt(1 + 1/3) with two degrees of freedom; the spread is s / sqrt(3)
    assert deviation_of(coded) == pytest.approx(half / 4.302653 / math.sqrt(4 / 3) / math.sqrt(3), rel=0.006)


class Constant(SyntheticHistory):
    def _samples(self, shape: Shape, at: int) -> tuple[ProcessSamples, ...]:
        return tuple(ProcessSamples(i, (Window((7.3, 7.3)),)) for i in range(3))


def test_what_does_not_vary_is_told_from_what_is_unknown() -> None:
    assert estimate(Constant(1, ONE)._samples(ONE[0], 0)).interval is not None
    # The variance of equal logarithms is what they round to, and not always zero.
    assert float(np.log([7.3] * 3).var(ddof=1)) < 1e-18
    assert point_evidence(read_history(Constant(1, ONE))).spread.tolist() == [ALIKE]


def test_codes_are_numbered_by_first_recording_and_keep_their_numbers() -> None:
    codes = ["", "b", "b", "a", "b", "c"]
    few = point_evidence(read_history(Given([None] * 4, codes[:4]))).code.tolist()
    all_ = point_evidence(read_history(Given([None] * 6, codes))).code.tolist()
    assert all_ == [0, 1, 1, 2, 1, 3]
    assert few == all_[:4]


def test_one_code_is_number_one() -> None:
    assert point_evidence(read_history(Given([None] * 3, ["x"] * 3))).code.tolist() == [1, 1, 1]


def test_an_empty_history_has_no_evidence() -> None:
    assert not len(point_evidence(read_history(SyntheticHistory(0, ()))).code)
