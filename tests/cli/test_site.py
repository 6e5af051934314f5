"""`perftrack site`: built from a store, shown, and built again when something was recorded."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable

from tests.scratch import Scratch, command_environment


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, f"{what} within a minute"
        time.sleep(0.1)


def test_a_build_says_what_it_wrote(history: Scratch) -> None:
    done = history.run("site", "build", "--output", str(history.state / "site"), "--json")
    assert done.code == 0, done.err
    document = done.document
    assert document["written"] == document["files"] > document["pages"] > 5
    assert document["warnings"] == []
    again = history.run("site", "build", "--output", str(history.state / "site"), "--json").document
    assert (again["written"], again["unchanged"]) == (0, document["files"])


def test_without_a_store_there_is_nothing_to_serve(repo: Scratch) -> None:
    done = repo.run("site", "serve", "--port", "0", "--stop-after", "1")
    assert done.code == 1
    assert "no store" in done.err and "perftrack record" in done.err


def test_it_warns_of_an_address_that_others_reach(history: Scratch) -> None:
    site = str(history.state / "open")
    done = history.run("site", "serve", "--host", "0.0.0.0", "--port", "0", "--stop-after", "0", "--output", site)
    assert done.code == 0
    assert "reached from other machines" in done.err


def test_serving_shows_what_is_recorded_meanwhile_and_ends_at_an_interrupt(repo: Scratch) -> None:
    assert repo.run("record", "--quick").code == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "perftrack", "site", "serve", "--port", "0"],
        cwd=repo.root,
        env=command_environment(replayed=True),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]

        def asked(path: str) -> bytes:
            with urllib.request.urlopen(address + path, timeout=10) as answer:
                return bytes(answer.read())

        assert b"<title>" in asked("")
        before = asked("data/history.js")
        repo.commit("Change something")
        assert repo.run("record", "--quick").code == 0
        until(lambda: asked("data/history.js") != before, "the new run is shown")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in said and said.rstrip().endswith("Stopped.")
