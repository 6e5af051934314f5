"""Models of the benchmark, run, environment and method pages."""

import pytest

from perftrack.core.judgement import Verdict
from perftrack.core.reasons import REASONS
from perftrack.publish.benchmark import benchmark_pages
from perftrack.publish.benchmarkpages import BenchmarkPage
from perftrack.publish.environments import environments_page
from perftrack.publish.gather import read_history
from perftrack.publish.method import method_page
from perftrack.publish.overview import lane_rows
from tests.publish.synthetic import SyntheticHistory

SOURCE = SyntheticHistory(40)
HISTORY = read_history(SOURCE)


def benchmark(name: str) -> BenchmarkPage:
    return next(p for p in benchmark_pages(HISTORY, lane_rows(HISTORY), None) if p.name == name)


class TestBenchmark:
    def test_there_is_one_page_per_benchmark(self) -> None:
        names = [p.name for p in benchmark_pages(HISTORY, lane_rows(HISTORY), None)]
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

    def test_an_entry_has_its_parameters_and_its_newest_result_as_numbers(self) -> None:
        entry = benchmark("matmul").entries[1]
        assert entry.given == (("dtype", "bf16"), ("n", 4096))
        assert entry.value is not None and entry.lo is not None and entry.hi is not None
        assert entry.lo < entry.value < entry.hi
        assert HISTORY.run_commit[entry.run] == len(HISTORY.commits) - 1

    def test_a_failed_entry_says_so(self) -> None:
        assert benchmark("attention").entries[0].status == "failed"

    def test_a_page_gathers_tags_and_source(self) -> None:
        page = benchmark("softmax")
        assert page.tags == ("memory-bound", "norm")
        assert page.source.startswith("benchmarks/bench_gpu.py:")


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
