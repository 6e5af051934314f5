"""What a search asks for and what it is told: probes, visits, failures, runs recorded before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from perftrack.errors import InvalidValueError


class Phase(StrEnum):
    """What a visit is for."""

    REPRODUCE = "reproduce"  # is there a difference between the ends at all?
    SEARCH = "search"
    ENDS = "ends"  # the place is found, the difference not yet established beyond doubt
    CHECK = "check"  # is it slow all the way from the culprit to BAD?
    CONFIRM = "confirm"  # fresh processes of the culprit and what is before it


class Outcome(StrEnum):
    """What a search has come to."""

    RUNNING = "running"
    FOUND = "found"  # one block holds the target
    BASE = "base"  # slow already where the histories part: the difference is a change on the side of GOOD
    NOT_REPRODUCED = "not-reproduced"
    NON_MONOTONE = "non-monotone"  # slow, fast and slow again inside the range
    BUDGET = "budget"  # spent before a block held the target
    END_FAILED = "end-failed"  # GOOD or BAD cannot be measured


class FailureKind(StrEnum):
    """Why a commit gave no value. None of these says anything about where the culprit is."""

    BUILD = "build"
    CRASH = "crash"
    TIMEOUT = "timeout"
    NOT_A_NUMBER = "not-a-number"


@dataclass(frozen=True, slots=True)
class Failure:
    """A commit that gave no value. `detail` is for people."""

    kind: FailureKind
    detail: str = ""


Result = Sequence[float] | Failure


@dataclass(frozen=True, slots=True)
class Probe:
    """Measure this next: fresh processes of `commit` and of `beside`, taking turns in `order`, on one device.

    `order`: SHAs, one for each process. `slow`: probability that `commit` is slow, where it is not known.
    """

    phase: Phase
    commit: str
    processes: int
    beside: str | None
    beside_processes: int
    order: tuple[str, ...]
    slow: float | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """What one commit gave in a visit: process medians in the metric's unit, in the order taken; or why none."""

    commit: str
    values: tuple[float, ...] = ()
    failure: Failure | None = None

    @classmethod
    def of(cls, commit: str, result: Result) -> Side:
        """Values that are not finite are left out; a failure where none is left."""
        if isinstance(result, Failure):
            return cls(commit, (), result)
        values = tuple(float(v) for v in result)
        finite = tuple(v for v in values if math.isfinite(v))
        if finite:
            return cls(commit, finite)
        if not values:
            return cls(commit, (), Failure(FailureKind.CRASH, "no value"))
        return cls(commit, (), Failure(FailureKind.NOT_A_NUMBER, str(values[0])))


@dataclass(frozen=True, slots=True)
class Visit:
    """A probe as it went. `seconds`: all of it, `build_seconds` of them for building; 0.0 where nobody counts."""

    phase: Phase
    sides: tuple[Side, ...]
    seconds: float = 0.0
    build_seconds: float = 0.0

    @property
    def processes(self) -> int:
        return sum(len(side.values) for side in self.sides)

    def side(self, commit: str | None) -> Side | None:
        return next((side for side in self.sides if side.commit == commit), None)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stored run of the same lane: evidence that costs nothing.

    `values`: its process medians. `apart`: standard deviation of ln(value) from one run of the lane to another,
    beyond what its processes explain (core.noise). Runs outside of the range may be given as runs of the end
    whose level they share. Raises InvalidValueError without values, or with one that is not finite.
    """

    commit: str
    values: tuple[float, ...]
    apart: float = 0.0

    def __post_init__(self) -> None:
        if not self.values or not all(map(math.isfinite, (*self.values, self.apart))) or self.apart < 0:
            raise InvalidValueError(
                f"a recorded run of {self.commit[:12]} needs finite values and a spread of 0 or more"
            )
