"""The average beside the verdicts: over what has a ratio, metric by metric."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from perftrack.core.geomean import geometric_means
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Case, Direction
from perftrack.core.verdict import judge
from tests.core.builders import VALUE, failed, measured


def judged(before: float, after: float, name: str = "work", **fields: object) -> Judgement:
    sides = [measured(v, v, case=Case(name), protocol=VALUE, **fields) for v in (before, after)]
    return judge(*sides)


def test_it_is_the_geometric_mean_of_the_ratios():
    (mean,) = geometric_means([judged(1.0, 2.0), judged(1.0, 4.0), judged(8.0, 1.0)])
    assert math.exp(mean.effect) == pytest.approx((2 * 4 / 8) ** (1 / 3))
    assert (mean.cases, mean.left_out) == (3, 0)


def test_what_is_new_gone_failed_or_zero_is_left_out_and_counted():
    gone, new = judge(measured(1.0, 1.0), None), judge(None, measured(1.0, 1.0))
    broken = judge(measured(1.0, 1.0), failed())
    zero = judged(0.0, 1.0)
    (mean,) = geometric_means([judged(1.0, 2.0), judged(1.0, 2.0), gone, new, broken, zero])
    assert math.exp(mean.effect) == pytest.approx(2.0)
    assert (mean.cases, mean.left_out) == (2, 4)


def test_what_is_not_comparable_is_left_out_though_it_has_an_effect():
    accepted = replace(judged(1.0, 8.0), verdict=Verdict.NOT_COMPARABLE)
    (mean,) = geometric_means([judged(1.0, 2.0), judged(1.0, 2.0), accepted])
    assert math.exp(mean.effect) == pytest.approx(2.0)


def test_metrics_units_and_directions_are_not_mixed():
    rate = {"metric": "rate", "direction": Direction.HIGHER}
    means = geometric_means(
        [judged(1.0, 2.0), judged(1.0, 2.0), judged(1.0, 4.0, **rate), judged(1.0, 4.0, **rate)]
    )
    assert [(m.metric, round(math.exp(m.effect), 6)) for m in means] == [("time", 2.0), ("rate", 4.0)]


def test_one_case_has_no_average():
    assert geometric_means([judged(1.0, 2.0)]) == ()
