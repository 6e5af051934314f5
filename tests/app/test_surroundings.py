"""What a case changes in its process is undone before the next one."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from perftrack.app.surroundings import Surroundings


def test_folder_environment_path_streams_and_handlers_come_back(tmp_path, monkeypatch):
    monkeypatch.setenv("KEPT", "1")
    before = (Path.cwd(), list(sys.path), sys.stdout, signal.getsignal(signal.SIGUSR1))
    around = Surroundings()
    os.chdir(tmp_path)
    os.environ["NEW"] = "x"
    del os.environ["KEPT"]
    sys.path.insert(0, "/nowhere")
    sys.stdout = None
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    around.restore()
    assert (Path.cwd(), list(sys.path), sys.stdout, signal.getsignal(signal.SIGUSR1)) == before
    assert os.environ["KEPT"] == "1"
    assert "NEW" not in os.environ
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_folder_that_is_gone_is_left(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    around = Surroundings()
    os.chdir(tmp_path)
    gone.rmdir()
    around.restore()
    assert Path.cwd() == tmp_path
