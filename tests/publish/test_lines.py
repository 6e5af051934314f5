"""Lines for change points: the same, for columns, as core.changes.lanes gives for points."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from perftrack.core.changes.lanes import lane_trends
from perftrack.core.history import Point, Series
from perftrack.core.model import MeasurementTier
from perftrack.publish.gather import Epochs, read_history
from perftrack.publish.lines import SeriesLine, all_lines
from tests.publish.synthetic import SyntheticHistory


class Remeasured(SyntheticHistory):
    """Some commits were measured twice, of which one result is of tier C; code changed once."""

    def series(self) -> Sequence[Series]:
        def more(at: int, p: Point) -> list[Point]:
            p = replace(p, code_hash="new" if at >= 20 else "old")
            if at % 5 or p.value is None:
                return [p]
            tiers = (MeasurementTier.C, p.tier) if at % 2 else (p.tier, MeasurementTier.C)
            return [replace(p, value=p.value * (1 + k / 100), tier=tier) for k, tier in enumerate(tiers)]

        return [
            replace(s, points=tuple(q for at, p in enumerate(s.points) for q in more(at, p)))
            for s in super().series()
        ]

    def line(self) -> Sequence[str]:
        return super().line()[3:]  # the first are on another branch


def lines(source: SyntheticHistory) -> dict[str, list[SeriesLine]]:
    history = read_history(source)
    found: dict[str, list[SeriesLine]] = {}
    for line in all_lines(history, source):
        found.setdefault(history.series[line.series].case.id, []).append(line)
    return found


@pytest.mark.parametrize("source", [SyntheticHistory(30), Remeasured(30)])
def test_lines_are_those_of_the_points(source: SyntheticHistory) -> None:
    positions = {sha: at for at, sha in enumerate(source.line())}
    found = lines(source)
    for series in source.series():
        trends = [t for t in lane_trends(series, positions) if t.points]
        own = found[series.case.id]
        key = lambda values: tuple(values)  # noqa: E731
        assert sorted(key(line.values.tolist()) for line in own) == sorted(key(t.values) for t in trends)
        assert sorted(key(line.trusted.tolist()) for line in own) == sorted(key(t.trusted) for t in trends)


def test_accepted_changes_are_told_as_positions_in_the_line() -> None:
    class Accepting(SyntheticHistory):
        def epochs(self) -> Epochs:
            return lambda series, shas: [k for k, sha in enumerate(shas) if sha == self.commits()[20].sha]

    (line,) = lines(Accepting(30))["wheel_size"]
    assert line.epochs == (19,)  # one commit before it had uncommitted changes
