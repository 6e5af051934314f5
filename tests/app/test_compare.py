"""Comparing stored commits: the baseline, the lane's noise, renames, changed benchmarks and accepted changes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perftrack.app.accepting import accept
from perftrack.app.comparison import Comparison, compare, with_epochs
from perftrack.app.epochs import Accepted
from perftrack.app.lanenoise import Noise
from perftrack.app.project import Project
from perftrack.config import Config
from perftrack.config.epochs import EPOCHS_FILE, load_epochs
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Case, Measurement
from perftrack.core.renames import Renames
from perftrack.errors import ConfigError, GitError, StoreError, UsageError
from perftrack.store import Store
from tests.core.builders import VALUE, measured
from tests.store import builders
from tests.vcs.conftest import Sandbox, apart, empty, linear

__all__ = ("apart", "empty", "linear")  # fixtures of the repositories

Linear = tuple[Sandbox, list[str]]
V = Verdict


class Bench:
    """A project whose runs are made by hand."""

    def __init__(self, sandbox: Sandbox, **aliases: list[str]) -> None:
        store = Store(sandbox.root.parent / "store.duckdb", renames=Renames.of(aliases))
        self.project = Project(sandbox.root, sandbox.repository, Config(), store)
        self._clock = 1_700_000_000.0
        self._rng = np.random.default_rng(1)

    def record(self, sha: str, *measurements: Measurement, **fields: object) -> None:
        self._clock += 60
        made = builders.run(*measurements, sha=sha, at=self._clock, **fields)
        self.project.store.add_run(made, [self.project.repository.commit(sha)])

    def time(self, level: float, name: str = "work", processes: int = 3, **fields: object) -> Measurement:
        values = level * np.exp(self._rng.normal(0, 0.001, processes))
        return measured(*values, case=Case(name), value=float(np.exp(np.log(values).mean())), **fields)

    def history(self, sha: str, level: float = 1.0, runs: int = 6, **fields: object) -> None:
        for _ in range(runs):
            self.record(sha, self.time(level, **fields))


def only(comparison: Comparison) -> Judgement:
    (judged,) = comparison.judgements
    return judged


def codes(judged: Judgement) -> list[str]:
    return [r.code for r in judged.reasons]


class TestBaseline:
    def test_it_is_the_nearest_measured_ancestor_and_is_named(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[1], bench.time(1.0, processes=4))
        bench.record(line[4], bench.time(1.0, processes=4))
        found = compare(bench.project, None)
        assert (found.baseline.commit.sha, only(found).verdict) == (line[1], V.UNCHANGED)
        assert found.found is not None
        assert found.found.skipped == 2

    def test_a_commit_without_a_measured_ancestor_says_what_to_run(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[4], bench.time(1.0))
        with pytest.raises(StoreError, match="is measured in any of its lanes") as caught:
            compare(bench.project, None)
        assert "perftrack record" in (caught.value.hint or "")

    def test_a_commit_compared_with_itself_is_unchanged_however_few_processes(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[4], bench.time(1.0, processes=1))
        assert only(compare(bench.project, "HEAD")).verdict is V.UNCHANGED


class TestNoise:
    def test_it_is_learnt_in_the_order_of_the_graph_and_not_of_the_clock(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        for at in (0, 3, 1, 2):  # as `--order spread` visits them, of a line that climbs by 5 % a commit
            bench.record(line[at], bench.time(1.05**at))
            bench.record(line[at], bench.time(1.05**at))
        noise = Noise(bench.project, Accepted(), line[4]).of(bench.time(1.0))
        assert noise is not None
        assert noise.sigma < 0.03

    def test_other_lines_of_history_are_no_noise(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.history(line[0], runs=3)
        sandbox.git("checkout", "-q", "-b", "topic", line[1])
        branched = sandbox.commit("Slower on a branch")
        bench.history(branched, 2.0, runs=3)
        sandbox.git("checkout", "-q", "main")
        bench.history(line[3], runs=3)
        main, topic = (Noise(bench.project, Accepted(), sha).of(bench.time(1.0)) for sha in (line[4], branched))
        assert main is not None
        assert (main.runs, main.reach < 0.02) == (6, True)
        assert topic is None

    def test_another_benchmark_s_code_and_uncommitted_changes_teach_nothing(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.history(line[0], code_hash="old")
        bench.history(line[0], code_hash="new")
        bench.record(line[0], bench.time(1.0, code_hash="new"), dirty=True)
        noise = Noise(bench.project, Accepted(), line[4])
        assert noise.of(bench.time(1.0, code_hash="old")) is not None
        runs = [noise.of(bench.time(1.0, code_hash=code)) for code in ("old", "new", "other")]
        assert [n and n.runs for n in runs] == [6, 6, None]

    def test_the_spread_of_processes_is_learnt_for_runs_of_one(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.history(line[0], runs=8)
        noise = Noise(bench.project, Accepted(), line[1]).of(bench.time(1.0))
        assert noise is not None
        assert noise.process_sigma == pytest.approx(0.001, rel=0.6)


class TestIdentity:
    def test_a_renamed_benchmark_goes_on_with_its_history(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox, new=["old"])
        bench.history(line[0], name="old")
        bench.record(line[1], bench.time(1.3, name="new"))
        judged = only(compare(bench.project, line[0], line[1]))
        assert (judged.verdict, judged.subject.case.id) == (V.REGRESSION, "new")
        assert judged.noise is not None
        assert judged.noise.runs == 6

    def test_without_a_declared_rename_it_is_new_and_the_old_one_gone(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[0], bench.time(1.0, name="old"))
        bench.record(line[1], bench.time(1.0, name="new"))
        found = compare(bench.project, line[0], line[1])
        assert [codes(j) for j in found.judgements] == [["missing-side"], ["missing-side"]]

    def test_the_newest_run_says_which_names_its_benchmarks_had(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.history(line[0], runs=2, name="old")
        bench.record(line[1], bench.time(1.0, name="new"), settings={"aliases": json.dumps({"new": ["old"]})})
        assert bench.project.store.case_ids() == ("new",)
        assert [len(s.points) for s in bench.project.store.series(case="new")] == [3]
        bench.record(line[1], bench.time(1.0, name="new"), settings={"aliases": None})
        assert bench.project.store.case_ids() == ("new", "old")

    def test_a_new_parameter_leaves_the_others_comparable(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[0], bench.time(1.0, processes=4))
        bench.record(
            line[1], bench.time(1.0, processes=4), measured(1.0, case=Case("work", (("n", 2),)), value=1.0)
        )
        verdicts = {j.subject.case.id: j.verdict for j in compare(bench.project, line[0], line[1]).judgements}
        assert verdicts == {"work": V.UNCHANGED, "work[n=2]": V.NOT_COMPARABLE}

    def test_changed_benchmark_code_begins_a_new_series_and_says_so(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[0], bench.time(1.0, code_hash="a"))
        bench.record(line[1], bench.time(1.0, code_hash="b"))
        found = compare(bench.project, line[0], line[1])
        assert codes(only(found)) == ["benchmark-changed"]
        assert found.exit_code() == 4
        (series,) = bench.project.store.series(case="work")
        assert [code for _, code in series.lines] == ["a", "b"]

    def test_two_benchmarks_that_became_one_name_are_not_told_apart_by_luck(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox, new=["one", "two"])
        bench.record(line[0], bench.time(1.0, name="one"), bench.time(2.0, name="two"))
        bench.record(line[1], bench.time(1.0, name="new"))
        judged = only(compare(bench.project, line[0], line[1]))
        assert (judged.verdict, codes(judged)[0]) == (V.NOT_COMPARABLE, "duplicate-case")

    def test_parameters_that_read_alike_are_different_cases(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        for sha, value in ((line[0], 1), (line[1], "1")):
            bench.record(sha, measured(1.0, case=Case("work", (("n", value),)), value=1.0))
        assert len(compare(bench.project, line[0], line[1]).judgements) == 2


class TestAccepted:
    @pytest.fixture
    def slower(self, linear: Linear) -> tuple[Bench, list[str]]:
        """The third commit is 50 % slower, for good."""
        sandbox, line = linear
        bench = Bench(sandbox)
        for at, sha in enumerate(line):
            bench.record(sha, bench.time(1.0 if at < 2 else 1.5, processes=4))
        return bench, line

    def test_an_accepted_regression_is_none_and_does_not_block(self, slower: tuple[Bench, list[str]]) -> None:
        bench, line = slower
        assert compare(bench.project, line[1], line[2]).exit_code() == 3
        accept(bench.project, "work", line[2], "keeps offsets")
        found = compare(bench.project, line[1], line[2])
        assert (only(found).verdict, codes(only(found))[0]) == (V.NOT_COMPARABLE, "accepted")
        assert "keeps offsets" in only(found).reasons[0].message
        assert only(found).effect == pytest.approx(math.log(1.5), rel=0.01)
        assert found.exit_code() == 0

    def test_what_came_after_it_is_compared_with_the_commit_that_was_accepted(
        self, slower: tuple[Bench, list[str]]
    ) -> None:
        bench, line = slower
        accept(bench.project, "work", line[2], "keeps offsets")
        found = compare(bench.project, line[0], line[4])
        assert (only(found).verdict, codes(only(found))[-1]) == (V.UNCHANGED, "since-accepted")
        bench.record(line[4], bench.time(2.0, processes=4))
        again = compare(bench.project, line[0], line[4])
        assert (only(again).verdict, again.exit_code()) == (V.REGRESSION, 3)

    def test_a_live_comparison_honours_it_too(self, slower: tuple[Bench, list[str]]) -> None:
        bench, line = slower
        found = compare(bench.project, line[1], line[2])
        assert found.exit_code() == 3
        accept(bench.project, "work", line[2], "keeps offsets")
        sides = (line[1], line[2])
        accepted = with_epochs(Accepted.of(bench.project, sides), found.judgements, *sides)
        again = replace(found, judgements=tuple(accepted), live=True)
        assert (only(again).verdict, again.exit_code()) == (V.NOT_COMPARABLE, 0)

    def test_sides_on_one_side_of_it_are_compared_as_ever(self, slower: tuple[Bench, list[str]]) -> None:
        bench, line = slower
        accept(bench.project, "work", line[2], "keeps offsets")
        assert "accepted" not in codes(only(compare(bench.project, line[0], line[1])))
        assert only(compare(bench.project, line[3], line[4])).verdict is V.UNCHANGED

    def test_another_metric_or_case_is_not_covered(self, slower: tuple[Bench, list[str]]) -> None:
        bench, line = slower
        for level, sha in ((1.0, line[1]), (2.0, line[2])):
            bench.record(
                sha, measured(level, level, case=Case("work"), metric="size", protocol=VALUE, value=level)
            )
        accept(bench.project, "work", line[2], "keeps offsets", metric="time")
        found = {j.subject.metric: j.verdict for j in compare(bench.project, line[1], line[2]).judgements}
        assert found == {"time": V.NOT_COMPARABLE, "size": V.REGRESSION}

    def test_noise_is_learnt_anew(self, slower: tuple[Bench, list[str]]) -> None:
        bench, line = slower
        accept(bench.project, "work", line[4], "keeps offsets")
        bench.history(line[2], 1.5, runs=3, processes=4)
        for sha, runs in ((line[3], 6), (line[4], None)):
            noise = Noise(bench.project, Accepted.of(bench.project), sha).of(bench.time(1.0))
            assert (noise and noise.runs) == runs

    def test_it_cuts_a_series_where_its_commit_is(self, slower: tuple[Bench, list[str]]) -> None:
        bench, line = slower
        accept(bench.project, "work", line[2], "keeps offsets")
        accepted = Accepted.of(bench.project)
        assert accepted.starts(Case("work"), "time", line) == (2,)
        assert accepted.starts(Case("work"), "time", [line[0], line[4]]) == (1,)
        assert accepted.starts(Case("other"), "time", line) == ()

    def test_a_commit_that_was_squashed_away_is_replaced_by_the_one_that_brought_the_entry(
        self, slower: tuple[Bench, list[str]]
    ) -> None:
        bench, line = slower
        sandbox = Sandbox(bench.project.root)
        sandbox.git("checkout", "-q", "-b", "topic")
        gone = sandbox.commit("Slow on a branch")
        accept(bench.project, "work", gone, "worth it")
        text = (bench.project.root / EPOCHS_FILE).read_text()
        (bench.project.root / EPOCHS_FILE).unlink()
        sandbox.git("checkout", "-q", "main")
        (bench.project.root / EPOCHS_FILE).write_text(text)
        sandbox.git("add", EPOCHS_FILE)
        squashed = sandbox.commit("Squashed")
        bench.record(squashed, bench.time(3.0, processes=4))
        found = compare(bench.project, line[4], squashed)
        assert (codes(only(found))[0], found.exit_code()) == ("accepted", 0)

    def test_an_old_name_of_a_renamed_benchmark_is_still_covered(self, linear: Linear) -> None:
        sandbox, line = linear
        bench = Bench(sandbox)
        bench.record(line[0], bench.time(1.0, name="old", processes=4))
        bench.record(line[1], bench.time(1.5, name="old", processes=4))
        accept(bench.project, "old", line[1], "worth it")
        renamed = Bench(sandbox, new=["old"])
        assert codes(only(compare(renamed.project, line[0], line[1])))[0] == "accepted"


class TestAccepting:
    @pytest.fixture
    def bench(self, linear: Linear) -> Bench:
        made = Bench(linear[0])
        made.record(linear[1][4], made.time(1.0, name="tokenize"))
        return made

    def test_a_revision_is_written_as_its_sha(self, bench: Bench) -> None:
        done = accept(bench.project, "tokenize", "HEAD", " worth it ")
        assert load_epochs(bench.project.root) == (done.epoch,)
        assert (done.epoch.sha, done.epoch.reason) == (bench.project.repository.resolve("HEAD"), "worth it")

    def test_an_unknown_benchmark_names_the_nearest(self, bench: Bench) -> None:
        with pytest.raises(UsageError) as caught:
            accept(bench.project, "tokenise", "HEAD", "x")
        assert "tokenize" in (caught.value.hint or "")

    def test_an_unknown_revision_metric_or_an_empty_reason_is_refused(self, bench: Bench) -> None:
        for error, given in (
            (GitError, ("tokenize", "nope", "x")),
            (UsageError, ("tokenize", "HEAD", "x", "memory")),
            (UsageError, ("tokenize", "HEAD", " \t")),
            (UsageError, ("tokenize", "HEAD", "two\nlines")),
        ):
            with pytest.raises(error):
                accept(bench.project, *given)
        assert not (bench.project.root / EPOCHS_FILE).exists()

    def test_the_same_again_is_refused(self, bench: Bench, tmp_path: Path) -> None:
        accept(bench.project, "tokenize", "HEAD", "x")
        with pytest.raises(ConfigError, match="already"):
            accept(bench.project, "tokenize", "HEAD", "y")
