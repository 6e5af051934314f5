"""Where Nsight Compute is, and which."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import ProfileError

_VERSION = re.compile(r"Nsight Compute.*?Version (\d+(?:\.\d+)+)", re.DOTALL)
# Where its installers put it; the newest is taken.
_TOOLKIT = Path("/usr/local/cuda/bin/ncu")
_ELSEWHERE = (
    (Path("/opt/nvidia/nsight-compute"), "*/ncu"),
    (Path("/usr/local"), "NVIDIA-Nsight-Compute*/ncu"),
    (Path("/usr/local"), "cuda-*/bin/ncu"),
)
_START_S = 60.0


@dataclass(frozen=True, slots=True)
class Tool:
    """An ncu that starts. `version`: as it tells it, 2025.3.1.0."""

    path: str
    version: str


def find_tool(given: str = "", environ: Mapping[str, str] | None = None) -> Tool:
    """The ncu that is given (a path, or a name on PATH), else the one on PATH, else an installed one.

    Raises ProfileError where there is none, or the one given is not Nsight Compute's: others are named ncu too.
    """
    path = (os.environ if environ is None else environ).get("PATH", "")
    if given:
        return _given(given, shutil.which(given, path=path))
    strangers = []
    for place in _places(path):
        tool = ask_version(place)
        if tool is not None:
            return tool
        strangers.append(place)
    if strangers:
        raise ProfileError(f"{', '.join(strangers)} is not Nsight Compute's ncu", _INSTALL)
    raise ProfileError(
        "Nsight Compute is not here: ncu is neither on PATH nor where its installers put it", _INSTALL
    )


_INSTALL = "Install Nsight Compute, which comes with the CUDA toolkit, or set `ncu` to where its ncu is."


def _given(given: str, place: str | None) -> Tool:
    if place is None:
        raise ProfileError(f"there is no program {given!r} to profile with", "Set `ncu` to where ncu is.")
    tool = ask_version(place)
    if tool is None:
        raise ProfileError(f"{place} does not answer as Nsight Compute's ncu does", "Set `ncu` to where ncu is.")
    return tool


def _places(path: str) -> Iterator[str]:
    """Programs named ncu: those on PATH in its order, the toolkit's, and the newest of the others."""
    on_path = (shutil.which("ncu", path=folder) for folder in path.split(os.pathsep) if folder)
    others = [p for folder, pattern in _ELSEWHERE for p in folder.glob(pattern)]
    known = [str(p) for p in (_TOOLKIT, *sorted(others, key=_numbers, reverse=True)) if os.access(p, os.X_OK)]
    yield from dict.fromkeys([p for p in on_path if p is not None] + known)


def _numbers(path: Path) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", str(path))]


def ask_version(place: str) -> Tool | None:
    """The program with its version; None where it does not start, or says it is something else."""
    try:
        done = subprocess.run(
            [place, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_START_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search((done.stdout + done.stderr).decode(errors="replace"))
    return Tool(place, match[1]) if match else None
