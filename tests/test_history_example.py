"""A history with merges, a broken build, a slow commit and clocks that lie, filled in from nothing."""

from __future__ import annotations

import importlib.util
import statistics
import sys
from pathlib import Path
from types import ModuleType

import pytest

from perftrack.app.baseline import baseline_of
from perftrack.app.project import Project
from perftrack.core.history import Point
from perftrack.core.model import Status
from tests.scratch import Answer, Scratch

pytestmark = pytest.mark.slow  # 22 commits, each built and measured in an environment of its own

ROOT = Path(__file__).parent.parent
QUICK = ("--new", "--quick", "--processes", "2", "--env", "venv")


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_history", ROOT / "examples" / "history" / "make_repo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_history"] = module
    spec.loader.exec_module(module)
    return module


make_history = load()


def record(ledger: Scratch, *arguments: str) -> Answer:
    told = {"replayed": False, "apart": True, "timeout": 900}
    return ledger.run("record", *QUICK, *arguments, **told, PERFTRACK_CACHE=str(ledger.root.parent / "cache"))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    made = Scratch(tmp_path_factory.mktemp("ledger") / "ledger")
    make_history.make(made.root)
    answer = record(made, "--order", "spread")
    assert answer.code == 0, answer.err
    assert "21 commit(s) measured, 1 could not be" in answer.out
    return made


@pytest.fixture(scope="module")
def project(ledger: Scratch) -> Project:
    return Project.find(ledger.root)


def line(ledger: Scratch, *options: str) -> dict[str, str]:
    """SHAs by subject, newest first."""
    log = ledger.git("log", "--format=%H %s", *(options or ("--first-parent",)), "main").splitlines()
    return {entry.split(" ", 1)[1]: entry.split(" ", 1)[0] for entry in log}


def points(project: Project, case: str) -> dict[str, Point]:
    return {p.sha: p for s in project.store.series(case=case) for p in s.points if p.status is Status.OK}


def test_every_commit_of_the_line_has_a_run_and_no_other(ledger: Scratch, project: Project) -> None:
    assert {r.sha for r in project.store.runs()} == set(line(ledger).values())
    assert len(project.store.runs()) == len(line(ledger)) == 22


def test_the_broken_build_is_on_record_as_that_and_measured_nowhere(ledger: Scratch, project: Project) -> None:
    (run,) = [r for r in project.store.runs() if "build-failed" in {x.code for x in r.limitations}]
    assert run.sha == line(ledger)[make_history.BROKEN]
    assert "SyntaxError" in next(x.message for x in run.limitations if x.code == "build-failed")
    assert run.sha not in points(project, "running")


def test_the_slow_commits_are_slow_and_no_others(ledger: Scratch, project: Project) -> None:
    subjects = list(line(ledger))[::-1]
    slow = set(subjects[subjects.index("Merge short") : subjects.index(make_history.MENDED)])
    values = {s: points(project, "running")[line(ledger)[s]].value for s in subjects if s != make_history.BROKEN}
    quick = statistics.median(v for s, v in values.items() if v is not None and s not in slow)
    assert {s for s, v in values.items() if v is not None and v > 5 * quick} == slow


def test_equal_dependency_files_shared_an_environment(ledger: Scratch) -> None:
    environments = ledger.root.parent / "cache" / "environments"
    assert len([p for p in environments.iterdir() if p.is_dir()]) == 2


def test_the_log_goes_by_the_graph_whatever_the_clocks_said(ledger: Scratch) -> None:
    (logged,) = ledger.run("log", "library_size", "--json").document["series"]
    order = [p["sha"] for p in logged["points"]]
    assert order == [sha for subject, sha in reversed(line(ledger).items()) if subject != make_history.BROKEN]


def test_nothing_is_left_but_the_merged_branches(ledger: Scratch) -> None:
    assert "nothing is left to do" in record(ledger).err
    plan = record(ledger, "--all-parents", "--dry-run", "--json").document
    assert len(plan["commits"]) == len(line(ledger, "--topo-order")) - 22 == 6
    assert plan["done"] == 22


def test_the_baseline_skips_the_broken_build(ledger: Scratch, project: Project) -> None:
    found = baseline_of(project, line(ledger)["Build without the typo"])
    assert found.commit is not None
    assert (found.commit.subject, found.skipped) == ("Note 4", 1)


def test_nothing_is_left_in_the_users_repository(ledger: Scratch) -> None:
    assert ledger.git("status", "--porcelain") == ""
    assert ledger.git("worktree", "list").count("\n") == 0
    assert not (ledger.root / "ledger" / "table.py").exists()
