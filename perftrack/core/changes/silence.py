"""What stopped reporting: cases that later commits lack, devices and hosts that have been quiet for days."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from perftrack.core.fingerprint import EnvironmentFingerprint

DAY_S = 86_400.0
ESTABLISHED = 3  # reports after which falling silent is news
FULL = (
    0.5  # of the usual number of cases: a commit with fewer was measured in part, and says nothing of the others
)
RECENT = 20  # commits that tell what is usual


@dataclass(frozen=True, slots=True)
class SilenceRules:
    """`days` after which nobody's report is news, 0 for never; `commits` that a case may lack; names that may."""

    days: float
    commits: int
    ignored: tuple[str, ...] = ()

    def allows(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.ignored)


def device_name(fingerprint: EnvironmentFingerprint) -> str:
    """The product that did the work."""
    for value in (fingerprint.gpu_name, fingerprint.cpu_model):
        if isinstance(value, str) and value.strip():
            return value
    return fingerprint.device_kind or "unknown device"


class SilenceKind(StrEnum):
    ALL = "all"  # nothing at all was recorded
    HOST = "host"
    DEVICE = "device"
    CASE = "case"


@dataclass(frozen=True, slots=True)
class Reporter:
    """A host or a device: how many runs it made, and when the last one began, in unix seconds."""

    kind: SilenceKind
    name: str
    runs: int
    last_at: float


@dataclass(frozen=True, slots=True)
class Silence:
    """`name`: of the host, the device or the case; empty for all. `device`: that a case was measured on.

    `last_at`: unix seconds of the last report, for a host, a device or all. `last`: position of the last commit
    that has the case. `missing`: measured commits since, without it.
    """

    kind: SilenceKind
    name: str = ""
    device: str = ""
    last_at: float | None = None
    last: int | None = None
    missing: int = 0

    @property
    def id(self) -> str:
        """12 hex digits; the same as long as the silence lasts."""
        parts = (self.kind, self.name, self.device, str(self.last_at), str(self.last))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def quiet_reporters(reporters: Sequence[Reporter], now: float, days: float) -> tuple[Silence, ...]:
    """Hosts and devices whose last run began more than `days` before `now`, in the order given.

    One that made fewer than ESTABLISHED runs was a visitor. Where nobody has reported for so long, that is said
    once, for all.
    """
    newest = max((r.last_at for r in reporters), default=None)
    if newest is None:
        return ()
    limit = now - days * DAY_S
    if newest < limit:
        return (Silence(SilenceKind.ALL, last_at=newest),)
    quiet = [r for r in reporters if r.last_at < limit and r.runs >= ESTABLISHED]
    return tuple(Silence(r.kind, r.name, last_at=r.last_at) for r in quiet)


@dataclass(frozen=True, slots=True)
class Reports:
    """Positions of the commits at which a case was measured on one kind of device, ascending and each once."""

    case: str
    device: str
    positions: NDArray[np.int64]


def missing_cases(reports: Iterable[Reports], commits: int) -> tuple[Silence, ...]:
    """Cases that the latest `commits` commits measured on their kind of device lack, every one of them.

    Commits that were measured in part count neither for nor against. A case with fewer than ESTABLISHED
    reports was tried once, and is not missed.
    """
    by_device: dict[str, list[Reports]] = defaultdict(list)
    for own in reports:
        by_device[own.device].append(own)
    found = []
    for device, own_reports in by_device.items():
        full = _full_commits(own_reports)
        recent = full[-commits:]
        if len(recent) < commits:
            continue
        for own in own_reports:
            if len(own.positions) < ESTABLISHED or own.positions[-1] >= recent[0]:
                continue
            last = int(own.positions[-1])
            missing = sum(position > last for position in full)
            found.append(Silence(SilenceKind.CASE, own.case, device, last=last, missing=missing))
    return tuple(found)


def _full_commits(reports: Sequence[Reports]) -> list[int]:
    """Positions of commits with at least half of the usual number of cases, ascending."""
    counts = np.bincount(np.concatenate([own.positions for own in reports]))
    order = np.flatnonzero(counts)
    usual = float(np.median(counts[order[-RECENT:]])) if len(order) else 0.0
    found: list[int] = order[counts[order] >= FULL * usual].tolist()
    return found
