"""What cards are used for is read before a recording's workers start, and handed to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from perftrack.app import measuring
from perftrack.app import record as recording
from perftrack.app.project import Project
from perftrack.app.recording import RecordOptions
from perftrack.app.worker import Worker
from perftrack.core.company import CardUse
from perftrack.suite.launch import Setup
from tests import scratch

BENCHMARKS = "import perftrack as pt\n\n@pt.metric(unit='')\ndef one():\n    return 1\n"
QUIET, TAKEN = CardUse("a", 0, 0.0), CardUse("a", 1 << 30, 0.0)


class Silence:
    """Progress that tells nobody."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **more: None


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.find(scratch.make(tmp_path / "p", benchmarks=BENCHMARKS, config="").root)


def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[CardUse, ...]]:
    """The uses that each process's worker was started with."""
    seen: list[tuple[CardUse, ...]] = []
    visit = measuring.visit

    def noting(setup: Setup, *arguments: object, **more: object) -> object:
        seen.append(setup.uses)
        return visit(setup, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(measuring, "visit", noting)
    return seen


def test_each_process_is_told_of_what_was_read_before_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = started(monkeypatch)
    monkeypatch.setattr(measuring, "card_uses", lambda: (QUIET,))
    monkeypatch.setattr(measuring, "memory_now", lambda uses: (TAKEN,) if uses == (QUIET,) else uses)
    recording.record(project, RecordOptions(quick=True), Silence())  # type: ignore[arg-type]
    assert seen == [(QUIET,), (TAKEN,)]


def test_work_on_the_cpu_looks_at_no_card(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = started(monkeypatch)
    monkeypatch.setattr(measuring, "card_uses", lambda: pytest.fail("looked at the cards"))
    recording.record(project, RecordOptions(quick=True, device="cpu"), Silence())  # type: ignore[arg-type]
    assert seen == [(), ()]


def test_uses_travel_to_the_worker_with_unknown_kept_apart_from_none(tmp_path: Path) -> None:
    uses = (CardUse("a", None, None), CardUse("b", 0, 0.0), TAKEN)
    setup = Setup("python", base=tmp_path, folder=tmp_path, home=tmp_path, uses=uses)
    assert Worker(json.loads(setup.encode())).uses == uses
