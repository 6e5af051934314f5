"""Reading a source: order, positions that stay, and stand-ins for what the source has lost."""

import subprocess
import sys
from collections.abc import Sequence

from perftrack.core.history import Lane, RunSummary
from perftrack.core.model import Commit
from perftrack.publish.gather import HistorySource, read_history
from tests.publish.synthetic import CPU, SyntheticHistory


class Shuffled(SyntheticHistory):
    """Gives runs and lanes in another order."""

    def runs(self) -> Sequence[RunSummary]:
        return super().runs()[::-1]

    def lanes(self) -> Sequence[Lane]:
        return super().lanes()[::-1]


class Shallow(SyntheticHistory):
    """Has lost its oldest commits and runs, as a shallow clone would."""

    def commits(self) -> Sequence[Commit]:
        return super().commits()[3:]

    def runs(self) -> Sequence[RunSummary]:
        return super().runs()[3:]


def test_the_synthetic_history_is_a_source() -> None:
    source: HistorySource = SyntheticHistory(2)
    assert read_history(source).project.name == "kernels"


def test_positions_do_not_depend_on_the_order_a_source_gives() -> None:
    plain, shuffled = read_history(SyntheticHistory(8)), read_history(Shuffled(8))
    assert plain.run_index == shuffled.run_index
    assert plain.lane_index == shuffled.lane_index


def test_positions_stay_when_history_grows() -> None:
    short, long = read_history(SyntheticHistory(20)), read_history(SyntheticHistory(30))
    assert all(long.run_index[run] == at for run, at in short.run_index.items())
    assert all(long.lane_index[lane] == at for lane, at in short.lane_index.items())
    assert len(long.lanes) > len(short.lanes)


def test_points_are_in_commit_order() -> None:
    history = read_history(SyntheticHistory(8))
    for at in range(len(history.series)):
        commits = history.points(at).commit.tolist()
        assert commits == sorted(commits)


def test_points_stay_with_their_series_when_both_are_reordered() -> None:
    source = SyntheticHistory(8)
    history = read_history(source)
    for at, head in enumerate(history.series):
        (own,) = [s for s in source.series() if (s.case, s.metric) == (head.case, head.metric)]
        values = {p.run_id: p.value for p in own.points}
        points = history.points(at)
        found = {history.runs[run].id: points.value_at(k) for k, run in enumerate(points.run.tolist())}
        assert found == values


def test_commits_and_runs_that_only_points_know_are_kept() -> None:
    history = read_history(Shallow(8))
    assert len(history.commits) == 8
    assert len(history.runs) == 8
    assert [c.subject for c in history.commits[:3]] == ["not in history"] * 3
    assert history.commits[3:] == tuple(SyntheticHistory(8).commits()[3:])


def test_a_stand_in_run_counts_its_points() -> None:
    full, shallow = read_history(SyntheticHistory(8)), read_history(Shallow(8))
    run = full.runs[0].id
    assert shallow.runs[shallow.run_index[run]].ok == full.runs[0].ok


def test_an_empty_source_reads_as_an_empty_history() -> None:
    history = read_history(SyntheticHistory(0, shapes=()))
    assert (history.commits, history.runs, history.lanes, history.series) == ((), (), (), ())


def test_lanes_are_ordered_by_first_use() -> None:
    history = read_history(SyntheticHistory(30))
    drivers = [lane.lane.fingerprint.driver_version for lane in history.lanes if lane.lane.fingerprint != CPU]
    assert drivers == ["550.54.15", "570.86.10"]


def test_importing_the_gatherer_loads_neither_altair_nor_jinja2() -> None:
    code = "import sys, perftrack.publish.site; print([m for m in ('altair', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
