"""The error rates of a store's own A/A data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.history import RunSummary, Series
from perftrack.core.model import Interval
from perftrack.publish.gather import read_history
from perftrack.publish.repeats import Repeats, repeats, told
from tests.publish.synthetic import Shape, SyntheticHistory


class Again(SyntheticHistory):
    """Every commit's second run reads `ratios` times the first, whose interval is ±1 %."""

    ratios = (1.0, 1.005, 1.05, 0.9)

    def __init__(self) -> None:
        super().__init__(4, [Shape("work", (), 1e-3)], upgrade=None)

    def runs(self) -> list[RunSummary]:
        first = list(super().runs())
        return [*first, *(replace(r, id=f"again{r.id}", started_at=r.started_at + 60, dirty=False) for r in first)]

    def _make_series(self) -> list[Series]:
        (made,) = super()._make_series()
        first = [replace(p, value=1e-3, interval=Interval(9.9e-4, 1.01e-3), dirty=False) for p in made.points]
        second = [
            replace(p, run_id=f"again{p.run_id}", started_at=p.started_at + 60, value=1e-3 * ratio)
            for p, ratio in zip(first, self.ratios, strict=True)
        ]
        points = sorted([*first, *second], key=lambda p: p.started_at)
        return [replace(made, points=tuple(points))]


def test_pairs_are_counted_by_interval_and_by_threshold() -> None:
    found = repeats(read_history(Again()), 0.02)
    assert found is not None
    assert (found.pairs, found.commits, found.bounded, found.held) == (4, 4, 4, 2)
    assert (found.positive, found.grew, found.shrank) == (4, 1, 1)


def test_a_store_without_repeats_has_none() -> None:
    assert repeats(read_history(SyntheticHistory(5)), 0.02) is None
    assert repeats(read_history(SyntheticHistory(0, ())), 0.02) is None
    assert told(None) == ()


def test_words_have_counts_shares_and_their_intervals() -> None:
    lines = dict(told(Repeats(100, 3, 100, 95, 100, 2, 1, 0.004)))
    assert "100 pairs of results of one case at 3 commits" in lines["Repeats"]
    assert "95 of 100 (95 %; 89 % … 98 %)" in lines["Intervals"]
    assert "3 of 100 (3 %; 1 % … 8 %)" in lines["Apart"]
    assert "2 grew and 1 shrank" in lines["Apart"]
    assert lines["Apart"].startswith("By 0.40 % in the median")


@pytest.mark.parametrize("field", ["dirty", "lane"])
def test_what_is_of_another_tree_or_lane_is_no_repeat(field: str) -> None:
    class Other(Again):
        def _make_series(self) -> list[Series]:
            (made,) = super()._make_series()
            other = [
                replace(p, lane="elsewhere") if p.run_id.startswith("again") and field == "lane" else p
                for p in made.points
            ]
            return [replace(made, points=tuple(other))]

        def runs(self) -> list[RunSummary]:
            return [replace(r, dirty=r.id.startswith("again")) if field == "dirty" else r for r in super().runs()]

    assert repeats(read_history(Other()), 0.02) is None
