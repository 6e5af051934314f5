"""Launches while a file is read: what its tables say of each, under the process and the id that they give it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from perftrack.core.launches.launch import Counter
from perftrack.core.text import quoted
from perftrack.errors import ProfileError
from perftrack.ncu.identity import Identity
from perftrack.ncu.notation import Evidence, Mark
from perftrack.ncu.raw import BuiltCounters, Counters, FileKind, RawLaunch

_SPLIT = "One profile a file: split it at its second table."
_ROUNDING = 0.0051  # relative: two decimals after 1.02 are the coarsest that a scaled value is printed with


class Part(Protocol):
    """What one table says of one launch."""

    def counters(self, mark: Mark) -> Counters: ...


@dataclass(slots=True)
class Draft:
    """One launch so far. `line`: where it was first seen; `parts`: by the table that they are from."""

    identity: Identity
    line: int
    parts: dict[int, Part] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Gathering:
    """All launches of a file. `name` is the file's, for messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.evidence = Evidence()
        self.kinds: list[FileKind] = []
        self.kernels: dict[tuple[object, ...], Draft] = {}  # those without ids, by all that tells them apart
        self.tables = 0
        self._drafts: dict[tuple[str, str], Draft] = {}

    def __len__(self) -> int:
        return len(self._drafts)

    def __iter__(self) -> Iterator[Draft]:
        return iter(self._drafts.values())

    def open_table(self) -> int:
        self.tables += 1
        return self.tables

    def draft(self, identity: Identity, line: int) -> Draft:
        """The launch with this key; a new one, or one that an earlier row spoke of."""
        known = self._drafts.get(identity.key)
        if known is None:
            known = self._drafts[identity.key] = Draft(identity, line)
        elif known.identity is not identity:
            for what in ("kernel", "grid", "block"):
                before, now = getattr(known.identity, what), getattr(identity, what)
                if before and now and before != now:
                    raise self.refused(
                        line,
                        f"launch {identity.id} has {what} {quoted(now)}, in line {known.line} {quoted(before)}",
                        _SPLIT,
                    )
            known.identity = _merged(known.identity, identity)
        return known

    def refused(self, line: int, message: str, hint: str) -> ProfileError:
        return ProfileError(f"{self.name}:{line}: {message}", hint)

    def launches(self, mark: Mark) -> Iterator[RawLaunch]:
        """All launches, in the order of the file; by id where its rows are out of order."""
        for draft in _ordered(list(self._drafts.values())):
            identity = draft.identity
            yield RawLaunch(
                identity.id,
                identity.kernel,
                identity.grid,
                identity.block,
                identity.nvtx,
                identity.device,
                identity.compute_cap,
                identity.instances,
                self._joined(draft, mark),
                (*identity.unparsed, *draft.notes),
                identity.process,
            )

    def _joined(self, draft: Draft, mark: Mark) -> Sequence[Counter]:
        first, *others = (part.counters(mark) for part in draft.parts.values())
        if not others:
            return first
        found: dict[tuple[str, str], Counter] = {}
        for counter in (counter for part in (first, *others) for counter in part):
            known = found.setdefault((counter.section, counter.name), counter)
            if known is not counter and not _agree(known, counter):
                raise self.refused(
                    draft.line,
                    f"launch {draft.identity.id} is in the file twice: {counter.name} is "
                    f"{known.value} {known.unit} in one table and {counter.value} {counter.unit} in another",
                    _SPLIT,
                )
        return BuiltCounters(found.values())


def _agree(one: Counter, other: Counter) -> bool:
    if isinstance(one.value, str) or isinstance(other.value, str):
        return one.value == other.value
    close = abs(one.value - other.value) <= _ROUNDING * max(abs(one.value), abs(other.value))
    return close and one.unit == other.unit


def _merged(one: Identity, other: Identity) -> Identity:
    if one == other:
        return one
    return Identity(
        one.id,
        one.process,
        one.kernel or other.kernel,
        one.grid or other.grid,
        one.block or other.block,
        one.nvtx or other.nvtx,
        # An index is all that some tables know of the device.
        other.device if one.device.isdigit() and other.device else one.device or other.device,
        one.compute_cap or other.compute_cap,
        one.instances,
        tuple(dict.fromkeys((*one.unparsed, *other.unparsed))),
    )


def _ordered(drafts: list[Draft]) -> list[Draft]:
    """In file order; where ids of a process fall, its rows were moved about, and ids say what ran first."""
    last: dict[str, int] = {}
    for draft in drafts:
        number = _number(draft.identity.id)
        if number is None:
            return drafts
        if number < last.get(draft.identity.process, -1):
            break
        last[draft.identity.process] = number
    else:
        return drafts
    processes = {process: place for place, process in enumerate(dict.fromkeys(d.identity.process for d in drafts))}
    return sorted(drafts, key=lambda d: (processes[d.identity.process], _number(d.identity.id) or 0))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
