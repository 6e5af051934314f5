"""A large store's site has a crew, whose workers start before anything is read."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from perftrack.publish.hire import ENOUGH, hired, wanted


def test_workers_are_as_many_as_a_store_is_worth_and_processors_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert [wanted(size) for size in (ENOUGH - 1, ENOUGH, 100 * ENOUGH)] == [0, 1, 3]
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert wanted(100 * ENOUGH) == 0


def test_a_store_that_is_not_there_has_no_crew(tmp_path: Path) -> None:
    assert hired(tmp_path / "none").count == 0


def test_a_worker_has_what_searches_need_before_the_first_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    store = tmp_path / "store"
    with store.open("wb") as file:
        file.truncate(ENOUGH)
    with closing(hired(store)) as crew:
        job = crew.submit(eval, "'scipy.special' in __import__('sys').modules")
        end = time.monotonic() + 60
        while not job.done and time.monotonic() < end:
            time.sleep(0.01)
        assert job.done
        assert job.result()
