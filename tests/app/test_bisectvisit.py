"""Visits of a search: who gave what, and who is not to be blamed for another's failure."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from perftrack.app.bisectcase import the_case
from perftrack.app.bisectvisit import Subject, Visits
from perftrack.app.bisectworkshop import Workshop
from perftrack.app.project import Project
from perftrack.core.model import Commit, Direction
from perftrack.core.search.bisection import Search
from perftrack.core.search.visits import Failure, FailureKind, Phase, Probe
from perftrack.errors import UsageError, WorkerError
from tests import slowdown
from tests.slowdown import Slowdown

FIRST, SECOND, FAILS, ELSEWHERE = range(4)


class Silent:
    """Progress that nobody watches."""

    def began(self, search: Search, case_id: str, metric: str, *, resumed: bool) -> None: ...
    def building(self, commit: Commit, command: str) -> None: ...
    def visiting(self, search: Search, probe: Probe, commit: Commit) -> None: ...
    def measured(self, sha: str, value: float) -> None: ...
    def failed(self, sha: str, failure: Failure) -> None: ...
    def learnt(self, search: Search) -> None: ...
    def note(self, text: str) -> None: ...


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Slowdown:
    """Two good commits, one whose benchmark fails, one that is measured on another machine."""
    made = slowdown.make(tmp_path_factory.mktemp("visit") / "project", 1, 1, noise=0.0)
    replay = json.loads(slowdown.replayed(slowdown.LEVEL, 0.0))
    failing = json.loads(json.dumps(replay))
    failing["cases"]["total"]["time"] = {"fail": "out of luck"}
    replay["fingerprint"]["cpu_model"] = "Another"
    for subject, text in (("Fails", failing), ("Elsewhere", replay)):
        made.repo.write("replay.json", json.dumps(text))
        made.shas.append(made.repo.commit(subject))
    return made


@pytest.fixture
def project(made: Slowdown, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PERFTRACK_REPLAY", "replay.json")
    return Project.find(made.repo.root)


@pytest.fixture
def visits(made: Slowdown, project: Project) -> Iterator[Visits]:
    with Workshop(project, Silent().building, ends=(made.shas[0],), keep=8) as workshop:
        commits = {c.sha: c for c in project.repository.commits(made.shas)}
        yield Visits(project, workshop, commits, Silent(), seed=1)


@pytest.fixture
def subject(made: Slowdown, project: Project, visits: Visits) -> Subject:
    return visits.look(made.shas[SECOND], the_case(project, "total"), "")


def probe(made: Slowdown, commit: int, beside: int) -> Probe:
    pair = made.shas[commit], made.shas[beside]
    return Probe(Phase.SEARCH, pair[0], 1, pair[1], 1, pair)


def test_a_first_look_tells_what_there_is_to_measure(subject: Subject) -> None:
    assert (subject.metric, subject.unit, subject.direction) == ("time", "s", Direction.LOWER)
    assert subject.environment.value("cpu_model") == "Replayed"
    assert subject.lane


def test_both_sides_give_one_value_a_process(made: Slowdown, visits: Visits, subject: Subject) -> None:
    shas = made.shas[SECOND], made.shas[FIRST]
    asked = Probe(Phase.REPRODUCE, shas[0], 2, shas[1], 1, (shas[0], shas[1], shas[0]))
    readings = visits.take(subject, asked)
    (first, slow), (second, fast) = readings.sides
    assert (first, second) == shas
    assert slow == pytest.approx([1.05e-3] * 2)
    assert fast == pytest.approx([1e-3])
    assert readings.seconds >= readings.build_seconds > 0


def test_a_commit_that_fails_is_told_from_the_end_beside_it(
    made: Slowdown, visits: Visits, subject: Subject
) -> None:
    (only,) = visits.take(subject, probe(made, FAILS, FIRST)).sides
    assert only[0] == made.shas[FAILS]
    assert isinstance(only[1], Failure)
    assert only[1].kind is FailureKind.CRASH
    assert "out of luck" in only[1].detail


def test_an_end_that_fails_is_not_the_fault_of_the_commit_beside_it(
    made: Slowdown, visits: Visits, subject: Subject
) -> None:
    pair = made.shas[FAILS], made.shas[FIRST]
    asked = Probe(Phase.SEARCH, pair[1], 1, pair[0], 1, pair)
    (only,) = visits.take(subject, asked).sides
    assert (only[0], isinstance(only[1], Failure)) == (made.shas[FAILS], True)


def test_another_environment_of_a_commit_is_noted(made: Slowdown, visits: Visits, subject: Subject) -> None:
    visits.take(subject, probe(made, ELSEWHERE, FIRST))
    assert list(visits.changes) == [made.shas[ELSEWHERE]]
    assert "Replayed → Another" in str(visits.changes[made.shas[ELSEWHERE]][0])


def test_a_metric_that_is_not_there_is_usage(made: Slowdown, project: Project, visits: Visits) -> None:
    with pytest.raises(UsageError, match="no metric 'speed'"):
        visits.look(made.shas[SECOND], the_case(project, "total"), "speed")


def test_a_bad_end_that_fails_is_an_error(made: Slowdown, project: Project, visits: Visits) -> None:
    with pytest.raises(WorkerError, match="out of luck"):
        visits.look(made.shas[FAILS], the_case(project, "total"), "")


def test_time_that_ends_in_a_build_gives_no_reading(made: Slowdown, project: Project, subject: Subject) -> None:
    by_sha = {c.sha: c for c in project.repository.commits(made.shas)}
    with Workshop(project, Silent().building, ends=(made.shas[0],), keep=8, command="sleep 60") as workshop:
        visits = Visits(project, workshop, by_sha, Silent(), seed=1)
        readings = visits.take(subject, probe(made, SECOND, FIRST), 0.2)
        assert readings.sides == ()
        assert 60 > readings.seconds >= readings.build_seconds >= 0.2
        with pytest.raises(WorkerError, match="budget ended while BAD"):
            visits.look(made.shas[SECOND], subject.selected, "", 0.2)
