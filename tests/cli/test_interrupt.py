"""Ctrl-C before the command itself has begun: one line, exit 130, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scratch import Scratch, command_environment

INTERRUPT = "import os, signal; os.kill(os.getpid(), signal.SIGINT)\n"


def run(root: Path, shim: Path, name: str, text: str) -> subprocess.CompletedProcess[str]:
    """`perftrack list` with a module of the given name and text in place of the real one."""
    (shim / f"{name}.py").write_text(text)
    env = command_environment(replayed=True)
    env["PYTHONPATH"] = os.pathsep.join((str(shim), env["PYTHONPATH"]))
    return subprocess.run(
        [sys.executable, "-m", "perftrack", "list"],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("module", "text"),
    [
        pytest.param("click", INTERRUPT, id="before anything of ours is imported"),
        pytest.param("msgspec", INTERRUPT, id="while a command is imported"),
        pytest.param("msgspec", "exec('raise KeyboardInterrupt')", id="in generated code"),
        pytest.param(
            "msgspec",
            "try:\n    raise KeyboardInterrupt\n"
            "except BaseException as error:\n    raise RuntimeError('Error calling __set_name__') from error\n",
            id="while a class is made",
        ),
    ],
)
def test_an_interrupt_while_importing_is_one_line(repo: Scratch, tmp_path: Path, module: str, text: str) -> None:
    done = run(repo.root, tmp_path, module, text)
    assert (done.returncode, done.stderr.strip(), done.stdout) == (130, "Interrupted.", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_of_which_an_interrupt_is_left_is_named(
    repo: Scratch, tmp_path: Path, number: signal.Signals
) -> None:
    """As of one that stops a query of DuckDB."""
    stopped = (
        f"try:\n    os.kill(os.getpid(), {number.value})\nexcept BaseException:\n    raise KeyboardInterrupt\n"
    )
    done = run(repo.root, tmp_path, "msgspec", f"import os\n{stopped}")
    assert (done.returncode, done.stderr.strip()) == (128 + number, f"Ended by {number.name}.")


def test_an_error_that_is_no_interrupt_s_is_still_told(repo: Scratch, tmp_path: Path) -> None:
    done = run(repo.root, tmp_path, "msgspec", "raise RuntimeError('broken')")
    assert done.returncode == 1
    assert "unexpected RuntimeError: broken" in done.stderr


def test_where_interrupts_are_ignored_they_stay_so(repo: Scratch, tmp_path: Path) -> None:
    """As of a job that a shell without job control starts with `&`."""
    shim = tmp_path / "shim"
    shim.mkdir()
    (shim / "sitecustomize.py").write_text("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)")
    env = command_environment(replayed=True)
    env["PYTHONPATH"] = os.pathsep.join((str(shim), env["PYTHONPATH"]))
    code = (
        "import signal, sys\n"
        "from perftrack import _early\n"
        "_early.install()\n"
        "_early.remove()\n"
        "sys.exit(signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=repo.root, check=False)
    assert done.returncode == 0


def test_the_command_s_own_handling_comes_back(tmp_path: Path) -> None:
    code = (
        "import signal, sys\n"
        "from perftrack import _early\n"
        "_early.install()\n"
        "assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler\n"
        "_early.remove()\n"
        "sys.exit(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=command_environment(replayed=True), cwd=tmp_path, check=False
    )
    assert done.returncode == 0
