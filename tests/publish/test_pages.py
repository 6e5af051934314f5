"""Models of the benchmark, run, environment and method pages."""

from dataclasses import replace

import pytest

from perftrack.core.judgement import Verdict
from perftrack.core.model import Status
from perftrack.core.reasons import REASONS
from perftrack.publish.benchmark import benchmark_pages
from perftrack.publish.environments import environments_page
from perftrack.publish.gather import read_history
from perftrack.publish.method import method_page
from perftrack.publish.pages import BenchmarkPage
from perftrack.publish.results import RunPage
from perftrack.publish.runs import MAX_OUTPUT, RunPages
from tests.publish.synthetic import SyntheticHistory

SOURCE = SyntheticHistory(40)
HISTORY = read_history(SOURCE)
RUNS = RunPages(HISTORY, None)


def benchmark(name: str) -> BenchmarkPage:
    return next(p for p in benchmark_pages(HISTORY, None) if p.name == name)


def run(at: int) -> RunPage:
    return RUNS.page(HISTORY.runs[at], SOURCE.run(HISTORY.runs[at].id))


class TestBenchmark:
    def test_there_is_one_page_per_benchmark(self) -> None:
        names = [p.name for p in benchmark_pages(HISTORY, None)]
        assert names == sorted({s.case.benchmark for s in HISTORY.series})

    def test_a_page_lists_every_case(self) -> None:
        assert [e.params for e in benchmark("matmul").entries] == [
            "dtype=bf16, n=1024",
            "dtype=bf16, n=4096",
            "dtype=bf16, n=8192",
        ]

    def test_an_entry_has_latest_value_and_verdict(self) -> None:
        entry = benchmark("matmul").entries[1]
        assert entry.latest.endswith("%")
        assert (entry.verdict, entry.tier, entry.status) == ("regression", "B", "ok")

    def test_a_failed_entry_says_so(self) -> None:
        assert benchmark("attention").entries[0].status == "failed"

    def test_a_page_gathers_tags_and_source(self) -> None:
        page = benchmark("softmax")
        assert page.tags == ("memory-bound", "norm")
        assert page.source.startswith("benchmarks/bench_gpu.py:")


class TestRun:
    def test_every_measurement_is_a_row(self) -> None:
        assert len(run(39).rows) == len(SOURCE.run(HISTORY.runs[39].id).measurements)

    def test_a_row_leads_to_its_series(self) -> None:
        page = run(39)
        keys = {e.key for b in benchmark_pages(HISTORY, None) for e in b.entries}
        assert {row.key for row in page.rows} == keys
        assert page.links[page.rows[0].page].startswith("benchmarks/")

    def test_a_row_of_a_series_that_is_gone_leads_nowhere(self) -> None:
        pages = RunPages(replace(HISTORY, series=()), None)
        rows = pages.page(HISTORY.runs[39], SOURCE.run(HISTORY.runs[39].id)).rows
        assert {(row.page, row.key) for row in rows} == {(-1, "")}

    def test_a_failed_row_keeps_the_end_of_its_output(self) -> None:
        stored = SOURCE.run(HISTORY.runs[39].id)
        long = tuple(
            replace(m, output="x" * 9000 + "the end") if m.status is Status.FAILED else m
            for m in stored.measurements
        )
        rows = RUNS.page(HISTORY.runs[39], replace(stored, measurements=long)).rows
        (failed,) = [row for row in rows if row.status == "failed"]
        assert failed.output.endswith("the end")
        assert len(failed.output) == MAX_OUTPUT

    def test_causes_of_tiers_are_counted_worst_tier_first(self) -> None:
        causes = run(30).causes
        assert [c.tier for c in causes] == sorted((c.tier for c in causes), reverse=True)
        assert ("C", "SM clock varied by 7.3 % (limit 5 %)", 1) in [(c.tier, c.reason, c.cases) for c in causes]

    def test_failed_results_have_no_tier(self) -> None:
        page = run(39)
        assert sum(page.tiers.values()) == page.counts["ok"]

    def test_environments_of_a_run_name_their_lanes(self) -> None:
        labels = {ref.label for section in run(39).environments for ref in section.lanes}
        assert labels == {"H200 · driver 570.86.10", "AMD EPYC 9654 96-Core"}

    def test_neighbours_are_the_runs_of_the_commits_beside(self) -> None:
        page = run(5)
        assert page.older is not None and page.newer is not None
        assert (page.older.sha, page.newer.sha) == (HISTORY.commits[4].sha, HISTORY.commits[6].sha)

    def test_the_first_and_last_run_have_one_neighbour(self) -> None:
        assert run(0).older is None
        assert run(39).newer is None

    def test_another_run_of_the_commit_is_a_sibling(self) -> None:
        again = replace(HISTORY.runs[3], id="f" * 20, started_at=9e9)
        pages = RunPages(replace(HISTORY, runs=(*HISTORY.runs, again)), None)
        page = pages.page(HISTORY.runs[3], SOURCE.run(HISTORY.runs[3].id))
        assert [ref.path for ref in page.siblings] == [f"runs/{'f' * 20}.html"]

    def test_settings_read_as_words_and_unset_ones_are_left_out(self) -> None:
        stored = replace(
            SOURCE.run(HISTORY.runs[0].id), settings={"quick": False, "processes": None, "windows": 3}
        )
        assert RUNS.page(HISTORY.runs[0], stored).settings == (("quick", "no"), ("windows", "3"))

    def test_a_measurement_without_environment_is_in_no_lane(self) -> None:
        stored = SOURCE.run(HISTORY.runs[0].id)
        bare = replace(stored, measurements=tuple(replace(m, fingerprint=None) for m in stored.measurements))
        page = RUNS.page(HISTORY.runs[0], bare)
        assert {row.lane for row in page.rows} == {-1}
        assert page.environments == ()

    def test_the_list_of_runs_is_newest_commit_first(self) -> None:
        lines = RUNS.index().lines
        assert [line.commit.sha for line in lines] == [c.sha for c in reversed(HISTORY.commits)]
        assert [ref.label for ref in lines[0].lanes] == ["AMD EPYC 9654 96-Core", "H200 · driver 570.86.10"]


class TestEnvironments:
    PAGE = environments_page(HISTORY, None)

    def test_each_lane_says_who_uses_it(self) -> None:
        uses = {use.lane.label: use for use in self.PAGE.uses}
        new = uses["H200 · driver 570.86.10"]
        assert (new.series, new.runs) == (8, 16)
        assert new.first is not None and new.first.sha == HISTORY.commits[24].sha

    def test_only_differing_fields_are_in_the_matrix(self) -> None:
        labels = [row.label for row in self.PAGE.differing]
        assert "driver" in labels
        assert "machine" not in labels

    def test_absent_and_unknown_are_told_apart(self) -> None:
        mig = next(row for row in self.PAGE.differing if row.label == "MIG profile")
        assert sorted(mig.kinds) == ["absent", "unknown", "unknown"]

    def test_key_fields_come_before_context(self) -> None:
        keys = [row.key for row in self.PAGE.differing]
        assert keys == sorted(keys, reverse=True)
        assert False in keys

    def test_one_lane_has_nothing_to_differ_from(self) -> None:
        alone = read_history(SyntheticHistory(5, shapes=SOURCE.shapes[:1], upgrade=None))
        assert environments_page(alone, None).differing == ()


class TestMethod:
    PAGE = method_page(HISTORY, None)

    def test_every_reason_code_is_explained(self) -> None:
        assert [term.name for _, terms in self.PAGE.reason_groups for term in terms] == list(REASONS)

    def test_every_verdict_is_explained(self) -> None:
        assert {term.name for term in self.PAGE.verdicts} == {v.value for v in Verdict}

    def test_no_blank_of_a_sentence_is_left_open(self) -> None:
        assert not any("{" in term.meaning for _, terms in self.PAGE.reason_groups for term in terms)

    @pytest.mark.parametrize("limit", ["15 MHz", "5 %", "3 processes"])
    def test_tiers_state_their_limits(self, limit: str) -> None:
        assert any(limit in term.meaning for term in self.PAGE.tiers)
