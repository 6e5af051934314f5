"""Whether times of two profiles can be compared at all, and what else was different when they were taken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from perftrack.core.launches.launch import Profile


@dataclass(frozen=True, slots=True)
class Conditions:
    """`obstacles`: why durations are not compared, none where they are. `notes`: what to bear in mind."""

    obstacles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def comparable(self) -> bool:
        return not self.obstacles


def conditions_of(baseline: Profile, candidate: Profile) -> Conditions:
    """Durations are compared only where clock control, cache control and device are known to be the same.

    Cache control that neither side tells counts as the same: its default is that of every release. The default of
    clock control changed from base to boost in release 2026.1, so that one must be told.
    """
    obstacles = [
        _obstacle("clock control", baseline.clock_control, candidate.clock_control),
        _obstacle("device", _devices(baseline), _devices(candidate)),
    ]
    if baseline.cache_control != candidate.cache_control:
        obstacles.append(_obstacle("cache control", baseline.cache_control, candidate.cache_control))
    notes = []
    if baseline.ncu_version != candidate.ncu_version and baseline.ncu_version and candidate.ncu_version:
        notes.append(f"profiled with ncu {baseline.ncu_version} and {candidate.ncu_version}")
    if (
        _capabilities(baseline) != _capabilities(candidate)
        and _capabilities(baseline)
        and _capabilities(candidate)
    ):
        capabilities = f"{_capabilities(baseline)} and {_capabilities(candidate)}"
        notes.append(f"compute capability {capabilities}: for that alone the compiler made other code")
    notes += [f"{side} has uncommitted changes" for side, p in _sides(baseline, candidate) if p.dirty]
    return Conditions(tuple(o for o in obstacles if o), tuple(notes))


def _sides(baseline: Profile, candidate: Profile) -> tuple[tuple[str, Profile], ...]:
    return ("baseline", baseline), ("candidate", candidate)


def _obstacle(what: str, baseline: str, candidate: str) -> str:
    """Why `what` keeps durations apart; empty where it is known to be the same."""
    if baseline and candidate:
        return "" if baseline == candidate else f"{what} differs ({baseline} against {candidate})"
    unknown = [side for side, value in (("baseline", baseline), ("candidate", candidate)) if not value]
    return f"{what} of {' and '.join(unknown)} is not known"


def _devices(profile: Profile) -> str:
    return _all(launch.summary.device for launch in profile.launches)


def _capabilities(profile: Profile) -> str:
    return _all(launch.summary.compute_cap for launch in profile.launches)


def _all(values: Iterable[str]) -> str:
    return ", ".join(sorted({value for value in values if value}))
