"""Which launch a row is of: its kernel, shape, ranges and device, from the cells under a header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.launches.launch import Dim3
from perftrack.core.text import quoted
from perftrack.ncu.header import BLOCK, CAPABILITY, DEVICE, GRID, ID, INVOCATIONS, KERNEL, PROCESS, Header

_DIM3 = re.compile(r"\(?\s*(\d{1,10})\s*,\s*(\d{1,10})\s*,\s*(\d{1,10})\s*\)?", re.ASCII)
_PROCESS = re.compile(r"\[(\d+)\].*", re.ASCII | re.DOTALL)  # "[3212] C:\path\program.exe"
_RANGE = re.compile(r'"([^"]*)"')
_RANGE_PARTS = 6  # payload type and value, colour type and colour, message type and message
_DEFAULT_DOMAIN = "<default domain>"
_MOST_KNOWN = 4096  # kernels and shapes of a table


@dataclass(frozen=True, slots=True)
class Identity:
    """`key` tells the launches of a file apart; the rest goes with it."""

    id: str
    process: str
    kernel: str
    grid: Dim3 | None = None
    block: Dim3 | None = None
    nvtx: str = ""
    device: str = ""
    compute_cap: str = ""
    instances: int = 1
    unparsed: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        return self.process, self.id

    def renamed(self, name: str) -> Identity:
        """The same, under another id."""
        return Identity(
            name, self.process, self.kernel, self.grid, self.block, self.nvtx, self.device, self.compute_cap,
            self.instances, self.unparsed,
        )  # fmt: skip


class IdentityColumns:
    """Where a table says which launch a row is of."""

    __slots__ = (
        "_block", "_cap", "_count", "_device", "_grid", "_id", "_kernels", "_known", "_process", "_ranges",
        "first_of_others", "last",
    )  # fmt: skip

    def __init__(self, header: Header) -> None:
        self._id = header.place(ID)
        self._process = header.place(*PROCESS)
        self._kernels = tuple(header.places[title] for title in KERNEL if title in header.places)
        self._grid, self._block = header.place(GRID), header.place(BLOCK)
        self._device, self._cap = header.place(*DEVICE), header.place(*CAPABILITY)
        self._count = header.place(INVOCATIONS)
        self._ranges = header.ranges
        single = (self._id, self._process, self._grid, self._block, self._device, self._cap, self._count)
        known = (*single, *self._kernels, *self._ranges)
        self.last = max(place for place in known if place is not None)
        others = [place for place in (*single[1:], *self._kernels, *self._ranges) if place is not None]
        # Where the id comes before all others, those of a kernel's launches are the same bytes, again and again.
        self.first_of_others = min(others) if self._id is not None and self._id < min(others) else None
        self._known: dict[bytes, Identity] = {}

    def read(self, cells: Sequence[str] | Sequence[bytes], others: bytes = b"") -> Identity:
        """The launch that a row with these cells is of. `others`: the bytes of all of them but the id's."""
        known = self._known.get(others) if others else None
        if known is not None and self._id is not None:
            name = cells[self._id]
            return known.renamed((name if isinstance(name, str) else name.decode()).strip())
        found = self._read(cells)
        if others and len(self._known) < _MOST_KNOWN:
            self._known[others] = found
        return found

    def _read(self, cells: Sequence[str] | Sequence[bytes]) -> Identity:
        unparsed: list[str] = []

        def cell(place: int | None) -> str:
            if place is None:
                return ""
            found = cells[place]
            return (found if isinstance(found, str) else found.decode()).strip()

        def shape(place: int | None, what: str) -> Dim3 | None:
            text = cell(place)
            found = dim3(text)
            if found is None and text:
                unparsed.append(f"{what}: {quoted(text)} is no shape")
            return found

        process = cell(self._process)
        bracketed = _PROCESS.fullmatch(process)
        count = cell(self._count).replace(",", "").replace(".", "")
        return Identity(
            cell(self._id),
            bracketed[1] if bracketed else process,
            _kernel([cell(place) for place in self._kernels]),
            shape(self._grid, "grid"),
            shape(self._block, "block"),
            nvtx(cell(self._ranges[0]), cell(self._ranges[1])),
            cell(self._device),
            cell(self._cap),
            int(count) if count.isascii() and count.isdigit() and len(count) < 16 else 1,
            tuple(unparsed),
        )


def _kernel(names: Sequence[str]) -> str:
    """The first of these that is whole: the viewer shortens names for its columns."""
    named = [name for name in names if name]
    return next((name for name in named if not name.endswith("..")), next(iter(named), ""))


def dim3(text: str) -> Dim3 | None:
    """`(65536, 1, 1)`, or as the viewer exports it, `"   64,   64,    1"`."""
    match = _DIM3.fullmatch(text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def nvtx(pushed: str, started: str) -> str:
    """Open ranges as `--nvtx-include` spells them, out of what the columns print:

    `1  "<default domain>:outer:none:none:none:none:none:none"  "<default domain>:inner:none:…"`, outermost first.
    """
    shown: list[str] = []
    for text, separator in ((pushed, "/"), (started, ",")):
        domains: dict[str, list[str]] = {_DEFAULT_DOMAIN: []}
        for entry in _RANGE.findall(text):
            # A started range has its number before the domain: "0:<default domain>:io:none:…".
            domain, *rest = entry.split(":") if separator == "/" else entry.split(":")[1:]
            name = ":".join(rest[: len(rest) - _RANGE_PARTS] if len(rest) > _RANGE_PARTS else rest)
            domains.setdefault(domain, []).append(name)
        for domain, names in domains.items():
            if names:
                prefix = "" if domain == _DEFAULT_DOMAIN else f"{domain}@"
                shown.append(prefix + separator.join(names))
    return ",".join(shown)
