"""How a report was taken: what the profiler's command line and its record of the clocks say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.ncu.container import Container

_PROVIDER = "Nsight Compute Target"
_BOOST_DEFAULT = (2026, 1)  # the release from which --clock-control is boost where it is not given; base before
_MODES = ("none", "base", "boost", "reset")


@dataclass(frozen=True, slots=True)
class Session:
    """Empty where the report does not say. `collection`: sets, sections and metrics that were asked for."""

    ncu_version: str
    clock_control: str
    cache_control: str
    collection: str
    warnings: tuple[str, ...]


def session_of(container: Container) -> Session:
    version = _version(container)
    words = _words(container.command)
    mode = _clock_control(container, words, version)
    locked = {r.clocks_locked for r in container.results}
    failed = any(asked and not done for asked, done in locked - {None})  # type: ignore[misc]
    warnings = ("clocks were to be fixed and could not be: durations vary with the clock",) if failed else ()
    return Session(
        version,
        "none" if failed else mode,
        (_option(words, "--cache-control") or "all") if words else "",
        _collection(words),
        warnings,
    )


def _version(container: Container) -> str:
    """`2025.3.1.0` out of `2025.3.1.0 (build 36398880) (public-release)`."""
    match = re.match(r"\d+(?:\.\d+)+", container.versions.get(_PROVIDER, ""))
    return match[0] if match else ""


def _clock_control(container: Container, words: Sequence[str], version: str) -> str:
    """As asked for; the release's default where the command line is known and does not say."""
    given = (_option(words, "--clock-control") or container.clock_mode).lower()
    if given:
        return next((mode for mode in _MODES if mode == given), given)
    asked = {r.clocks_locked[0] for r in container.results if r.clocks_locked is not None}
    if asked == {False}:
        return "none"
    release = tuple(int(n) for n in version.split(".")[:2]) if version else ()
    if not release or not (words or asked):
        return ""
    return "boost" if release >= _BOOST_DEFAULT else "base"


def _collection(words: Sequence[str]) -> str:
    if not words:
        return ""
    sets = _options(words, "--set")
    sections, metrics = _options(words, "--section"), _options(words, "--metrics")
    if not (sets or sections or metrics):
        sets = ["basic"]
    parts = [*sets, *(f"section {s}" for s in sections), *(f"metrics {m}" for m in metrics)]
    return " + ".join(parts)


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quote that is not closed: the profiler joins arguments without quoting them
        return tuple(command.split())


def _option(words: Sequence[str], name: str) -> str:
    """Its first value: what stands behind the profiled program is the program's own."""
    return next(iter(_options(words, name)), "")


def _options(words: Sequence[str], name: str) -> list[str]:
    found = []
    for at, word in enumerate(words):
        if word == name and at + 1 < len(words):
            found.append(words[at + 1])
        elif word.startswith(f"{name}="):
            found.append(word.removeprefix(f"{name}="))
    return found
