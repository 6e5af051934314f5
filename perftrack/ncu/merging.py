"""Several files of one profile as one list of launches: the raw page and the details page, most often."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence

from perftrack.core.launches.kernelname import canonical, short
from perftrack.core.launches.launch import Dim3, Launch
from perftrack.errors import ProfileError
from perftrack.ncu.raw import FileKind, RawLaunch, Reading
from perftrack.ncu.summary import Equal, summarise

# By how much two pages of one profile may differ: each prints at least three significant digits.
_PRINTED = 0.006
_ONE_AT_A_TIME = "give the files of one profile at a time: pages that were exported from the same report"


def summarise_launches(readings: Sequence[Reading]) -> tuple[Launch, ...]:
    """The launches of one profile, out of one or several files of it, each numbered among its equals.

    Launches of several files are one where process and id are the same; each field then comes from the first file
    that has it. Files of the same kind may have different launches: those of several processes, say. Raises
    ProfileError where pages have no launch in common, or what has the same id is another launch.
    """
    processes = [{launch.process for launch in reading.launches} for reading in readings]
    # A file without process ids belongs to the others where those know of one process only.
    nameless = {""} in processes and max(map(len, processes)) == 1 and len(set().union(*processes)) <= 2
    groups: dict[tuple[str, str], list[tuple[RawLaunch, str]]] = {}
    kinds: dict[FileKind, str] = {}
    for reading in readings:
        keys = [("" if nameless else launch.process, launch.id) for launch in reading.launches]
        if groups and reading.kind not in kinds and groups.keys().isdisjoint(keys):
            before = ", ".join(kinds.values())
            raise ProfileError(f"{reading.name} has no launch in common with {before}", _ONE_AT_A_TIME)
        kinds[reading.kind] = reading.name
        for key, launch in zip(keys, reading.launches, strict=True):
            groups.setdefault(key, []).append((launch, reading.name))
    seen: Tally[Equal] = Tally()
    return tuple(
        _merged(group, seen) if len(group) > 1 else summarise(group[0][0], seen=seen) for group in groups.values()
    )


def _merged(group: list[tuple[RawLaunch, str]], seen: Tally[Equal]) -> Launch:
    (first, name), *rest = group
    for other, theirs in rest:
        _same_launch(first, name, other, theirs)
    alone = summarise(first).summary
    for other, theirs in rest:
        summary = summarise(other).summary
        for field in ("registers", "cycles", "duration_s"):
            _same_value(field, first, (getattr(alone, field), name), (getattr(summary, field), theirs))
    return summarise(first, *(other for other, _ in rest), seen=seen)


def _same_launch(first: RawLaunch, name: str, other: RawLaunch, theirs: str) -> None:
    if canonical(first.kernel) != canonical(other.kernel):
        what = f"{short(first.kernel)} in {name} and {short(other.kernel)} in {theirs}"
    elif _differ(first.grid, other.grid) or _differ(first.block, other.block):
        what = (
            f"of grid {first.grid} and block {first.block} in {name}, {other.grid} and {other.block} in {theirs}"
        )
    else:
        return
    raise ProfileError(f"launch {first.id} is {what}: the files are not of one profile", _ONE_AT_A_TIME)


def _differ(one: Dim3 | None, other: Dim3 | None) -> bool:
    return one is not None and other is not None and one != other


def _same_value(
    field: str, launch: RawLaunch, ours: tuple[float | None, str], theirs: tuple[float | None, str]
) -> None:
    (a, name), (b, other) = ours, theirs
    if a is None or b is None or abs(a - b) <= _PRINTED * max(abs(a), abs(b)):
        return
    raise ProfileError(
        f"{field} of launch {launch.id} ({short(launch.kernel)}) is {a:g} in {name} and {b:g} in {other}: "
        "the files are not of one profile",
        _ONE_AT_A_TIME,
    )
