"""Commits that the store knows and HEAD, or the whole clone, does not."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import scratch
from tests.publish.unpacking import unpacked
from tests.scratch import Scratch


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scratch, str]:
    """A history whose newest recorded commit was replaced and its object dropped; with that commit's SHA."""
    made = scratch.make(tmp_path_factory.mktemp("rewritten") / "project")
    shas = [made.git("rev-parse", "HEAD"), made.commit("Second")]
    made.write("replay.json", scratch.replay(large=5e-4))
    gone = made.commit("Force-pushed away")
    done = made.run("record", *shas, gone, "--quick", "--processes", "4")
    assert done.code == 0, done.err
    made.git("reset", "-q", "--hard", "HEAD~1")
    made.git("reflog", "expire", "--expire=now", "--all")
    made.git("gc", "-q", "--prune=now")
    with pytest.raises(subprocess.CalledProcessError):
        made.git("cat-file", "-e", gone)
    return made, gone


def overview(site: Path) -> str:
    return (site / "index.html").read_text()


def test_the_site_builds_and_labels_a_lost_commit(rewritten: tuple[Scratch, str], tmp_path: Path):
    made, _ = rewritten
    answer = made.run("site", "build", "-o", str(tmp_path / "site"))
    assert answer.code == 0, answer.err
    known = unpacked((tmp_path / "site/data/history.js").read_bytes()).document
    assert "not in history: Force-pushed away" in known["subject"]
    front = overview(tmp_path / "site")
    assert "Force-pushed away" not in front
    assert "Second" in front
    assert made.git("rev-parse", "--short=10", "HEAD~1") in front


def test_the_site_of_a_shallow_clone_builds_without_judgements(history: Scratch, tmp_path: Path):
    clone = tmp_path / "clone"
    source = ["git", "clone", "-q", "--depth", "1", f"file://{history.root}", str(clone)]
    subprocess.run(source, env=scratch.git_environment(), check=True, capture_output=True)
    shutil.copy(history.root / "perftrack.duckdb", clone)
    answer = Scratch(clone).run("site", "build", "-o", str(tmp_path / "site"))
    assert answer.code == 0, answer.err
    assert "nothing to compare yet" in overview(tmp_path / "site")
    assert "Sum in closed form" in overview(tmp_path / "site")


def test_log_has_lost_commits_first_and_says_so(rewritten: tuple[Scratch, str]):
    made, gone = rewritten
    out = made.run("log", "total").out
    assert out.index("not in history: Force-pushed away") < out.index("Start") < out.index("Second")
    assert out.count("not in history") == 1
    points = made.run("log", "total", "--json").document["series"][0]["points"]
    assert [p["in_history"] for p in points] == [False, True, True]
    assert points[0]["sha"] == gone


def test_log_has_another_branch_out_of_history(repo: Scratch):
    repo.run("record", "--quick", "--bench", "total")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("On the side")
    repo.run("record", "--quick", "--bench", "total")
    repo.git("checkout", "-q", "main")
    points = repo.run("log", "total", "--json").document["series"][0]["points"]
    assert [(p["sha"] == side, p["in_history"]) for p in points] == [(True, False), (False, True)]


@pytest.mark.parametrize("digits", [40, 12])
def test_a_recorded_sha_is_a_revision_although_git_has_lost_it(rewritten: tuple[Scratch, str], digits: int):
    made, gone = rewritten
    shown = made.run("show", gone[:digits], "--json")
    assert shown.code == 0, shown.err
    assert shown.document["commit"]["sha"] == gone
    compared = made.run("compare", "HEAD", gone[:digits], "--json")
    assert compared.code == 3, compared.err
    assert compared.document["summary"]["regression"] == 1


def test_an_unknown_revision_is_still_gits_error(rewritten: tuple[Scratch, str]):
    made, _ = rewritten
    for revision in ("0" * 40, "nowhere"):
        assert "there is no commit" in made.run("show", revision).err


@pytest.mark.parametrize(
    ("pattern", "cases"),
    [
        ("size=10]", {"tokenize[size=10]"}),
        ("tokenize*", {"tokenize[size=10]", "tokenize[size=1000]"}),
        ("*size=1000]", {"tokenize[size=1000]"}),
        ("bench_text.py", {"tokenize[size=10]", "tokenize[size=1000]", "total", "source_size"}),
        ("benchmarks/bench_text.py::total", {"total"}),
        ("::tokenize", {"tokenize[size=10]", "tokenize[size=1000]"}),
    ],
)
def test_recorded_cases_are_chosen_as_those_to_record(history: Scratch, pattern: str, cases: set[str]):
    for command, key in ((["show"], "measurements"), (["compare", "HEAD"], "cases")):
        document = history.run(*command, "--json", "--bench", pattern).document
        assert {m["case"] for m in document[key]} == cases


@pytest.mark.parametrize("pattern", ["ota*", "::tok", "bench_none.py"])
@pytest.mark.parametrize("command", [["show"], ["compare", "HEAD"]])
def test_a_pattern_that_no_recorded_case_fits_is_wrong_usage(history: Scratch, command: list[str], pattern: str):
    answer = history.run(*command, "--bench", "total", "--bench", pattern)
    assert answer.code == 2
    assert pattern in answer.err


def test_a_pattern_may_mean_a_case_of_one_side_only(repo: Scratch):
    repo.run("record", "--quick", "--bench", "total")
    repo.commit("Next")
    repo.run("record", "--quick", "--bench", "tokenize")
    for sides in (["HEAD~1", "HEAD"], ["HEAD", "HEAD~1"]):
        answer = repo.run("compare", *sides, "--bench", "total", "--json")
        assert [c["verdict"] for c in answer.document["cases"]] == ["not-comparable"], answer.err


def test_list_says_that_there_is_no_benchmark(repo: Scratch):
    repo.write("benchmarks/bench_text.py", "")
    answer = repo.run("list")
    assert answer.code == 1
    assert "Error: no benchmark was found in benchmarks" in answer.err
    assert "@perftrack.benchmark" in answer.err
    assert answer.out == ""
    assert json.loads(repo.run("list", "--json").out)["cases"] == []


def test_a_site_has_cases_that_read_alike_apart(repo: Scratch, tmp_path: Path):
    text = "import perftrack as pt\n@pt.metric(unit='B', direction='lower', params={'n': [VALUE]})\ndef size(n):\n"
    for value in ("1", "'1'"):
        repo.write("benchmarks/bench_text.py", text.replace("VALUE", value) + "    return 5\n")
        repo.commit(value)
        done = repo.run("record", "--quick", replayed=False)
        assert done.code == 0, done.err
    answer = repo.run("site", "build", "-o", str(tmp_path / "site"))
    assert answer.code == 0, answer.err
    assert len(list((tmp_path / "site/data/series").iterdir())) == 2
