"""What a search does with its answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perftrack.app.bisect import Bisected, _ending, _store
from perftrack.app.project import Project
from perftrack.store import Store
from tests import scratch
from tests.app.test_bisectvisit import Silent
from tests.cli.test_bisect_story import answer, ended


@pytest.fixture(scope="module")
def found() -> Bisected:
    return answer(ended())


def test_an_answer_that_cannot_be_stored_says_why_and_is_not_lost(tmp_path: Path, found: Bisected) -> None:
    project = Project.find(scratch.make(tmp_path / "project").root)
    (tmp_path / "file").touch()
    assert _store(project, found.blame, found.range) == ""
    why = _store(
        replace(project, store=Store(tmp_path / "file" / "x.duckdb", wait_s=0.0)), found.blame, found.range
    )
    assert "x.duckdb" in why
    assert (found.exit_code, replace(found, unstored=why).exit_code) == (0, 1)


def test_an_interrupt_after_the_search_says_that_nothing_is_lost() -> None:
    said: list[str] = []

    class Told(Silent):
        def note(self, text: str) -> None:
            said.append(text)

    with pytest.raises(KeyboardInterrupt), _ending(Told()):
        raise KeyboardInterrupt
    assert "--resume" in said[0]
