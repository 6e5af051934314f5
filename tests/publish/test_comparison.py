"""What the compare page judges by: noise of lanes as core.noise learns it, eras, thresholds, the newest pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from perftrack.core.history import Series
from perftrack.core.launches.launch import Launch, Profile
from perftrack.core.model import Case
from perftrack.core.noise import ASSUMED_DF, LaneNoise, lane_noise
from perftrack.core.verdict import DEFAULT_THRESHOLD
from perftrack.publish.catalogue import catalogue
from perftrack.publish.comparison import comparison_file
from perftrack.publish.evidence import point_evidence
from perftrack.publish.gather import read_history
from perftrack.publish.lanespread import SCALE, Eras, LaneSpread, lane_spreads, newest_compared, spread_columns
from perftrack.publish.packing import PackedFile
from perftrack.store.rows import within_variance
from tests.publish.judged import ACCEPTED_AT, COMMITS, Judged
from tests.publish.profiled import CASE, LAUNCH, Profiled
from tests.publish.synthetic import Shape, SyntheticHistory


def file_of(source: SyntheticHistory) -> PackedFile:
    history = read_history(source)
    return comparison_file(history, source, catalogue(history), point_evidence(history))


def spreads_of(source: SyntheticHistory, newest: int | None = None) -> dict[tuple[str, int, int, int], LaneNoise]:
    history = read_history(source)
    numbers = catalogue(history)
    last = len(history.commits) - 1 if newest is None else newest
    found: Sequence[LaneSpread] = list(
        lane_spreads(history, numbers, point_evidence(history), Eras(history, source), last)
    )
    names = [history.series[at].case.id for at in numbers.order.tolist()]
    return {(names[s.series], s.lane, s.code, s.era): s.noise for s in found}


def test_a_lane_s_noise_is_learnt_without_the_newest_commit_and_without_dirty_trees() -> None:
    source = Judged()
    shape = next(s for s in source.shapes if s.benchmark == "kernel_01")
    measured = [source.measurement(shape, at) for at in range(11) if at != 6]
    expected = lane_noise(
        [m.value or 0.0 for m in measured], [within_variance(m) or 0.0 for m in measured], [3] * len(measured)
    )
    found = spreads_of(source)
    (noise,) = [noise for key, noise in found.items() if key[0] == "kernel_01"]
    assert noise == expected
    assert noise.runs == 10
    cpu = next(noise for key, noise in found.items() if key[0] == "kernel_00")
    assert cpu.runs == COMMITS - 2


def test_a_code_and_an_accepted_change_begin_a_lane_s_noise_anew() -> None:
    found = spreads_of(Judged())
    assert [(key[2], noise.runs) for key, noise in found.items() if key[0] == "rewritten"] == []
    (early,) = [(key[3], noise.runs) for key, noise in found.items() if key[0] == "accepted"]
    assert early == (0, 7)


def test_eras_are_told_by_the_commit_that_begins_them() -> None:
    source = Judged()
    history = read_history(source)
    numbers = catalogue(history)
    document = file_of(source).document
    number = next(n for n, at in enumerate(numbers.order.tolist()) if history.series[at].case.id == "accepted")
    assert document["eras"] == {str(number): [ACCEPTED_AT]}


def test_thresholds_are_the_declared_ones() -> None:
    document = file_of(Judged()).document
    assert list(document["threshold"].values()) == [0.005]  # type: ignore[attr-defined]
    assert document["rule"]["threshold"] == DEFAULT_THRESHOLD  # type: ignore[index]


def test_a_deviation_keeps_eight_decimals() -> None:
    noise = LaneNoise(0.00123456789, 30, process_sigma=0.25, reach=1.5)
    columns = spread_columns([LaneSpread(4, 1, 1, 0, noise)])
    assert columns["sigma"].tolist() == [round(0.00123456789 * SCALE)]
    assert columns["reach"][0] / SCALE == pytest.approx(1.5)
    assert columns["series"].tolist() == [4]


class Ceiling(SyntheticHistory):
    """The newest commit has a ceiling and nothing else."""

    def _make_series(self) -> list[Series]:
        first, *_ = super()._make_series()
        own = replace(first, points=first.points[:-1])
        peak = Case("ceiling", (("definition", "mamf/v1"),))
        return [own, replace(first, case=peak, metric="rate", unit="flop/s", points=first.points[-1:])]


def test_a_commit_with_ceilings_alone_is_not_what_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    from perftrack.publish import comparison

    monkeypatch.setattr(comparison, "definition_of", lambda case: True if case.benchmark == "ceiling" else None)
    document = file_of(Ceiling(5, (Shape("one", (), 1e-3),))).document
    assert document["pair"] == [2, 3]
    assert document["left_out"] == [1]


def test_the_newest_pair_is_of_clean_trees() -> None:
    history = read_history(SyntheticHistory(7, (Shape("one", (), 1e-3),)))  # the last one's tree was dirty
    assert newest_compared(history, frozenset()) == [4, 5]
    assert newest_compared(read_history(SyntheticHistory(0, ())), frozenset()) == []


class Alike(Profiled):
    """Every commit ran the same code, so that every step of its lane is noise."""

    def profiles(self) -> Sequence[Profile]:
        return [replace(p, launches=(Launch(LAUNCH),)) for p in super().profiles()]


def test_runs_of_equal_code_teach_noise_where_a_lane_is_too_young() -> None:
    found = spreads_of(Alike(5))
    (noise,) = [noise for key, noise in found.items() if key[0] == CASE]
    assert (noise.runs, noise.pairs) == (0, 3)
    assert noise.df == ASSUMED_DF + 3
    assert not spreads_of(SyntheticHistory(5))


def test_an_empty_history_has_a_file_all_the_same() -> None:
    file = file_of(SyntheticHistory(0, ()))
    assert (file.document["pair"], len(file.columns["sigma"])) == ([], 0)
