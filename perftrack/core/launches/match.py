"""Which launch of one profile is which of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perftrack.core.launches.kernelname import base
from perftrack.core.launches.launch import Launch


class Likeness(StrEnum):
    """By what two launches were matched."""

    IDENTITY = "identity"  # kernel, grid, block, NVTX ranges, and position among equals
    KERNEL = "kernel"  # the kernel, launched with another shape or in other ranges
    TEMPLATE = "template"  # the kernel but for its template arguments, the only one of its name on either side


@dataclass(frozen=True, slots=True)
class LaunchPair:
    baseline: Launch
    candidate: Launch
    likeness: Likeness = Likeness.IDENTITY


@dataclass(frozen=True, slots=True)
class LaunchMatch:
    """`pairs` in the candidate's order; `added` are only in the candidate, `removed` only in the baseline."""

    pairs: tuple[LaunchPair, ...]
    added: tuple[Launch, ...]
    removed: tuple[Launch, ...]


def match_launches(baseline: Sequence[Launch], candidate: Sequence[Launch]) -> LaunchMatch:
    """Pairs by identity; what is left by kernel and shape, then by kernel and NVTX ranges, then by kernel, each in
    order of launch; at last by name without template arguments.
    """
    left: dict[int, Launch] = dict(enumerate(baseline))
    open_: dict[int, Launch] = dict(enumerate(candidate))
    pairs: dict[int, LaunchPair] = {}
    for likeness, key, only in _STEPS:
        theirs = _grouped(open_, key)
        for group, ours in _grouped(left, key).items():
            found = theirs.get(group, [])
            if only and (len(ours) > 1 or len(found) > 1):
                continue
            for a, b in zip(ours, found, strict=False):
                pairs[b] = LaunchPair(left.pop(a), open_.pop(b), likeness)
    return LaunchMatch(tuple(pairs[b] for b in sorted(pairs)), tuple(open_.values()), tuple(left.values()))


_Key = Callable[[Launch], Hashable]
_STEPS: tuple[tuple[Likeness, _Key, bool], ...] = (
    (Likeness.IDENTITY, lambda one: one.summary.identity, False),
    (Likeness.KERNEL, lambda one: (one.summary.kernel, one.summary.grid, one.summary.block), False),
    (Likeness.KERNEL, lambda one: (one.summary.kernel, one.summary.nvtx), False),
    (Likeness.KERNEL, lambda one: one.summary.kernel, False),
    (Likeness.TEMPLATE, lambda one: (base(one.summary.kernel), one.summary.nvtx), True),
)


def _grouped(launches: dict[int, Launch], key: _Key) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for number, launch in launches.items():
        groups[key(launch)].append(number)
    return groups
