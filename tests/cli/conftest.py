"""One recorded history for the reading commands; scratch repositories for the rest."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from tests import scratch
from tests.scratch import Scratch


@pytest.fixture
def repo(tmp_path: Path) -> Scratch:
    return scratch.make(tmp_path / "project")


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """Three commits: a start, one that makes large texts half as fast, one that makes `total` faster.

    The start is recorded six times, so that its lane's noise is known. Recorded once for all workers of
    pytest-xdist, each of which has a copy of its own.
    """
    own = tmp_path_factory.mktemp("history") / "project"
    place = tmp_path_factory.getbasetemp()
    recorded = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "recorded-history"
    with recorded.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not recorded.exists():
            _record_history(own).rename(recorded)
    shutil.copytree(recorded, own, symlinks=True)
    return Scratch(own)


def _record_history(root: Path) -> Path:
    made = scratch.make(root)
    made.write("replay.json", scratch.replay(large=2e-4))
    made.commit("Scan the text twice")
    made.write("replay.json", scratch.replay(large=2e-4, total=2.5e-7))
    made.commit("Sum in closed form")
    for revisions in (*[["HEAD~2"]] * 5, ["HEAD~2", "HEAD~1", "HEAD"]):
        done = made.run("record", *revisions, "--quick", "--processes", "3")
        assert done.code == 0, done.err
    return root
