"""What is asked of a search, and what it tells on the way."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Protocol

from perftrack.core.model import Commit
from perftrack.core.search.bisection import Search
from perftrack.core.search.settings import CONFIDENCE
from perftrack.core.search.visits import Failure, Probe
from perftrack.errors import UsageError

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)?")
_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
KEPT_BUILDS = 16


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a whole search may spend; None is without a limit."""

    measurements: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Budget:
        """`200` processes, or a time such as `90s`, `30m` or `2h`. Raises UsageError for anything else."""
        match = _AMOUNT.fullmatch(text.strip())
        unit = match[2] if match else None
        if match is None or (unit is None and not match[1].isdigit()) or not 0.0 < float(match[1]) < math.inf:
            raise UsageError(
                f"--budget {text!r} is no budget",
                "Give a number of measurements like 200, or a time like 30m or 2h.",
            )
        return cls(int(match[1])) if unit is None else cls(seconds=float(match[1]) * _SECONDS[unit])


@dataclass(frozen=True, slots=True)
class BisectOptions:
    """What was asked. None where a search that goes on keeps what it began with.

    `good`, `bad`: revisions, empty where a stored search says them. `bench`: means one case. `metric`: empty for
    the case's first. `env`: `venv` or `current`. `keep`: builds to keep at hand. `live_only`: nothing that was
    recorded counts.
    """

    good: str = ""
    bad: str = ""
    bench: str = ""
    metric: str = ""
    budget: Budget | None = None
    confidence: float | None = None
    skip: tuple[str, ...] = ()
    first_parent: bool = False
    build: str | None = None
    python: str | None = None
    env: str | None = None
    keep: int = KEPT_BUILDS
    live_only: bool = False
    resume: bool = False
    restart: bool = False
    profile: bool = True
    seed: int | None = None

    @property
    def level(self) -> float:
        return CONFIDENCE if self.confidence is None else self.confidence


class BisectProgress(Protocol):
    """What a search tells while it goes on."""

    def began(self, search: Search, case_id: str, metric: str, *, resumed: bool) -> None: ...
    def building(self, commit: Commit, command: str) -> None: ...
    def visiting(self, search: Search, probe: Probe, commit: Commit) -> None: ...
    def measured(self, sha: str, value: float) -> None: ...
    def failed(self, sha: str, failure: Failure) -> None: ...
    def learnt(self, search: Search) -> None: ...
    def note(self, text: str) -> None: ...
