"""What a reader hands to the summary: launches as a file told them, values in base units."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from perftrack.core.launches.launch import Counter, Dim3


class FileKind(StrEnum):
    """What a file was found to be."""

    REPORT = "ncu report"
    RAW = "CSV, raw page"
    DETAILS = "CSV, details page"
    METRICS = "CSV, metric selection"
    TRANSPOSED = "CSV, transposed"
    PER_KERNEL = "CSV, summary per kernel"


class Counters(Sequence[Counter]):
    """The counters of one launch, in file order, each built when it is asked for.

    A launch of the full set has over two thousand; a summary needs forty. `names` says what may be there without
    building any (launches of one table share it), `named` builds those of one name. A missing value is left out of
    both the sequence and `named`, though its name may be among `names`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Distinct names, in file order. The same object for launches of the same layout."""

    @abstractmethod
    def named(self, name: str) -> tuple[Counter, ...]:
        """Counters of that name: one for a raw name, one a section for a details page. Empty where missing."""

    def chosen(self, names: Sequence[str]) -> dict[str, tuple[Counter, ...]]:
        """`named` of each of these names; some that are not among `names` may be left out.

        One call for many is far faster than many for one.
        """
        return {name: self.named(name) for name in names}

    @abstractmethod
    def __iter__(self) -> Iterator[Counter]: ...

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @overload
    def __getitem__(self, index: int) -> Counter: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Counter, ...]: ...
    def __getitem__(self, index: int | slice) -> Counter | tuple[Counter, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class BuiltCounters(Counters):
    """Counters that exist already."""

    __slots__ = ("_counters", "_index", "_names")

    def __init__(self, counters: Iterable[Counter]) -> None:
        self._counters = tuple(counters)
        self._index: dict[str, tuple[Counter, ...]] = {}
        for counter in self._counters:
            self._index[counter.name] = (*self._index.get(counter.name, ()), counter)
        self._names = tuple(self._index)

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def named(self, name: str) -> tuple[Counter, ...]:
        return self._index.get(name, ())

    def __iter__(self) -> Iterator[Counter]:
        return iter(self._counters)

    def __len__(self) -> int:
        return len(self._counters)


@dataclass(frozen=True, slots=True)
class RawLaunch:
    """One launch. A per-kernel summary stands for several: `instances` then is their number.

    `id` and `process` as the file gives them; a profile of several processes can repeat ids. `nvtx`: the ranges
    around the launch as `--nvtx-include` spells them: outer/inner, domain@range outside the default domain.
    """

    id: str
    kernel: str
    grid: Dim3 | None = None
    block: Dim3 | None = None
    nvtx: str = ""
    device: str = ""
    compute_cap: str = ""
    instances: int = 1
    counters: Sequence[Counter] = ()
    unparsed: tuple[str, ...] = ()
    process: str = ""
    code_hash: str = ""  # of the machine code that ran, where the file holds it

    def by_name(self) -> Counters:
        """`counters` with look-up by name."""
        return self.counters if isinstance(self.counters, Counters) else BuiltCounters(self.counters)


@dataclass(frozen=True, slots=True)
class Reading:
    """One file. `warnings`: what the file itself reports (a launch that failed, a counter that was refused)."""

    kind: FileKind
    name: str
    launches: tuple[RawLaunch, ...]
    ncu_version: str = ""
    clock_control: str = ""
    cache_control: str = ""
    collection: str = ""
    warnings: tuple[str, ...] = ()
