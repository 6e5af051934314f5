"""show, log, compare, env, config and site over one recorded history of three commits."""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import version
from importlib.util import find_spec

import pytest

from tests import scratch
from tests.scratch import Scratch


class TestShow:
    def test_values_have_intervals_units_and_tiers(self, history: Scratch):
        answer = history.run("show", "HEAD~2")
        assert answer.code == 0
        (line,) = [x for x in answer.out.splitlines() if "size=1000" in x]
        assert re.search(r" (99|100)\.\d+ µs ± 0\.\d+ %", line)
        assert " B " in line

    def test_json_has_the_documented_keys(self, history: Scratch):
        document = history.run("show", "--json").document
        assert document["schema_version"] == 1
        keys = {"case", "params", "metric", "value", "interval", "unit", "tier", "reasons", "fingerprint"}
        assert all(keys <= set(m) for m in document["measurements"])

    def test_samples_are_given_by_process_and_window(self, history: Scratch):
        document = history.run("show", "--json", "--samples", "--bench", "total").document
        (total,) = document["measurements"]
        assert len(total["process_samples"]) == 3
        assert all(len(windows) == 3 for windows in total["process_samples"])

    def test_a_commit_without_data_says_what_to_run(self, repo: Scratch):
        repo.run("record", "--quick")
        repo.commit("Unmeasured")
        answer = repo.run("show")
        assert answer.code == 1
        assert "nothing is recorded for HEAD" in answer.err
        assert "perftrack record HEAD" in answer.err

    @pytest.mark.parametrize(
        "command", [["show"], ["log", "x"], ["compare", "HEAD"], ["env", "diff", "HEAD", "HEAD"]]
    )
    def test_without_a_store_every_reader_says_what_to_run(self, repo: Scratch, command):
        answer = repo.run(*command)
        assert answer.code == 1
        assert "perftrack record" in answer.err
        assert answer.out == ""


class TestLog:
    def test_every_commit_is_a_row_oldest_first(self, history: Scratch):
        out = history.run("log", "tokenize[size=1000]").out
        assert out.index("Start") < out.index("Scan the text twice") < out.index("Sum in closed form")
        assert "▁██" in out

    def test_part_of_a_name_means_every_case_with_it(self, history: Scratch):
        document = history.run("log", "tokenize", "--json").document
        assert {s["case"] for s in document["series"]} == {"tokenize[size=10]", "tokenize[size=1000]"}

    def test_limit_keeps_the_newest(self, history: Scratch):
        (series,) = history.run("log", "total", "--limit", "1", "--json").document["series"]
        assert [p["sha"] for p in series["points"]] == [history.git("rev-parse", "HEAD")]

    def test_an_unknown_benchmark_is_wrong_usage_and_names_others(self, history: Scratch):
        answer = history.run("log", "nothing-like-it")
        assert answer.code == 2
        assert "tokenize" in answer.err


class TestCompare:
    def test_a_regression_is_found_and_exits_3(self, history: Scratch):
        answer = history.run("compare", "HEAD~2", "HEAD~1", "--json")
        assert answer.code == 3
        (worse,) = [c for c in answer.document["cases"] if c["verdict"] == "regression"]
        assert worse["case"] == "tokenize[size=1000]"
        assert worse["effect"] == pytest.approx(0.693, abs=0.02)
        assert worse["interval"][0] < worse["effect"] < worse["interval"][1]
        assert worse["baseline_value"] == pytest.approx(1e-4, rel=0.01)
        assert answer.document["summary"]["regression"] == 1

    def test_an_improvement_exits_0(self, history: Scratch):
        answer = history.run("compare", "HEAD~1", "HEAD", "--json")
        assert answer.code == 0
        verdicts = {c["case"]: c["verdict"] for c in answer.document["cases"]}
        assert verdicts["total"] == "improvement"
        assert verdicts["source_size"] == "unchanged"

    def test_a_commit_with_itself_is_unchanged(self, history: Scratch):
        answer = history.run("compare", "HEAD", "HEAD")
        assert answer.code == 0
        assert answer.out.splitlines()[-1] == "4 unchanged"

    def test_the_text_hides_the_unchanged_and_counts_them(self, history: Scratch):
        answer = history.run("compare", "HEAD~2", "HEAD~1")
        assert "source_size" not in answer.out
        assert "1 regression" in answer.out.splitlines()[-1]
        assert "source_size" in history.run("compare", "HEAD~2", "HEAD~1", "--all").out

    def test_the_candidate_is_head_by_default(self, history: Scratch):
        named = history.run("compare", "HEAD~2", "HEAD", "--json").document
        assert history.run("compare", "HEAD~2", "--json").document == named

    def test_without_a_baseline_it_is_the_first_parent_on_the_main_branch_and_is_named(self, history: Scratch):
        answer = history.run("compare")
        assert answer.code == 0
        assert (
            f"baseline  {history.git('rev-parse', '--short=12', 'HEAD~1')} Scan the text twice (first parent)"
            in (answer.out)
        )
        document = history.run("compare", "--candidate", "HEAD~1", "--json").document
        assert document["baseline"]["commit"]["sha"] == history.git("rev-parse", "HEAD~2")
        assert (document["baseline"]["found"], document["baseline"]["unmeasured_skipped"]) == ("first parent", 0)

    def test_a_commit_without_an_ancestor_has_no_baseline(self, history: Scratch):
        answer = history.run("compare", "--candidate", "HEAD~2")
        assert answer.code == 1
        assert "no ancestor" in answer.err
        assert "perftrack compare BASE" in answer.err

    def test_a_comment_starts_with_its_marker_and_links_into_the_site(self, history: Scratch):
        out = history.run("compare", "HEAD~2", "HEAD", "--markdown", "--site-url", "https://x.example/p").out
        assert out.startswith("<!-- perftrack -->\n")
        assert "](https://x.example/p/benchmarks/tokenize-" in out

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--markdown", "--site-url", "javascript:alert(1)"],
            ["--site-url", "https://x.example"],
            ["HEAD~1", "HEAD", "--candidate", "HEAD"],
        ],
    )
    def test_options_that_do_not_fit_are_wrong_usage(self, history: Scratch, arguments):
        answer = history.run("compare", *arguments)
        assert answer.code == 2
        assert "Hint" in answer.err or "address" in answer.err

    def test_junit_is_written_beside_the_answer(self, history: Scratch, tmp_path):
        answer = history.run("compare", "HEAD~2", "HEAD", "--json", "--junit", str(tmp_path / "x.xml"))
        assert answer.code == 3
        assert answer.document["summary"]["regression"] == 1
        assert 'failures="1"' in (tmp_path / "x.xml").read_text()

    def test_the_average_stands_apart_and_the_lane_s_noise_is_shown(self, history: Scratch):
        answer = history.run("compare", "HEAD~2", "HEAD")
        *_, average, last = answer.out.splitlines()
        assert re.fullmatch(r"geometric mean of time \(lower is better\): \S+ % over 3 cases", average)
        assert "%" not in last
        (mean,) = history.run("compare", "HEAD~2", "HEAD", "--json").document["geometric_means"]
        assert mean["ratio"] == pytest.approx(1.0, abs=0.01)
        assert "lane noise" in answer.out
        assert "detectable" in answer.out

    def test_the_most_significant_comes_first(self, history: Scratch):
        cases = history.run("compare", "HEAD~2", "HEAD", "--json").document["cases"]
        assert [c["verdict"] for c in cases[:2]] == ["regression", "improvement"]

    def test_without_a_history_few_processes_decide_nothing_and_the_text_says_what_to_run(self, repo: Scratch):
        repo.run("record", "--quick", "--processes", "3", "--bench", "size=1000")
        repo.write("replay.json", scratch.replay(large=2.7e-4))
        repo.commit("Much slower")
        repo.run("record", "--quick", "--processes", "3", "--bench", "size=1000")
        answer = repo.run("compare", "HEAD~1")
        assert answer.code == 4
        assert "1 inconclusive" in answer.out
        assert "+170 %" in answer.out
        assert "--processes 4" in answer.out

    def test_without_a_history_the_default_number_of_processes_decides(self, repo: Scratch):
        repo.run("record", "--bench", "size=1000")
        repo.write("replay.json", scratch.replay(large=2.7e-4))
        repo.commit("Much slower")
        repo.run("record", "--bench", "size=1000")
        answer = repo.run("compare", "HEAD~1")
        assert answer.code == 3
        assert "note (1 of 1): a permutation test of 4 against 4 processes" in answer.out

    def test_an_edited_benchmark_is_not_comparable(self, repo: Scratch):
        repo.run("record", "--quick", "--bench", "total")
        edited = scratch.BENCHMARKS.replace("sum(range(10))", "sum(range(20))")
        repo.write("benchmarks/bench_text.py", edited)
        repo.commit("Edit the benchmark")
        repo.run("record", "--quick", "--bench", "total")
        answer = repo.run("compare", "HEAD~1", "--json")
        assert answer.code == 4
        assert answer.document["cases"][0]["reasons"][0]["code"] == "benchmark-changed"

    @pytest.mark.parametrize("option", [["--rounds", "9"], ["--budget", "5"], ["--build", "x"], ["--seed", "1"]])
    def test_options_of_live_comparisons_are_refused_without_it(self, history: Scratch, option):
        answer = history.run("compare", "HEAD~1", *option)
        assert answer.code == 2
        assert "--live" in answer.err

    def test_a_threshold_that_is_no_number_is_wrong_usage(self, history: Scratch):
        assert history.run("compare", "HEAD~1", "--threshold", "nan").code == 2

    def test_a_threshold_above_the_change_makes_it_no_regression(self, history: Scratch):
        answer = history.run("compare", "HEAD~2", "HEAD~1", "--threshold", "2", "--json")
        assert answer.code == 0
        assert {c["verdict"] for c in answer.document["cases"]} == {"unchanged"}

    def test_two_formats_at_once_are_wrong_usage(self, history: Scratch):
        assert history.run("compare", "HEAD~1", "--json", "--markdown").code == 2

    def test_one_process_a_side_is_inconclusive_and_exits_4(self, repo: Scratch):
        repo.run("record", "--quick", "--processes", "1", "--bench", "total")
        repo.write("replay.json", scratch.replay(total=9e-7))
        repo.commit("Slower")
        repo.run("record", "--quick", "--processes", "1", "--bench", "total")
        answer = repo.run("compare", "HEAD~1", "--json")
        assert answer.code == 4
        assert answer.document["cases"][0]["verdict"] == "inconclusive"
        assert answer.document["cases"][0]["reasons"][0]["code"] == "noise-unknown"

    def test_another_environment_is_not_comparable_and_names_the_field(self, repo: Scratch):
        repo.run("record", "--quick", "--bench", "total")
        other = json.loads(scratch.replay())
        other["fingerprint"]["cpu_model"] = "Another"
        repo.write("replay.json", json.dumps(other))
        repo.commit("Other machine")
        repo.run("record", "--quick", "--bench", "total")
        answer = repo.run("compare", "HEAD~1", "--json")
        assert answer.code == 4
        (case,) = answer.document["cases"]
        assert case["verdict"] == "not-comparable"
        assert case["reasons"][0]["message"] == "CPU: Replayed → Another"
        diff = repo.run("env", "diff", "HEAD~1", "HEAD", "--json").document
        assert diff["comparable"] is False
        assert [d["field"] for d in diff["differences"] if d["refuses"]] == ["cpu_model"]

    def test_a_failed_case_is_failed_and_does_not_pass(self, repo: Scratch):
        repo.run("record", "--quick")
        broken = json.loads(scratch.replay())
        broken["cases"]["total"]["time"]["fail"] = "device lost"
        repo.write("replay.json", json.dumps(broken))
        repo.commit("Breaks total")
        repo.run("record", "--quick")
        answer = repo.run("compare", "HEAD~1", "--json")
        assert answer.code == 4
        (failed,) = [c for c in answer.document["cases"] if c["verdict"] == "failed"]
        assert "device lost" in failed["reasons"][0]["message"]

    def test_a_case_that_failed_on_the_baseline_alone_is_new(self, repo: Scratch):
        good = scratch.replay()
        broken = json.loads(good)
        broken["cases"]["total"]["time"]["fail"] = "no such function yet"
        repo.write("replay.json", json.dumps(broken))
        repo.commit("Before total worked")
        repo.run("record", "--quick", "--processes", "4")
        repo.write("replay.json", good)
        repo.commit("Total works")
        repo.run("record", "--quick", "--processes", "4")
        answer = repo.run("compare", "HEAD~1", "--json", "--threshold", "0.5")
        assert answer.code == 0, answer.out
        (new,) = [c for c in answer.document["cases"] if c["verdict"] == "not-comparable"]
        assert (new["case"], new["baseline_value"]) == ("total", None)
        assert "failed in baseline: no such function yet" in new["reasons"][0]["message"]

    def test_a_new_case_does_not_block(self, repo: Scratch):
        repo.run("record", "--quick", "--bench", "source_size")
        repo.commit("Second")
        repo.run("record", "--quick")
        answer = repo.run("compare", "HEAD~1", "--json")
        assert answer.document["summary"]["not-comparable"] == 3
        assert answer.code == 0

    def test_a_case_that_is_gone_blocks(self, repo: Scratch):
        repo.run("record", "--quick")
        repo.commit("Second")
        repo.run("record", "--quick", "--bench", "total")
        assert repo.run("compare", "HEAD~1").code == 4


class TestAccept:
    def test_an_accepted_regression_passes_the_gate(self, repo: Scratch):
        repo.run("record", "--quick", "--processes", "4", "--bench", "total")
        repo.write("replay.json", scratch.replay(total=9e-7))
        repo.commit("Slower")
        repo.run("record", "--quick", "--processes", "4", "--bench", "total")
        assert repo.run("compare").code == 3
        answer = repo.run("accept", "total", "--at", "HEAD", "--reason", "keeps carries")
        assert answer.code == 0, answer.err
        assert "Commit perftrack-epochs.toml" in answer.out
        after = repo.run("compare", "--json")
        assert after.code == 0
        assert after.document["cases"][0]["reasons"][0] == {
            "code": "accepted",
            "message": f"accepted at {repo.git('rev-parse', '--short=12', 'HEAD')}: keeps carries",
        }
        assert repo.run("accept", "total", "--at", "HEAD", "--reason", "again").code == 1

    def test_a_broken_file_of_epochs_is_an_error_that_names_it(self, history: Scratch, tmp_path):
        path = history.write("perftrack-epochs.toml", "[[epoch]]\n")
        try:
            answer = history.run("compare", "HEAD~1", "HEAD")
        finally:
            path.unlink()
        assert answer.code == 1
        assert "perftrack-epochs.toml" in answer.err
        assert "epoch 1: needs `bench`" in answer.err


class TestEnv:
    def test_the_replayed_environment_is_shown(self, repo: Scratch):
        document = repo.run("env", "--device", "replay", "--json").document
        fields = {f["field"]: f for f in document["fields"]}
        assert fields["device_kind"]["value"] == "replay"
        assert fields["cpu_model"]["value"] == "Replayed"

    def test_the_cpu_here_is_known(self, repo: Scratch):
        fields = {f["field"]: f["value"] for f in repo.run("env", "--device", "cpu", "--json").document["fields"]}
        assert fields["cpu_model"]
        assert fields["cpu_cores"] >= 1
        assert fields["torch_version"] == (version("torch") if find_spec("torch") else None)

    def test_a_device_that_is_not_there_is_an_error(self, repo: Scratch):
        answer = repo.run("env", "--device", "cuda")
        assert answer.code == 1
        assert "Error: " in answer.err

    def test_a_device_whose_opening_kills_the_worker_is_an_error(self, repo: Scratch):
        (repo.root / ".git" / "torch.py").write_text("import os; os._exit(9)")
        path = scratch.command_environment(replayed=True)["PYTHONPATH"]
        answer = repo.run("env", "--device", "cuda", PYTHONPATH=f"{repo.root / '.git'}{os.pathsep}{path}")
        assert answer.code == 1
        assert "Error: the worker exited with code 9" in answer.err
        assert "unexpected" not in answer.err

    def test_equal_environments_are_comparable(self, history: Scratch):
        answer = history.run("env", "diff", "HEAD~1", "HEAD")
        assert answer.code == 0
        assert answer.out.splitlines()[-1] == "comparable"

    def test_a_policy_moves_a_field_and_is_part_of_the_key(self, repo: Scratch):
        before = repo.run("env", "--device", "replay", "--json").document["key"]
        repo.write("perftrack.toml", 'device = "replay"\nfingerprint-context = ["cpu_model"]\n')
        after = repo.run("env", "--device", "replay", "--json").document
        assert after["key"] != before
        assert {f["field"]: f["role"] for f in after["fields"]}["cpu_model"] == "context"

    def test_a_policy_with_an_unknown_field_is_refused(self, repo: Scratch):
        repo.write("perftrack.toml", 'device = "replay"\nfingerprint-context = ["cpu_colour"]\n')
        answer = repo.run("env", "--device", "replay")
        assert answer.code == 1
        assert "cpu_colour" in answer.err


class TestConfig:
    def test_values_in_force_are_shown(self, repo: Scratch):
        document = repo.run("config", "show", "--json").document
        assert document["settings"]["device"] == "replay"
        assert document["settings"]["processes"] == 4
        assert document["file"].endswith("perftrack.toml")

    def test_the_store_may_be_put_elsewhere(self, repo: Scratch, tmp_path):
        elsewhere = tmp_path / "x.duckdb"
        assert repo.run("config", "show", "--json", PERFTRACK_STORE=str(elsewhere)).document["store"] == str(
            elsewhere
        )
        repo.run("record", "--quick", "--store", str(elsewhere), "--bench", "total")
        assert elsewhere.exists()
        assert not (repo.root / "perftrack.duckdb").exists()
        assert repo.run("show", "--store", str(elsewhere)).code == 0

    def test_a_broken_configuration_names_every_problem(self, repo: Scratch):
        repo.write("perftrack.toml", "proceses = 3\nwindows = 0\n")
        answer = repo.run("config", "show")
        assert answer.code == 1
        assert "2 problems" in answer.err


class TestList:
    def test_cases_are_listed_with_their_place(self, repo: Scratch):
        out = repo.run("list").out
        assert "tokenize[size=1000]" in out
        assert "benchmarks/bench_text.py:5" in out

    def test_a_broken_file_exits_1_and_lists_the_rest(self, repo: Scratch):
        repo.write("benchmarks/bench_broken.py", "import nope_nope\n")
        answer = repo.run("list")
        assert answer.code == 1
        assert "Error: benchmarks/bench_broken.py:1: ModuleNotFoundError" in answer.err
        assert "total" in answer.out

    def test_torch_is_not_imported_for_a_cpu_project(self, repo: Scratch):
        text = scratch.BENCHMARKS + "\nimport sys\n@pt.metric(unit='', direction='lower')\ndef torch_loaded():\n"
        repo.write("benchmarks/bench_text.py", text + "    return int('torch' in sys.modules)\n")
        repo.commit("Look")
        answer = repo.run("record", "--quick", "--json", "--bench", "torch_loaded", replayed=False)
        (run,) = answer.document["runs"]
        assert run["measurements"][0]["value"] == 0


class TestSite:
    def test_a_site_is_built_and_opens_from_its_index(self, history: Scratch, tmp_path):
        answer = history.run("site", "build", "--output", str(tmp_path / "site"), "--json")
        assert answer.code == 0, answer.err
        assert (tmp_path / "site/index.html").exists()
        assert answer.document["pages"] >= 8

    def test_the_same_store_gives_the_same_bytes(self, history: Scratch, tmp_path):
        for name in ("one", "two"):
            assert history.run("site", "build", "-o", str(tmp_path / name)).code == 0
        files = [sorted(p.relative_to(tmp_path / n) for p in (tmp_path / n).rglob("*")) for n in ("one", "two")]
        assert files[0] == files[1]
        for name in files[0]:
            if (tmp_path / "one" / name).is_file():
                assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

    def test_a_foreign_folder_is_not_overwritten(self, history: Scratch, tmp_path):
        (tmp_path / "index.html").write_text("mine")
        answer = history.run("site", "build", "-o", str(tmp_path))
        assert answer.code == 1
        assert (tmp_path / "index.html").read_text() == "mine"

    def test_the_default_site_does_not_make_the_tree_dirty(self, repo: Scratch):
        repo.run("record", "--quick", "--bench", "total")
        assert repo.run("site", "build").code == 0
        assert repo.run("record", "--quick", "--bench", "total").code == 0


def test_a_closed_pipe_is_no_traceback(history: Scratch):
    import subprocess
    import sys

    from tests.scratch import command_environment

    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m perftrack show --json --samples | head -c 10"],
        cwd=history.root,
        env=command_environment(replayed=True),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
