"""Thinned samples: what survives, and to what precision."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import ProcessSamples, Window
from perftrack.publish.distribution import MAX_SAMPLES, Distribution, distribution, thin

SAMPLES = st.lists(st.floats(1e-9, 1e3), min_size=2, max_size=120)


def process(*windows: tuple[float, ...], index: int = 0) -> ProcessSamples:
    return ProcessSamples(index, tuple(Window(w) for w in windows))


def decode(found: Distribution, at: int) -> list[float]:
    return [found.offset + found.step * p for p in itertools.accumulate(found.samples[at])]


@given(SAMPLES)
def test_thinning_keeps_both_extremes_and_order(samples: list[float]) -> None:
    kept = thin(np.array(samples))
    assert (kept[0], kept[-1]) == (min(samples), max(samples))
    assert list(kept) == sorted(kept)
    assert len(kept) <= MAX_SAMPLES


@given(SAMPLES)
def test_samples_read_back_within_the_stated_precision(samples: list[float]) -> None:
    found = distribution([process(tuple(samples))])
    assert found is not None
    span = max(samples) - min(samples)
    back = decode(found, 0)
    for got, want in zip(back, thin(np.array(samples)), strict=True):
        assert abs(got - want) <= span / 1000 + 1e-8 * abs(want)


def test_two_modes_stay_two() -> None:
    samples = tuple(1.0 if i % 3 else 2.0 for i in range(200))
    found = distribution([process(samples)])
    assert found is not None
    back = decode(found, 0)
    assert sum(v > 1.9 for v in back) == pytest.approx(len(back) / 3, abs=2)
    assert not any(1.1 < v < 1.9 for v in back)


def test_counts_are_of_all_samples() -> None:
    found = distribution([process((1.0, 2.0), (3.0,)), process((1.5,) * 100)])
    assert found is not None
    assert found.counts == (3, 100)


def test_window_medians_keep_their_order() -> None:
    found = distribution([process((3.0, 3.0), (1.0, 1.0), (2.0, 2.0))])
    assert found is not None
    assert [round(found.offset + found.step * t / 10, 4) for t in found.windows[0]] == [3.0, 1.0, 2.0]


def test_samples_that_agree_have_no_step() -> None:
    found = distribution([process((5.0, 5.0, 5.0))])
    assert found is not None
    assert decode(found, 0) == [5.0, 5.0, 5.0]


@pytest.mark.parametrize("processes", [[], [process()], [process((1.0,))], [process((math.nan, 1.0))]])
def test_fewer_than_two_finite_samples_are_no_distribution(processes: list[ProcessSamples]) -> None:
    assert distribution(processes) is None


def test_samples_that_are_not_finite_are_left_out() -> None:
    found = distribution([process((1.0, math.nan, 2.0))])
    assert found is not None
    assert found.counts == (2,)
