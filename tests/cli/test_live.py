"""perftrack compare --live: both commits measured now, in fresh processes that take turns."""

from __future__ import annotations

import json

import pytest

from tests import scratch
from tests.scratch import Scratch


@pytest.fixture
def pair(repo: Scratch) -> Scratch:
    """A second commit in which large texts take 10 % longer."""
    repo.write("replay.json", scratch.replay(large=1.1e-4))
    repo.commit("Slower")
    return repo


def test_a_regression_is_found_without_anything_recorded(pair: Scratch):
    answer = pair.run("compare", "HEAD~1", "--live", "--json", "--bench", "size=1000", "--seed", "1")
    assert answer.code == 3, answer.err
    (case,) = answer.document["cases"]
    assert case["verdict"] == "regression"
    assert case["effect"] == pytest.approx(0.0953, abs=0.003)
    assert "live" in [r["code"] for r in case["reasons"]]
    assert "noise-unknown" not in [r["code"] for r in case["reasons"]]
    assert not (pair.root / "perftrack.duckdb").exists()


def test_equal_commits_are_unchanged_after_the_fewest_rounds(repo: Scratch):
    repo.commit("Nothing")
    answer = repo.run("compare", "HEAD~1", "--live", "--json", "--bench", "size=1000", "--seed", "2")
    assert answer.code == 0, answer.err
    (case,) = answer.document["cases"]
    assert case["verdict"] == "unchanged"
    assert "6 rounds" in next(r["message"] for r in case["reasons"] if r["code"] == "live")


def test_worktrees_are_gone_and_the_checkout_is_untouched(pair: Scratch):
    pair.write("scribble.txt", "mine")
    pair.run("compare", "HEAD~1", "--live", "--bench", "total")
    assert pair.git("worktree", "list").count("\n") == 0
    assert pair.git("status", "--porcelain") == "?? scribble.txt"


def test_a_case_that_fails_on_one_side_is_failed_and_blocks(repo: Scratch):
    text = scratch.BENCHMARKS.replace("return lambda: sum(range(10))", "import mylib\n    return mylib.work")
    repo.write("benchmarks/bench_text.py", text)
    repo.write("mylib.py", "def work():\n    pass\n")
    repo.commit("Library")
    repo.write("mylib.py", "def work():\n    raise ValueError('broken here')\n")
    repo.commit("Breaks it")
    answer = repo.run("compare", "HEAD~1", "--live", "--json", "--bench", "total")
    assert answer.code == 4
    assert "broken here" in answer.document["cases"][0]["reasons"][0]["message"]


def test_a_case_that_only_the_candidate_can_run_is_new_and_does_not_block(repo: Scratch):
    text = scratch.BENCHMARKS.replace("return lambda: sum(range(10))", "import mylib\n    return mylib.work")
    repo.commit("Without the library")
    repo.write("benchmarks/bench_text.py", text)
    repo.write("mylib.py", "def work():\n    pass\n")
    repo.commit("With it")
    answer = repo.run(
        "compare", "HEAD~1", "--live", "--json", "--bench", "total", "--bench", "size=1000", "--seed", "4"
    )
    assert answer.code == 0, answer.err
    verdicts = {c["case"]: c["verdict"] for c in answer.document["cases"]}
    assert verdicts == {"total": "not-comparable", "tokenize[size=1000]": "unchanged"}
    (new,) = [c for c in answer.document["cases"] if c["case"] == "total"]
    assert "failed in baseline: ModuleNotFoundError" in new["reasons"][0]["message"]
    assert new["candidate_value"] is not None


def test_a_baseline_that_fails_now_and_then_is_no_new_case(repo: Scratch):
    broken = json.loads(scratch.replay())
    broken["cases"]["total"]["time"]["fail"] = {"process": 2, "message": "lost now and then"}
    repo.write("replay.json", json.dumps(broken))
    repo.commit("Shaky")
    repo.write("replay.json", scratch.replay())
    repo.commit("Steady")
    answer = repo.run("compare", "HEAD~1", "--live", "--json", "--bench", "total", "--seed", "5")
    assert answer.code == 4
    assert answer.document["cases"][0]["verdict"] == "failed"


def test_one_commit_twice_is_an_error(repo: Scratch):
    answer = repo.run("compare", "HEAD", "HEAD", "--live")
    assert answer.code == 1
    assert "same commit" in answer.err


def test_a_build_that_fails_is_told_with_its_side_and_log(pair: Scratch):
    answer = pair.run("compare", "HEAD~1", "--live", "--build", "echo no compiler; false")
    assert answer.code == 1
    assert "no compiler" in answer.err


def test_rounds_are_limited(pair: Scratch):
    noisy = scratch.replay().replace('"noise": 0.002', '"noise": 0.5')
    pair.write("replay.json", noisy)
    pair.commit("Noisy")
    answer = pair.run("compare", "HEAD~1", "--live", "--json", "--bench", "total", "--rounds", "8", "--seed", "3")
    (case,) = answer.document["cases"]
    assert "8 rounds" in next(r["message"] for r in case["reasons"] if r["code"] == "live")


def test_accepted_changes_that_cannot_be_read_are_told_before_anything_is_measured(pair: Scratch):
    pair.write("perftrack-epochs.toml", "[[epoch]]\nbench = 1\n")
    answer = pair.run("compare", "HEAD~1", "--live", "--bench", "total")
    assert answer.code == 1
    assert "perftrack-epochs.toml" in answer.err
    assert "round" not in answer.err


def test_an_accepted_change_is_no_regression_and_does_not_block(pair: Scratch):
    sha = pair.git("rev-parse", "HEAD")
    entry = f'[[epoch]]\nbench = "tokenize"\nat = "{sha}"\nreason = "keeps offsets"\n'
    pair.write("perftrack-epochs.toml", entry)
    run = ("compare", "HEAD~1", "--live", "--json", "--seed", "1", "--rounds", "6", "--bench", "size=1000")
    answer = pair.run(*run)
    (case,) = answer.document["cases"]
    assert (case["verdict"], case["reasons"][0]["code"]) == ("not-comparable", "accepted")
    assert answer.code == 0
