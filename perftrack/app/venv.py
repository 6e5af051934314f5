"""A commit's own Python environment: made once for what its dependency files say, and kept for the next one."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shlex
import shutil
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from perftrack.app.tree import run_command
from perftrack.errors import WorkerError

DEPENDENCY_FILES = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "requirements/*.txt",
    "requirements-*.txt",
    "*.lock",
)
_READY, _LOCK = "perftrack-ready", "perftrack-held"
# The project itself is imported from the worktree: left installed, it would stand in for the next commit's.
_FORGET = """
import importlib.metadata, json, subprocess, sys
for d in importlib.metadata.distributions():
    origin = json.loads(d.read_text("direct_url.json") or "{}")
    if origin.get("url", "").startswith("file://") and "dir_info" in origin:
        subprocess.run([sys.executable, "-m", "pip", "uninstall", "--yes", "--quiet", d.name], check=True)
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What goes into an environment. `files`: patterns in the tree; `install`: its command, or the default.

    `owner`: who may change it later, such as a build command on a certain device; empty: nobody, so that it may be
    used by several at once.
    """

    python: str = sys.executable
    files: tuple[str, ...] = DEPENDENCY_FILES
    requirements: tuple[str, ...] = ()
    install: str = ""
    owner: str = ""

    def needed(self, tree: Path) -> bool:
        """Whether the tree says anything about what it depends on; without it there is nothing to install."""
        return bool(self.requirements or self.install or self._default(tree))

    def key(self, tree: Path) -> str:
        """16 hex digits: trees of one key get the same environment."""
        digest = hashlib.sha256()
        for part in (self.python, sys.version, self.install, self.owner, *self.requirements):
            digest.update(part.encode() + b"\0")
        for path in sorted({p for pattern in self.files for p in tree.glob(pattern) if p.is_file()}):
            digest.update(path.relative_to(tree).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:16]

    def commands(self, tree: Path, place: Path) -> list[list[str]]:
        """What makes the environment, run in the tree one after the other."""
        python = str(place / "bin" / "python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        made = [[self.python, "-m", "venv", "--clear", str(place)]]
        made += [["/bin/sh", "-c", self.install]] if self.install else [pip + d for d in self._default(tree)]
        if self.requirements:
            made.append([*pip, *self.requirements])
        return [*made, [python, "-c", _FORGET]]

    def _default(self, tree: Path) -> list[list[str]]:
        wanted = [["-r", "requirements.txt"]] if (tree / "requirements.txt").is_file() else []
        return wanted + ([["."]] if (tree / "setup.py").is_file() or _is_project(tree / "pyproject.toml") else [])


@contextlib.contextmanager
def environment(recipe: Recipe, tree: Path, cache: Path, limit_s: float, cap_bytes: int) -> Iterator[Path | str]:
    """The folder of the tree's environment, held meanwhile; or what went wrong in making it.

    An environment is ready whole or made anew. One that has an owner is held against all others, any other one
    only against being made or removed. Afterwards the cache is cut to `cap_bytes`, oldest use first. Raises
    WorkerError where not even an empty one can be made.
    """
    place = cache / recipe.key(tree)
    place.mkdir(parents=True, exist_ok=True)
    with (cache / f"{place.name}.{_LOCK}").open("w") as held:
        yield _entered(recipe, tree, place, limit_s, held) or place
    _cut(cache, cap_bytes)


def _entered(recipe: Recipe, tree: Path, place: Path, limit_s: float, held: IO[str]) -> str:
    """Hold an environment that is ready, made if need be; what went wrong, or empty."""
    while True:
        fcntl.flock(held, fcntl.LOCK_EX if recipe.owner else fcntl.LOCK_SH)
        if (place / _READY).exists():
            (place / _READY).write_text(f"{time.time():.0f}\n")
            return ""
        fcntl.flock(held, fcntl.LOCK_EX)
        # A lock is not exchanged at a stroke: who was first may have made it meanwhile.
        if not (place / _READY).exists() and (failure := _make(recipe, tree, place, limit_s)):
            return failure
        (place / _READY).write_text(f"{time.time():.0f}\n")


def variables(place: Path) -> dict[str, str]:
    """What is set for commands to find the environment's Python first."""
    return {
        "VIRTUAL_ENV": str(place),
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
    }


def cache_folder() -> Path:
    """Where environments are kept: PERFTRACK_CACHE, or perftrack/ in the user's cache folder."""
    if given := os.environ.get("PERFTRACK_CACHE"):
        return Path(given) / "environments"
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "perftrack" / "environments"


def _make(recipe: Recipe, tree: Path, place: Path, limit_s: float) -> str:
    empty, *filling = recipe.commands(tree, place)
    if failure := run_command(empty, tree, limit_s, os.environ | variables(place)):
        shutil.rmtree(place, ignore_errors=True)
        raise WorkerError(  # before anything of the commit's came into it
            f"no environment can be made in {place.parent}: `{shlex.join(empty)}` {failure}",
            "It needs space there (PERFTRACK_CACHE puts it elsewhere), and a Python with venv and ensurepip; "
            "--env current does without.",
        )
    for command in filling:
        if failure := run_command(command, tree, limit_s, os.environ | variables(place)):
            shutil.rmtree(place, ignore_errors=True)
            return f"its environment could not be made: `{shlex.join(command)}` {failure}"
    return ""


def _is_project(path: Path) -> bool:
    try:
        table = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return "project" in table or "build-system" in table


def _cut(cache: Path, cap_bytes: int) -> None:
    """Remove the environments used longest ago, that nobody holds, until the rest fits."""
    kept = sorted((p for p in cache.iterdir() if p.is_dir()), key=_used)
    sizes = {p: _size(p) for p in kept}
    for place in kept[:-1]:
        if sum(sizes.values()) <= cap_bytes:
            return
        with (cache / f"{place.name}.{_LOCK}").open("w") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            shutil.rmtree(place, ignore_errors=True)
            sizes.pop(place)


def _used(place: Path) -> float:
    ready = place / _READY
    return ready.stat().st_mtime if ready.exists() else 0.0


def _size(place: Path) -> int:
    return sum(_bytes(Path(folder, name)) for folder, _, names in os.walk(place) for name in names)


def _bytes(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # gone meanwhile
        return 0
