"""Filling in history, whole: real Git, real worktrees, real environments, real store."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from perftrack.cli.main import main
from perftrack.store import Store
from tests import scratch
from tests.scratch import Answer, Scratch, command_environment

# One number a commit, read from the commit's own files: quick, and wrong if another commit's were read.
NUMBER = """
import pathlib

import perftrack as pt


@pt.metric(unit="", direction="lower")
def number():
    return int(pathlib.Path("number.txt").read_text())
"""
NO_TIME = ("--quick", "--processes", "1")


def make(root: Path, commits: int, benchmarks: str = NUMBER, config: str = "") -> Scratch:
    """Commits whose `number` counts up from 0."""
    made = scratch.make(root, benchmarks=benchmarks, config=config)
    made.write("number.txt", "0\n")
    made.git("add", "-A")
    made.git("commit", "-q", "--amend", "-m", "Change 0")
    for number in range(1, commits):
        made.commit(f"Change {number}", **{"number.txt": f"{number}\n"})
    return made


def perftrack(made: Scratch, *arguments: str, **environment: str) -> Answer:
    """The command in this process: it is run a hundred times here."""
    clean = {"PERFTRACK_STORE": None, "PERFTRACK_REPLAY": None, "XDG_STATE_HOME": str(made.state)}
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        done = CliRunner(env=clean | environment).invoke(main, [*arguments, "-C", str(made.root)])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return Answer(done.exit_code, done.stdout, done.stderr)


def record(made: Scratch, *arguments: str, **environment: str) -> Answer:
    return perftrack(made, "record", *NO_TIME, *arguments, **environment)


def store(made: Scratch) -> Store:
    return Store(made.root / "perftrack.duckdb")


def numbers(made: Scratch) -> dict[str, float | None]:
    """By subject, what is stored as the `number` of each commit."""
    (series,) = store(made).series(case="number")
    subjects = {c.sha: c.subject for c in store(made).commits()}
    return {subjects[p.sha]: p.value for p in series.points}


def recorded_subjects(answer: Answer) -> list[str]:
    return [r["commit"]["subject"] for r in answer.document["runs"]]


def changes(*numbers: int) -> list[str]:
    return [f"Change {n}" for n in numbers]


@pytest.fixture
def four(tmp_path: Path) -> Scratch:
    return make(tmp_path / "p", 4)


def test_a_range_records_each_commit_of_its_own_tree_newest_first(four: Scratch) -> None:
    answer = record(four, "HEAD~3..HEAD", "--json")
    assert answer.code == 0, answer.err
    assert recorded_subjects(answer) == changes(3, 2, 1)
    assert numbers(four) == {"Change 3": 3, "Change 2": 2, "Change 1": 1}


def test_what_is_done_is_left_out_and_again_measures_it(four: Scratch) -> None:
    record(four, "HEAD~2..HEAD~1")
    answer = record(four, "--new", "--limit", "2", "--json")
    assert recorded_subjects(answer) == changes(3, 1)
    assert "1 commit(s) are done here and left out (--again measures them too), 2 to go" in answer.err
    again = record(four, "HEAD~2..", "--again", "--json")
    assert recorded_subjects(again) == changes(3, 2)


def test_nothing_left_to_do_is_no_error(four: Scratch) -> None:
    record(four, "HEAD~1..")
    answer = record(four, "HEAD~1..")
    assert answer.code == 0
    assert "nothing is left to do" in answer.err
    assert len(store(four).runs()) == 1


def test_what_another_kind_of_machine_did_is_not_done_here(tmp_path: Path) -> None:
    made = scratch.make(tmp_path / "p")
    total = ("record", *NO_TIME, "--new", "--bench", "::total")
    here = {"PERFTRACK_REPLAY": str(made.root / "replay.json")}
    assert perftrack(made, *total, **here).code == 0
    assert "nothing is left" in perftrack(made, *total, **here).err
    other = made.root.parent / "other.json"
    other.write_text(scratch.replay().replace('"Replayed"', '"Other"'))
    assert recorded_subjects(perftrack(made, *total, "--json", PERFTRACK_REPLAY=str(other))) == ["Start"]


def test_a_dry_run_lists_the_commits_and_writes_nothing(four: Scratch) -> None:
    record(four, "HEAD~2..HEAD~1")
    answer = record(four, "--new", "--dry-run")
    listed = [line.split(" ", 1)[1] for line in answer.out.splitlines() if "Change" in line]
    assert listed == changes(3, 1, 0)
    assert "1 commit(s) are done" in answer.out
    assert len(store(four).runs()) == 1


@pytest.mark.slow
def test_missing_measures_only_the_cases_that_lack_a_result(four: Scratch) -> None:
    record(four, "HEAD~2..")
    more = NUMBER + "\n\n@pt.metric(unit='')\ndef twice():\n    return 2 * number()\n"
    four.write("benchmarks/bench_text.py", more)
    four.commit("Change 4", **{"number.txt": "4\n"})
    assert "nothing is left" in record(four, "HEAD~3..HEAD~1", "--new").err
    answer = record(four, "HEAD~3..", "--missing", "--json")
    cases = {r["commit"]["subject"]: {m["case"] for m in r["measurements"]} for r in answer.document["runs"]}
    assert cases == {"Change 4": {"number", "twice"}, "Change 3": {"twice"}, "Change 2": {"twice"}}
    assert "nothing is left" in record(four, "HEAD~3..", "--missing").err


def test_named_commits_are_recorded_whether_they_are_done_or_not(four: Scratch) -> None:
    for _ in range(2):
        assert record(four, "HEAD~1").code == 0
    assert len(store(four).runs()) == 2


@pytest.fixture
def broken(tmp_path: Path) -> Scratch:
    made = make(tmp_path / "p", 3, config='build = "sh build.sh"\n')
    made.commit("Change 3", **{"build.sh": "echo $(cat number.txt) > built\n"})
    made.commit("Change 4", **{"build.sh": "printf '\\033[31mno\\033[0m such compiler\\n'; exit 7\n"})
    made.commit("Change 5", **{"build.sh": "true\n"})
    return made


def test_a_failed_build_is_on_record_with_its_log_and_does_not_stop_the_others(broken: Scratch) -> None:
    answer = record(broken, "HEAD~3..")
    assert answer.code == 0, answer.err
    assert "2 commit(s) measured, 1 could not be" in answer.out
    shown = perftrack(broken, "show", "HEAD~1")
    assert shown.code == 0
    assert "build-failed: the build exited with 7: no such compiler" in shown.out
    log = perftrack(broken, "log", "number")
    assert "build-failed: the build exited with 7: no such compiler (Change 4)" in log.out
    assert numbers(broken) == {"Change 3": 2, "Change 5": 2}


@pytest.mark.slow
def test_a_failed_build_is_done_unless_asked_for_again_or_as_missing(broken: Scratch) -> None:
    record(broken, "HEAD~2..")
    assert "nothing is left" in record(broken, "HEAD~2..").err
    assert recorded_subjects(record(broken, "HEAD~2..", "--missing", "--json", "--build", "true")) == ["Change 4"]


def test_strictly_a_failed_build_is_an_error(broken: Scratch) -> None:
    assert record(broken, "HEAD~2..", "--strict").code == 1


def test_a_build_that_hangs_is_ended_and_on_record(tmp_path: Path) -> None:
    made = make(tmp_path / "p", 2, config='build = "echo started; sleep 60 & wait"\nbuild-timeout = 0.5\n')
    answer = record(made, "HEAD~1..")
    assert answer.code == 1
    assert "the build took longer than 0.5 s: started" in answer.out
    (run,) = store(made).runs()
    assert [r.code for r in run.limitations] == ["quick", "build-failed"]


def test_a_full_disk_is_not_held_against_the_commit(four: Scratch) -> None:
    answer = record(four, "HEAD~1..", "--build", "echo 'ld: final link failed: No space left on device'; exit 1")
    assert answer.code == 1
    assert "nothing recorded: the build exited with 1" in answer.out
    assert not (four.root / "perftrack.duckdb").exists()


@pytest.mark.slow
def test_benchmarks_that_an_old_commit_cannot_run_are_on_record_as_that(tmp_path: Path) -> None:
    made = make(tmp_path / "p", 2)
    made.write("benchmarks/bench_text.py", "import thing\n" + NUMBER)
    made.commit("Change 2", **{"thing.py": "\n"})
    answer = record(made, "--new")
    assert answer.code == 0
    assert "No module named 'thing'" in perftrack(made, "show", "HEAD~1").out
    assert "nothing is left" in record(made, "--new").err


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scratch, dict[str, str]]:
    """A tree with work of the user's in every place, and hooks that fail; then a history is filled in."""
    root = tmp_path_factory.mktemp("watched")
    made = make(root / "p", 3)
    made.write("number.txt", "in the stash\n")
    made.git("stash", "push", "-q")
    made.write("staged.txt", "in the index\n")
    made.git("add", "staged.txt")
    made.write("number.txt", "in the tree\n")
    made.write("loose.txt", "untracked\n")
    for hook in ("post-checkout", "pre-commit", "post-merge", "reference-transaction", "post-index-change"):
        made.write(f".git/hooks/{hook}", "#!/bin/sh\necho ran >> ../hooked; exit 1\n").chmod(0o755)
    before = state(made)
    answer = record(made, "HEAD~2..", TMPDIR=str(_folder(root / "tmp")))
    assert answer.code == 0, answer.err
    return made, before


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def state(made: Scratch) -> dict[str, str]:
    """Everything of the user's that a recording might touch."""
    files = {str(p): p.read_text() for p in made.root.glob("*.txt")}
    return files | {
        "head": (made.root / ".git" / "HEAD").read_text(),
        "staged": made.git("diff", "--cached"),
        "changed": made.git("diff"),
        "stash": made.git("stash", "list") + made.git("stash", "show", "-p"),
        "branches": made.git("for-each-ref"),
        "log": made.git("reflog"),
        "index": (made.root / ".git" / "index").read_bytes().hex(),
        "worktrees": made.git("worktree", "list"),
    }


def test_tree_index_stash_refs_and_reflog_stay_as_they_were(watched: tuple[Scratch, dict[str, str]]) -> None:
    made, before = watched
    assert state(made) == before
    assert numbers(made) == {"Change 1": 1, "Change 2": 2}


def test_no_hook_runs(watched: tuple[Scratch, dict[str, str]]) -> None:
    assert not (watched[0].root.parent / "hooked").exists()


def test_worktrees_are_made_elsewhere_and_gone_afterwards(watched: tuple[Scratch, dict[str, str]]) -> None:
    assert not [p.name for p in (watched[0].root.parent / "tmp").iterdir() if p.name.startswith("perftrack-")]


def started(made: Scratch, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "perftrack", "record", *NO_TIME, "--new"],
        cwd=made.root,
        env=command_environment(replayed=False) | environment,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_killed_in_the_middle_it_goes_on_where_it_was(tmp_path: Path) -> None:
    made = make(tmp_path / "p", 3, config='build = "test ! -e ../../slow || sleep 30"\n')
    temporary = _folder(tmp_path / "tmp")
    (temporary / "slow").touch()
    with started(made, TMPDIR=str(temporary)) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "building" in line:
                break
        process.send_signal(signal.SIGKILL)
    assert made.git("worktree", "list").count("\n") == 1
    assert not (made.root / "perftrack.duckdb").exists()
    (temporary / "slow").unlink()
    answer = record(made, "--new", TMPDIR=str(temporary))
    assert answer.code == 0, answer.err
    assert numbers(made) == {"Change 2": 2, "Change 1": 1, "Change 0": 0}
    assert made.git("worktree", "list").count("\n") == 0
    assert [p.name for p in temporary.iterdir() if p.name.startswith("perftrack-")] == []


def test_interrupted_between_commits_what_is_stored_stays(tmp_path: Path) -> None:
    made = make(tmp_path / "p", 3)
    said = ""
    with started(made) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said += line
            if "stored run" in line:
                process.send_signal(signal.SIGINT)
                break
        said += process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert 1 <= len(store(made).runs()) < 3
    assert made.git("worktree", "list").count("\n") == 0


def test_a_shallow_clone_is_told_the_command_that_deepens_it(four: Scratch, tmp_path: Path) -> None:
    four.git("clone", "-q", "--depth=2", f"file://{four.root}", str(tmp_path / "shallow"))
    answer = record(Scratch(tmp_path / "shallow"), "--new")
    assert answer.code == 0
    assert "git fetch --unshallow fetches the rest" in answer.err
    assert "Change 2" in answer.out and "Change 1" not in answer.out


def test_commits_of_a_submodule_are_recorded_in_the_submodule(four: Scratch, tmp_path: Path) -> None:
    outer = Scratch(_folder(tmp_path / "outer"))
    outer.git("init", "-q")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(four.root), "inner")
    inner = Scratch(outer.root / "inner")
    answer = record(inner, "HEAD~2..")
    assert answer.code == 0, answer.err
    assert numbers(inner) == {"Change 3": 3, "Change 2": 2}
    assert inner.git("status", "--porcelain") == ""


@pytest.mark.slow
def test_equal_and_reversed_dates_change_nothing_about_the_order(four: Scratch) -> None:
    four.git("-c", "core.editor=true", "rebase", "-q", "--root", "--exec", "true")
    for number, date in ((4, "2001-01-01T00:00:00Z"), (5, "2001-01-01T00:00:00Z"), (6, "1999-01-01T00:00:00Z")):
        four.write("number.txt", f"{number}\n")
        four.git("add", "-A")
        subprocess.run(
            ["git", "commit", "-q", "-m", f"Change {number}"],
            cwd=four.root,
            env=scratch.git_environment() | {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date},
            check=True,
        )
    assert recorded_subjects(record(four, "HEAD~3..", "--json")) == changes(6, 5, 4)


def test_a_commit_that_was_forced_away_is_kept_and_labelled(four: Scratch) -> None:
    record(four, "HEAD~2..")
    four.git("reset", "-q", "--hard", "HEAD~1")
    four.git("reflog", "expire", "--expire=now", "--all")
    four.git("gc", "-q", "--prune=now")
    log = perftrack(four, "log", "number")
    assert "not in history: Change 3" in log.out
    assert "not in history: Change 2" not in log.out


def test_octopus_merges_are_followed_by_first_parents_or_all(four: Scratch) -> None:
    for name in ("a", "b"):
        four.git("checkout", "-q", "-b", name, "main")
        four.commit(f"On {name}", **{f"{name}.txt": "x"})
    four.git("checkout", "-q", "main")
    four.git("merge", "-q", "--no-ff", "-m", "Octopus", "a", "b")
    plan = ("--dry-run", "--json", "HEAD~2..HEAD")
    assert [c["subject"] for c in record(four, *plan).document["commits"]] == ["Octopus", "Change 3"]
    every = [c["subject"] for c in record(four, *plan, "--all-parents").document["commits"]]
    assert sorted(every) == ["Change 3", "Octopus", "On a", "On b"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--again",), "--again only has a meaning for the commits of a history"),
        (("HEAD", "--order", "spread"), "--order only has a meaning"),
        (("--new", "--again"), "--again measures what --new leaves out"),
        (("--new", "--missing"), "Give one"),
        (("--env", "venv"), "this is the working tree"),
        (("--since", "someday"), "is no date"),
        (("main...HEAD",), "perftrack record main..HEAD"),
    ],
)
def test_what_does_not_fit_together_is_wrong_usage(four: Scratch, arguments: tuple[str, ...], says: str) -> None:
    answer = record(four, *arguments)
    assert answer.code == 2
    assert says in answer.err
    assert not (four.root / "perftrack.duckdb").exists()


WHERE = """
import os
import sys

import perftrack as pt


@pt.metric(unit="")
def of_its_own():
    return int(sys.prefix == os.environ.get("VIRTUAL_ENV") and "environments" in sys.prefix)
"""


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scratch, Path, Answer]:
    """Commits without dependency files, with one, and with another; all recorded."""
    root = tmp_path_factory.mktemp("environments")
    made = scratch.make(root / "p", benchmarks=WHERE, config="")
    made.commit("Needs nothing", **{"requirements.txt": "# nothing\n"})
    made.commit("The same", **{"code.py": ""})
    answer = record(made, "--new", "--json", PERFTRACK_CACHE=str(root / "cache"))
    assert answer.code == 0, answer.err
    return made, root / "cache", answer


@pytest.mark.slow
def test_a_commit_with_dependency_files_has_an_environment_of_its_own(
    environments: tuple[Scratch, Path, Answer],
) -> None:
    found = {
        r["commit"]["subject"]: [m["value"] for m in r["measurements"]] for r in environments[2].document["runs"]
    }
    assert found == {"The same": [1], "Needs nothing": [1], "Start": [0]}


@pytest.mark.slow
def test_equal_dependency_files_share_one_environment(environments: tuple[Scratch, Path, Answer]) -> None:
    assert len([p for p in (environments[1] / "environments").iterdir() if p.is_dir()]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("how", [("--env", "current"), ("--python", sys.executable)])
def test_a_named_interpreter_or_the_current_one_is_used_where_asked_for(
    environments: tuple[Scratch, Path, Answer], how: tuple[str, ...]
) -> None:
    answer = record(environments[0], "HEAD", *how, "--json", VIRTUAL_ENV="")
    assert [m["value"] for m in answer.document["runs"][0]["measurements"]] == [0]


@pytest.mark.slow
def test_dependencies_that_cannot_be_installed_are_a_failed_build(tmp_path: Path) -> None:
    made = make(tmp_path / "p", 1)
    made.commit("Needs what is not there", **{"requirements.txt": "./no/such/folder\n"})
    answer = record(made, "HEAD", PERFTRACK_CACHE=str(tmp_path / "cache"))
    assert answer.code == 1
    assert "its environment could not be made" in answer.out
    assert "build-failed" in perftrack(made, "show").out


@pytest.mark.slow
def test_a_store_that_cannot_grow_ends_the_recording_and_keeps_what_it_has(four: Scratch) -> None:
    assert record(four, "HEAD~2..HEAD~1").code == 0
    shell = f"ulimit -f 2; exec {sys.executable} -m perftrack record {' '.join(NO_TIME)} --new"
    done = subprocess.run(
        ["/bin/bash", "-c", shell],
        cwd=four.root,
        env=command_environment(replayed=False),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "cannot write the store" in done.stderr
    assert numbers(four) == {"Change 2": 2}
    assert four.git("worktree", "list").count("\n") == 0


DEVICE = """
import os

import perftrack as pt


@pt.metric(unit="")
def number():
    return int(os.environ["CUDA_VISIBLE_DEVICES"])
"""


def test_commits_are_spread_over_devices_each_wholly_on_one(tmp_path: Path) -> None:
    made = make(tmp_path / "p", 3, DEVICE, 'device = "replay"\n')
    (tmp_path / "replay.json").write_text(scratch.replay())
    answer = made.run(
        "record", *NO_TIME, "--new", "--devices", "0,3", "--json", PERFTRACK_REPLAY=str(tmp_path / "replay.json")
    )
    assert answer.code == 0, answer.err
    assert sorted(recorded_subjects(answer)) == changes(0, 1, 2)
    assert set(numbers(made).values()) == {0, 3}
    assert made.git("worktree", "list").count("\n") == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("HEAD", "--devices", "0,1"), "none is found here"),
        (("HEAD", "--devices", "0,1", "--device", "cpu"), "the device is cpu"),
        (("--devices", "0"), "this is the working tree"),
    ],
)
def test_devices_that_are_not_there_are_wrong_usage(
    four: Scratch, arguments: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perftrack.app.backlog.card_names", tuple)
    answer = record(four, *arguments)
    assert answer.code == 2
    assert says in answer.err
