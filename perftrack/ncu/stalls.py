"""Why warps waited, from whichever of the profiler's three countings is there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from perftrack.core.launches.launch import Stall
from perftrack.ncu.kinds import Kind
from perftrack.ncu.lookup import Lookup

TOP = 4
# In order of preference: samples of the program counter, cycles per issued instruction, share of active warps.
SOURCES = (
    ("pcsamp", re.compile(r"smsp__pcsamp_warps_issue_stalled_(\w+?)(?:\.sum)?")),
    ("ratio", re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")),
    ("pct", re.compile(r"smsp__warp_issue_stalled_(\w+)_per_warp_active\.pct")),
)
_KINDS = {"pcsamp": Kind.COUNT, "ratio": Kind.COUNT, "pct": Kind.PERCENT}
# A warp that is selected issues; one that is not selected could have. Neither waits.
_NO_STALL = frozenset({"selected", "not_selected"})
_TWIN = "_not_issued"  # of a reason: the part of its samples in which the scheduler issued nothing at all
_SPELLINGS = {
    "no_instruction": "no_instructions",
    "dispatch": "dispatch_stall",
}  # the ratios' names → the samples'


def is_stall(metric: str) -> bool:
    return any(pattern.fullmatch(metric) for _, pattern in SOURCES)


def top_stalls(lookup: Lookup, top: int = TOP) -> tuple[Stall, ...]:
    """The largest reasons first, each with its share of all waiting, out of the first source that has any."""
    for source, _ in SOURCES:
        values = _values(lookup, source)
        total = sum(values.values())
        if total > 0:
            ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
            return tuple(Stall(r, v, 100 * v / total, source) for r, v in ordered[:top] if v > 0)
    return ()


def _values(lookup: Lookup, source: str) -> dict[str, float]:
    values: dict[str, float] = {}
    for metric, reason in lookup.shared(_reasons).get(source, ()):
        value = lookup.number(f"stall {reason}", metric, _KINDS[source])
        if value is not None and value >= 0:
            values[reason] = value
    return values


def _reasons(names: Iterable[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Source → (metric, reason) of each stall among `names`."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for metric in names:
        for source, pattern in SOURCES:
            match = pattern.fullmatch(metric)
            if match and match[1] not in _NO_STALL and not match[1].endswith(_TWIN):
                found[source] = (*found.get(source, ()), (metric, _SPELLINGS.get(match[1], match[1])))
    return found
