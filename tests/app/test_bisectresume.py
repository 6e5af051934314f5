"""Going on with a search that was left: with what it was begun with, or not at all."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from perftrack.app.bisectheading import Heading
from perftrack.app.bisectjournal import Journal, Stored
from perftrack.app.bisectoptions import BisectOptions, Budget
from perftrack.app.bisectresume import as_left, configured, gone_on, nothing_left, seconds_left, taken_over
from perftrack.app.project import Project
from perftrack.core.search.bisection import Search
from perftrack.core.search.visits import Recorded
from perftrack.errors import UsageError
from tests import scratch
from tests.core.search.builders import QUICK, chain

GOING_ON = BisectOptions("good", "c7", "total", resume=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = scratch.make(tmp_path_factory.mktemp("resume") / "project").root
    return Project.find(root)


def stored(project: Project, search: Search | None = None, **changes: object) -> Stored:
    heading = Heading(
        "total", "time", "s", "lane", "code", "good", "c7", "make", None, None, False, configured(project), {}
    )
    search = search or Search.begin(chain(8), QUICK, seed=7)
    return Stored(Path("j"), replace(heading, **changes), search, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"build": "make -j8"}, "--build 'make'"),
        ({"build": ""}, "--build 'make'"),
        ({"python": "python3.12"}, "without --python"),
        ({"env": "venv"}, "without --env"),
        ({"seed": 8}, "--seed 7"),
    ],
    ids=lambda a: str(a),
)
def test_what_would_measure_something_else_is_refused_by_name(
    project: Project, asked: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match="would mix") as error:
        taken_over(project, stored(project), replace(GOING_ON, **asked))  # type: ignore[arg-type]
    assert said in error.value.message
    assert "--restart" in (error.value.hint or "")


def test_what_it_was_begun_with_is_taken_over_and_may_be_said_again(project: Project) -> None:
    begun = stored(project, python="python3.11")
    assert taken_over(project, begun, GOING_ON).build == "make"
    same = replace(GOING_ON, build="make", python="python3.11", seed=7)
    assert taken_over(project, begun, same) == same


def test_a_configuration_that_measures_something_else_is_refused_by_key(project: Project) -> None:
    begun = stored(project, configured=configured(project) | {"env": "venv"})
    with pytest.raises(UsageError, match="`env` of the configuration was 'venv'"):
        taken_over(project, begun, GOING_ON)


def test_stored_runs_that_count_already_cannot_be_left_out(project: Project) -> None:
    search = Search.begin(chain(8), QUICK, recorded=[Recorded("c3", (1.0,))])
    alone = replace(GOING_ON, live_only=True)
    with pytest.raises(UsageError, match="--live-only"):
        taken_over(project, stored(project, search), alone)
    assert taken_over(project, stored(project), alone).live_only


def test_budget_confidence_and_skip_may_change(project: Project) -> None:
    asked = replace(GOING_ON, confidence=0.9, budget=Budget(50))
    settings = gone_on(stored(project).search, asked, ("c2",)).settings
    assert (settings.confidence, settings.measurements, settings.skip) == (0.9, 50, ("c2",))


def test_a_budget_of_time_is_one_for_all_that_was_spent(project: Project) -> None:
    spent = stored(project, Search.begin(chain(8), QUICK).passed(40.0, 30.0))
    hour = replace(GOING_ON, budget=Budget(seconds=3600.0))
    assert seconds_left(spent, hour) == 3560.0
    assert seconds_left(None, hour) == 3600.0
    assert seconds_left(spent, GOING_ON) == math.inf
    timed = replace(spent.search, settings=replace(QUICK, seconds=100.0))
    assert seconds_left(replace(spent, search=timed), GOING_ON) == 60.0


def test_where_another_search_was_left_that_is_told(tmp_path: Path) -> None:
    repo = scratch.make(tmp_path / "project")
    repo.commit("More")
    project = Project.find(repo.root)
    good, bad = repo.git("rev-parse", "HEAD~1", "HEAD").split()
    ends = replace(GOING_ON, good="HEAD~1", bad="HEAD")
    assert "this is a new one" in nothing_left(project, ends, "total", "time")
    begun = stored(project, good=good, bad=bad, metric="peak", first_parent=True)
    with Journal(repo.root / ".git" / "perftrack" / "bisect-1.jsonl") as journal:
        journal.begin(begun.heading, begun.search)
        told = nothing_left(project, ends, "total", "time")
        assert f"there is one of peak of total {good[:12]} {bad[:12]} --first-parent" in told
        with pytest.raises(UsageError, match="no search of that was left, but peak of total"):
            as_left(project, BisectOptions(metric="time", resume=True))
        assert as_left(project, BisectOptions(resume=True)).first_parent
