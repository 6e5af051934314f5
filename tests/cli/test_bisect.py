"""perftrack bisect, whole: real Git, real workers, replayed times."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from perftrack.store import Store
from perftrack.store.blames import read_blames
from tests import fake_ncu, slowdown
from tests.scratch import Answer, command_environment
from tests.slowdown import Slowdown


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Slowdown:
    """Eight commits; number 5 made `total` 5 % slower, number 2 does not build."""
    return slowdown.make(tmp_path_factory.mktemp("bisect") / "project", 8, 5, broken={2})


@pytest.fixture(scope="module")
def found(made: Slowdown) -> Answer:
    """The whole search, with a scribble in the user's tree."""
    made.repo.write("scribble.txt", "mine")
    return made.bisect("--json")


def journals(made: Slowdown) -> list[Path]:
    return sorted((made.repo.root / ".git" / "perftrack").glob("bisect-*.jsonl"))


def worktrees(made: Slowdown) -> int:
    return made.repo.git("worktree", "list").count("\n")


def interrupted(made: Slowdown, number: int, *arguments: str) -> tuple[int, str]:
    """A search that gets a signal once it has measured something; its exit code and what it said."""
    command = [sys.executable, "-m", "perftrack", "bisect", "--bench", "total", made.good, made.bad]
    environment = command_environment(replayed=True) | {"XDG_STATE_HOME": str(made.repo.state)}
    process = subprocess.Popen(
        [*command, "--seed", "1", *arguments],
        cwd=made.repo.root,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: any(b'"visit"' in path.read_bytes() for path in journals(made)))
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def wait_for(condition: Callable[[], bool], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_culprit_is_found_confirmed_and_explained(made: Slowdown, found: Answer) -> None:
    assert found.code == 0, found.err
    answer = found.document
    assert (answer["outcome"], answer["culprit"]["sha"]) == ("found", made.culprit)
    assert answer["probability"] >= 0.99
    assert [p["sha"] for p in answer["posterior"]] == made.shas[1:]
    assert max(answer["posterior"], key=lambda p: p["probability"])["sha"] == made.culprit
    assert (answer["confirmed"]["before"], answer["confirmed"]["after"]) == (made.shas[4], made.culprit)
    low, high = answer["confirmed"]["interval"]
    assert low < 0.0488 < high < 0.07
    assert {f["path"] for f in answer["files"]} == {"notes.txt", "replay.json"}
    assert answer["message"] == "Commit 5"


def test_progress_shows_the_posterior_narrowing(found: Answer) -> None:
    shown = [line for line in found.err.splitlines() if "hold" in line]
    held = [int(line.rpartition("| ")[2].split()[0]) for line in shown]
    assert held[0] > held[-1] == 1
    assert "to come" in shown[0]


def test_the_users_tree_is_untouched_and_nothing_is_left_behind(made: Slowdown, found: Answer) -> None:
    assert found.code == 0
    assert worktrees(made) == 0
    assert made.repo.git("status", "--porcelain") == "?? scribble.txt"
    assert journals(made) == []


def test_the_answer_is_stored(made: Slowdown, found: Answer) -> None:
    (blame,) = read_blames(Store(made.repo.root / "perftrack.duckdb"), "total")[-1:]
    assert (blame.culprit, blame.metric, blame.good, blame.bad) == (made.culprit, "time", made.good, made.bad)
    assert blame.measurements == found.document["measurements"]
    assert [c.sha for c in Store(made.repo.root / "perftrack.duckdb").commits()]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> tuple[Slowdown, int, str]:
    """A search ended by Ctrl-C, its exit code and what it said."""
    made = slowdown.make(tmp_path_factory.mktemp("left") / "project", 3, 2)
    return made, *interrupted(made, signal.SIGINT)


def test_an_interrupted_search_leaves_a_state_and_no_worktree(left: tuple[Slowdown, int, str]) -> None:
    made, code, said = left
    assert code == 130
    assert "--resume" in said
    assert "Traceback" not in said
    assert worktrees(made) == 0
    assert len(journals(made)) == 1


def test_a_second_search_of_the_range_refuses_unless_it_resumes(left: tuple[Slowdown, int, str]) -> None:
    refused = left[0].bisect()
    assert refused.code == 2
    assert "a search of this range was left" in refused.err
    assert "--resume" in refused.err
    assert len(journals(left[0])) == 1


def test_a_search_that_was_ended_before_its_first_visit_stands_in_nobodys_way(
    left: tuple[Slowdown, int, str],
) -> None:
    made = left[0]
    (path,) = journals(made)
    before = path.read_bytes()
    path.write_bytes(before.splitlines(keepends=True)[0])
    answer = made.bisect("--budget", "1")
    begun = path.read_bytes()
    path.write_bytes(before)
    assert answer.code == 4, answer.err
    assert "goes on from here" in answer.out
    assert begun.count(b'"visit"') == 1


def test_a_search_of_another_environment_does_not_go_on(left: tuple[Slowdown, int, str]) -> None:
    made = left[0]
    (path,) = journals(made)
    before = path.read_text()
    first, *rest = before.splitlines()
    changed = json.loads(first)
    changed["heading"]["environment"]["cpu_model"] = "Another"
    path.write_text("\n".join([json.dumps(changed), *rest]) + "\n")
    answer = made.bisect("--resume")
    path.write_text(before)
    assert answer.code == 1
    assert "another environment" in answer.err
    assert "--restart" in answer.err


@pytest.mark.slow
def test_a_killed_search_goes_on_as_if_nothing_had_been(tmp_path: Path, found: Answer) -> None:
    made = slowdown.make(tmp_path / "project", 8, 5, broken={2})
    interrupted(made, signal.SIGKILL)
    (path,) = journals(made)
    with path.open("ab") as file:
        file.write(b'{"visit": [["')  # what a power cut leaves of a line
    ended = made.bisect("--resume", "--budget", "18", "--json", ends=False)
    assert (ended.code, ended.document["outcome"]) == (4, "budget")
    assert ended.document["culprit"] is None
    assert made.culprit in {c["sha"] for c in ended.document["block"]}
    assert ended.document["measurements"] <= 18
    resumed = made.bisect("--resume", "--budget", "200", "--json", ends=False)
    assert resumed.code == 0, resumed.err
    probabilities = [[p["probability"] for p in a.document["posterior"]] for a in (resumed, found)]
    assert probabilities[0] == pytest.approx(probabilities[1], rel=1e-6)
    assert resumed.document["measurements"] == found.document["measurements"]
    assert (worktrees(made), journals(made)) == (0, [])


@pytest.mark.slow
def test_benchmark_files_that_change_meanwhile_stop_the_search_and_it_can_go_on(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 3, 2)
    process = subprocess.Popen(
        [sys.executable, "-m", "perftrack", "bisect", "--bench", "total", made.good, made.bad],
        cwd=made.repo.root,
        env=command_environment(replayed=True),
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: any(path.stat().st_size for path in journals(made)))
    made.repo.write("benchmarks/bench_more.py", "MORE = 1\n")
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "changed while the search went on" in said
    assert (worktrees(made), len(journals(made))) == (0, 1)


def test_a_difference_that_does_not_reproduce_is_an_answer(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 3, 2, change=-0.05)
    answer = made.bisect()
    assert answer.code == 4, answer.err
    assert "BAD is the better one" in answer.out
    assert "other way round" in answer.out
    assert journals(made) == []


@pytest.mark.slow
def test_a_branch_that_left_before_good_was_made_fast_is_not_to_blame(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 1, 0, fast_again={1})  # c0 is slow, c1 is GOOD
    repo, slow = made.repo, (tmp_path / "project" / "replay.json", slowdown.replayed(1.05e-3, 0.004))
    repo.git("checkout", "-q", "-b", "side", made.shas[0])
    repo.commit("Aside", aside_dot_txt="1\n")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "side")
    slow[0].write_text(slow[1])
    merge = repo.commit("Lose what GOOD won")
    answer = repo.run("bisect", "--bench", "total", made.shas[1], merge, "--seed", "1", "--json")
    assert answer.code == 0, answer.err
    assert (answer.document["outcome"], answer.document["culprit"]) == ("base", None)
    assert [c["sha"] for c in answer.document["block"]] == [made.shas[0]]


@pytest.mark.slow
def test_a_first_commit_of_another_history_is_told_with_its_message_and_files(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 1, 1, change=0.0)
    repo = made.repo
    repo.git("checkout", "-q", "--orphan", "other")
    (repo.root / "replay.json").write_text(slowdown.replayed(1.05e-3, 0.004))
    root = repo.commit("Begin elsewhere\n\nIts body.")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "--allow-unrelated-histories", "-X", "theirs", "other")
    merge = repo.commit("Join it")
    answer = repo.run("bisect", "--bench", "total", made.bad, merge, "--seed", "1", "--json")
    assert answer.code == 0, answer.err
    assert answer.document["culprit"]["sha"] == root
    assert answer.document["message"] == "Begin elsewhere\n\nIts body."
    assert "replay.json" in {f["path"] for f in answer.document["files"]}


@pytest.mark.slow
def test_a_culprit_that_does_not_build_is_in_the_block(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 7, 4, broken={3, 4})
    answer = made.bisect("--json")
    assert answer.code == 0, answer.err
    assert [c["sha"] for c in answer.document["block"]] == made.shas[3:6]
    assert answer.document["culprit"] is None
    assert {f["kind"] for f in answer.document["failed"].values()} == {"build"}
    assert answer.document["confirmed"]["effect"] == pytest.approx(0.0488, abs=0.01)


def test_ends_that_do_not_build_are_an_error(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 3, 2, broken={3})
    answer = made.bisect("--build", "echo no compiler; test ! -e broken")
    assert answer.code == 1
    assert "BAD" in answer.err
    assert "no compiler" in answer.err
    assert worktrees(made) == 0


def test_a_dry_run_measures_and_writes_nothing(made: Slowdown, found: Answer) -> None:
    before = {p: p.stat().st_mtime_ns for p in made.repo.root.iterdir()}
    answer = made.bisect("--dry-run", "--json")
    assert answer.code == 0, answer.err
    assert answer.document["commits"] == 8
    assert answer.document["probes"][0]["sha"] == made.shas[4]
    expected = [e["measurements"] for e in answer.document["expected"]]
    assert expected == sorted(expected, reverse=True)
    assert {p: p.stat().st_mtime_ns for p in made.repo.root.iterdir()} == before
    assert journals(made) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bench", "total", "BAD", "GOOD"], "GOOD comes first"),
        (["--bench", "total", "GOOD", "GOOD"], "same commit"),
        (["--bench", "tokenize", "GOOD", "BAD"], "means 2 cases"),
        (["--bench", "nothing", "GOOD", "BAD"], "no case matches"),
        (["--bench", "total", "GOOD"], "BAD is missing"),
        (["--bench", "total", "GOOD", "BAD", "--skip", "BAD"], "an end of the range"),
        (["--bench", "total", "GOOD~1", "BAD~1", "--skip", "BAD"], "not among the commits"),
        (["--bench", "total", "GOOD", "BAD", "--budget", "soon"], "no budget"),
        (["--bench", "total", "GOOD", "BAD", "--budget", "0"], "no budget"),
        (["--bench", "total", "GOOD", "BAD", "--json", "--markdown"], "Give one of them"),
        (["--resume"], "no search was left"),
    ],
    ids=lambda a: " ".join(a) if isinstance(a, list) else "",
)
def test_what_is_asked_wrongly_is_usage(made: Slowdown, arguments: list[str], said: str) -> None:
    ends = {"GOOD": made.good, "BAD": made.bad, "GOOD~1": f"{made.good}~1", "BAD~1": f"{made.bad}~1"}
    answer = made.repo.run("bisect", *(ends.get(a, a) for a in arguments))
    assert answer.code == 2, answer.err
    assert said in answer.err
    assert "Hint:" in answer.err


def test_a_metric_that_the_case_does_not_have_is_usage(made: Slowdown) -> None:
    answer = made.bisect("--metric", "speedup")
    assert answer.code == 2
    assert "one of time" in answer.err
    assert journals(made) == []


@pytest.mark.slow
def test_with_a_profiler_culprit_and_parent_are_profiled_and_told_apart(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 3, 2)
    page = tmp_path / "raw.csv"
    page.write_text(fake_ncu.raw_page({"gpu__time_duration.sum": ("1500", "ns")}))
    profiler = fake_ncu.install(tmp_path / "bin") | {"FAKE_NCU_REPORT": str(page)}
    answer = made.bisect(**profiler)
    assert (answer.code, "profiles say" in answer.out) == (0, True), answer.err
    store = Store(made.repo.root / "perftrack.duckdb")
    for sha in made.shas[1:3]:
        assert [p.case_id for p in store.latest_profiles(sha)] == ["total"]


@pytest.mark.slow
def test_recorded_runs_are_evidence_that_costs_nothing(tmp_path: Path) -> None:
    made = slowdown.make(tmp_path / "project", 6, 4)
    done = made.repo.run("record", *made.shas[2:5], "--quick", "--processes", "2", "--bench", "total")
    assert done.code == 0, done.err
    answer = made.bisect("--json", "--budget", "16")
    assert answer.document["recorded_runs"] == 3
    assert "3 stored run(s) are evidence" in answer.err
    # From the ends alone every commit would be as likely as any other.
    likely = {p["sha"]: p["probability"] for p in answer.document["posterior"]}
    assert likely[made.culprit] > 2 / 6
    assert likely[made.shas[2]] < 1 / 12
