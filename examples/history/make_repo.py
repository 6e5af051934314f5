"""Make a repository with the history that real ones have: merges, a broken build, a slow commit, clocks that lie.

    python examples/history/make_repo.py DIRECTORY

DIRECTORY must not exist or be empty. The project is a small library of sums over a table that its build makes. Its
dependency file names nothing, so that environments are made without a network, and it changes once. Authors and
dates are fixed, so that the commit ids are the same everywhere. Needs git and the standard library.

    cd DIRECTORY
    perftrack record --new --order spread
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

START = 1_767_603_600  # Monday 5 January 2026, 09:00 UTC
HOUR = 3600

BUILD = """
from pathlib import Path

SIZE = {size}
Path("ledger/table.py").write_text(f"TABLE = {{[(7 * i) % 101 for i in range(SIZE)]}}\\n")
"""
LIBRARY = '''
"""Sums over a table."""

from ledger.table import TABLE


def total():
    """The sum of the table."""
    return sum(TABLE)


def running():
    """Sums of the table's beginnings."""
    {running}
'''
FAST = """sums, so_far = [], 0
    for value in TABLE:
        so_far += value
        sums.append(so_far)
    return sums"""
SLOW = "return [sum(TABLE[: i + 1]) for i in range(len(TABLE))]"
BENCHMARKS = """
import perftrack as pt


@pt.benchmark
def total():
    import ledger
    return ledger.total


@pt.benchmark
def running():
    import ledger
    return ledger.running


@pt.metric(unit="B", direction="lower")
def library_size():
    from pathlib import Path
    return Path("ledger/__init__.py").stat().st_size
"""
CONFIG = """
build = "python build.py"
build-timeout = 120
"""
BROKEN, SLOWED, MENDED = "Build with a typo", "Write running sums in one line", "Keep running sums as they run"


@dataclass(frozen=True, slots=True)
class History:
    """The repository that is being made. `hours`: since the start, what its next commit is dated."""

    root: Path

    def git(self, *arguments: str, hours: float = 0) -> str:
        outside = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        identity = {f"GIT_{role}_NAME": "Iva Novak" for role in ("AUTHOR", "COMMITTER")}
        identity |= {f"GIT_{role}_EMAIL": "iva@ledger.example" for role in ("AUTHOR", "COMMITTER")}
        identity |= {
            f"GIT_{role}_DATE": f"{START + round(hours * HOUR)} +0000" for role in ("AUTHOR", "COMMITTER")
        }
        settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=outside | identity | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def commit(self, message: str, hours: float, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.lstrip("\n"), encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", message, hours=hours)

    def branch(self, name: str, work: Callable[[], None]) -> None:
        """Work on a branch off the main one, and come back."""
        self.git("checkout", "--quiet", "-b", name, "main")
        work()
        self.git("checkout", "--quiet", "main")

    def merge(self, hours: float, *names: str) -> None:
        listed = ", ".join(names)
        self.git("merge", "--quiet", "--no-ff", "-m", f"Merge {listed}", *names, hours=hours)


def library(running: str) -> str:
    return LIBRARY.format(running=running)


def make(root: Path) -> str:
    """Make the repository in `root`, which must not exist or be empty. The id of its last commit."""
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise SystemExit(f"{root} is not empty: name a new folder")
    history = History(root)
    history.git("init", "--quiet", "--initial-branch=main", "--object-format=sha1")
    for key, value in (("core.autocrlf", "false"), ("commit.gpgsign", "false")):
        history.git("config", key, value)
    _begin(history)
    _branches(history)
    _slow_then_mended(history)
    history.git("tag", "v0.2")
    return history.git("rev-parse", "HEAD")


def _begin(history: History) -> None:
    history.commit(
        "Start ledger",
        0,
        {
            "ledger/__init__.py": library(FAST),
            "build.py": BUILD.format(size=300),
            "benchmarks/bench_ledger.py": BENCHMARKS,
            "perftrack.toml": CONFIG,
            "requirements.txt": "# Nothing yet.\n",
            ".gitignore": "ledger/table.py\n__pycache__/\n",
        },
    )
    for number in range(1, 5):
        history.commit(f"Note {number}", number, {"notes.txt": f"note {number}\n"})
    history.commit(BROKEN, 5, {"build.py": "This is no Python.\n"})
    history.commit("Build without the typo", 6, {"build.py": BUILD.format(size=300)})
    history.git("tag", "v0.1")


def _branches(history: History) -> None:
    """A branch of two commits, an octopus merge, and dates that are equal or run backwards."""

    def rounding() -> None:
        history.commit("Say how sums are rounded", 7, {"rounding.txt": "down\n"})
        history.commit("Say why", 8, {"rounding.txt": "down, as everybody does\n"})

    history.branch("rounding", rounding)
    history.commit("Note 5", 9, {"notes.txt": "note 5\n"})
    history.merge(10, "rounding")
    history.commit("Note 6, at the same second", 10, {"notes.txt": "note 6\n"})
    history.commit("Note 7, at the same second", 10, {"notes.txt": "note 7\n"})
    for name in ("left", "middle", "right"):
        history.branch(name, lambda name=name: history.commit(f"Add {name}", 11, {f"{name}.txt": name}))  # type: ignore[misc]
    history.merge(12, "left", "middle", "right")
    history.commit("Note 8, from a machine whose clock is wrong", 2, {"notes.txt": "note 8\n"})
    history.commit("Depend on nothing, in other words", 13, {"requirements.txt": "# Nothing at all.\n"})


def _slow_then_mended(history: History) -> None:
    history.commit("Note 9", 14, {"notes.txt": "note 9\n"})
    history.branch("short", lambda: history.commit(SLOWED, 15, {"ledger/__init__.py": library(SLOW)}))
    history.commit("Note 10", 16, {"notes.txt": "note 10\n"})
    history.merge(17, "short")
    for number in range(11, 14):
        history.commit(f"Note {number}", 7 + number, {"notes.txt": f"note {number}\n"})
    history.commit(MENDED, 21, {"ledger/__init__.py": library(FAST)})
    history.commit("Note 14", 22, {"notes.txt": "note 14\n"})


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a repository with a history like real ones.")
    parser.add_argument("directory", type=Path)
    print(make(parser.parse_args().directory))


if __name__ == "__main__":
    main()
