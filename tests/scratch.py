"""Scratch repositories for whole-command tests: real Git, real workers, replayed time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from perftrack.cli.main import main

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)

BENCHMARKS = """
import perftrack as pt


@pt.benchmark(params={"size": [10, 1000]}, tags=["text"])
def tokenize(size):
    return lambda: "a b " * size


@pt.benchmark(tags=["numeric"])
def total():
    return lambda: sum(range(10))


@pt.metric(unit="B", direction="lower")
def source_size():
    return 1234
"""


def replay(**levels: float) -> str:
    """A replay file: seconds per call of `tokenize[size=10]` as `small`, `[size=1000]` as `large`, and `total`."""
    values = {"small": 1e-6, "large": 1e-4, "total": 5e-7} | levels
    names = {"small": "tokenize[size=10]", "large": "tokenize[size=1000]", "total": "total"}
    cases = {names[k]: {"time": {"level": v, "noise": 0.002}} for k, v in values.items()}
    environment = {"cpu_model": "Replayed"}
    return json.dumps({"seed": 7, "fingerprint": environment, "cases": cases, "ceiling": {"seed": 1}})


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        return json.loads(self.out)


@dataclass(frozen=True)
class Scratch:
    """A repository and the `perftrack` command run in it."""

    root: Path

    @property
    def state(self) -> Path:
        """Where the commands keep what outlives them: out of the working tree."""
        return self.root / ".git" / "state"

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=git_environment(), check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, subject: str, **files: str) -> str:
        for name, text in files.items():
            self.write(name.replace("__", "/").replace("_dot_", "."), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def run(
        self,
        *arguments: str,
        replayed: bool = True,
        apart: bool = False,
        timeout: float = 120,
        **environment: str,
    ) -> Answer:
        """The command, in this process: starting one takes longer than most answers.

        In a process of its own where the test says so (`apart`), or where it sets what Python reads at its start.
        """
        # Clock locks on record are the machine's: tests neither read nor restore them.
        told = command_environment(replayed=replayed) | {"XDG_STATE_HOME": str(self.state)} | environment
        if not apart and not any(name.startswith("PYTHON") for name in environment):
            with (
                contextlib.chdir(self.root),
                mock.patch.dict(os.environ, told, clear=True),
                mock.patch.object(tempfile, "tempdir", None),
            ):
                return called(*arguments, timeout=timeout)
        done = subprocess.run(
            [sys.executable, "-m", "perftrack", *arguments],
            cwd=self.root,
            env=told,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)


class TookTooLongError(BaseException):
    """Not an Exception: the command would turn that into an answer."""


def called(*words: str, timeout: float = 120) -> Answer:
    """A command in this process, from the folder and with the environment that the process has.

    Its streams are files, as of a process whose output nobody watches. It leaves handlers of signals as they were.
    """
    code = 0
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as err,
    ):
        signal.signal(signal.SIGALRM, _took_too_long)
        signal.setitimer(signal.ITIMER_REAL, timeout)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main(list(words))
        except SystemExit as done:
            code = int(done.code or 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read())
    return Answer(code, *said)


def _took_too_long(_number: int, _frame: object) -> None:
    raise TookTooLongError


def git_environment() -> dict[str, str]:
    return os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }


def command_environment(*, replayed: bool) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("PERFTRACK_STORE", "PERFTRACK_REPLAY")}
    here = str(Path(__file__).parent.parent)
    kept["PYTHONPATH"] = here + (os.pathsep + kept["PYTHONPATH"] if kept.get("PYTHONPATH") else "")
    return kept | ({"PERFTRACK_REPLAY": "replay.json"} if replayed else {})


def make(
    root: Path, *, benchmarks: str = BENCHMARKS, config: str = 'device = "replay"\n', **levels: float
) -> Scratch:
    """A repository with one commit: the benchmarks, their configuration and their replay file."""
    root.mkdir(parents=True, exist_ok=True)
    scratch = Scratch(root)
    scratch.git("init", "-q", "-b", "main")
    scratch.write("benchmarks/bench_text.py", benchmarks)
    scratch.write("perftrack.toml", config)
    scratch.write("replay.json", replay(**levels))
    scratch.commit("Start")
    return scratch
