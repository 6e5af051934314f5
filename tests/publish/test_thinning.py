"""Long series with fewer points: what a reader looks for stays."""

import math

import numpy as np
import pytest

from perftrack.core.model import MeasurementTier, Status
from perftrack.core.pointtable import Facet
from perftrack.publish.points import Facets, SeriesPoints
from perftrack.publish.thinning import LONG, thinned
from tests.publish.test_trend import HISTORY

FACETS = Facets(
    tuple(Facet(s, MeasurementTier.B, "a") for s in (Status.OK, Status.FAILED)),
    np.array([True, False]),
    np.array([0, 0], dtype=np.int32),
)


def points(values: np.ndarray) -> SeriesPoints:
    count = len(values)
    order = np.arange(count, dtype=np.int32)
    facet = np.isnan(values).astype(np.int32)
    nothing = np.full(count, math.nan)
    return SeriesPoints(
        HISTORY.series[0], FACETS, order, order, facet, np.ones(count, dtype=np.bool_), values, nothing, nothing
    )


def noise(count: int) -> np.ndarray:
    return np.random.default_rng(1).normal(1.0, 0.01, count)


@pytest.mark.parametrize("count", [0, 1, 2, LONG])
def test_a_series_that_is_short_enough_keeps_all(count: int) -> None:
    assert thinned(points(noise(count)), []).tolist() == list(range(count))


@pytest.mark.parametrize("count", [LONG + 1, 5000, 20_000])
def test_a_long_one_comes_down_to_what_is_drawn_at_once(count: int) -> None:
    assert 700 <= len(thinned(points(noise(count)), [])) <= LONG


def test_extremes_and_ends_stay() -> None:
    values = noise(5000)
    values[1234], values[4321] = 9.0, -9.0
    assert {0, 1234, 4321, 4999} <= set(thinned(points(values), []).tolist())


def test_what_must_stay_stays() -> None:
    assert {7, 2503} <= set(thinned(points(np.ones(5000)), [7, 2503]).tolist())


def test_a_failure_stays_with_the_points_beside_it() -> None:
    values = noise(5000)
    values[2500] = math.nan
    assert {2499, 2500, 2501} <= set(thinned(points(values), []).tolist())


def test_a_series_of_failures_alone_keeps_its_ends() -> None:
    assert {0, 4999} <= set(thinned(points(np.full(5000, math.nan)), []).tolist())
