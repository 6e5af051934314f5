"""What stands around the tables: the profiler's own messages, and the output of the program that it ran."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from perftrack.core.text import printable
from perftrack.errors import ProfileError
from perftrack.ncu.header import ID, PROCESS, Header
from perftrack.ncu.records import split

_ROW = re.compile(rb'"?\d+(?:"|$)|\d+[,;\t]')
_MESSAGE = re.compile(rb"\s*==(?:ERROR|WARNING)==\s*(\S.*)", re.DOTALL)
_ERROR = re.compile(rb"==ERROR==\s*\S")
_OFFERED = re.compile(rb"\s*\d+\.\s+(\S.*)", re.DOTALL)
_NO_KERNELS = b"No kernels were profiled"
_UNLOCKED = b"Running with unmodified GPU clocks"
_SHOWN = 20
_MOST_ORPHANS = 100
_EXPORT = "Export the file again: ncu --import REPORT.ncu-rep --csv --page raw"


class Remarks:
    """Lines of a file that are in no table, by index. `name` is the file's, for messages."""

    def __init__(self, name: str, lines: Sequence[bytes]) -> None:
        self.name = name
        self._lines = lines
        self._taken: list[int] = []
        self._orphans: list[int] = []

    def take(self, at: int) -> None:
        self._taken.append(at)

    def take_orphan(self, at: int) -> None:
        """A line before any titles. Rows of a table there have lost theirs."""
        if _ROW.match(self._lines[at]) and len(self._orphans) < _MOST_ORPHANS:
            self._orphans.append(at)
        self._taken.append(at)

    def take_row(self, at: int, header: Header, cells: int) -> None:
        """A line in a table that does not fit it: refused where it starts like a row, program output otherwise."""
        begins_with_number = header.titles[0].lower() in {ID, *PROCESS}
        if _ROW.match(self._lines[at]) if begins_with_number else cells > 1:
            raise ProfileError(
                f"{self.name}:{at + 1}: a row of {cells} cells under the {len(header.titles)} titles of "
                f"line {header.line + 1}: it is cut off, or mixed with program output"
                if cells
                else f"{self.name}:{at + 1}: a row that is cut off, or mixed with program output",
                _EXPORT,
            )
        self._taken.append(at)

    def check_orphans(self, header: Header) -> None:
        """Refuses rows above the first titles: they would be missing among those below."""
        for at in self._orphans:
            cells = split(self._lines[at].decode(), header.delimiter)
            is_row = header.is_quoted and self._lines[at].startswith(b'"')
            if is_row or (cells is not None and len(cells) == len(header.titles)):
                raise ProfileError(
                    f"{self.name}:{at + 1}: rows of a table without its titles: the start of the file was "
                    "cut off, or its lines were moved",
                    _EXPORT,
                )

    def messages(self) -> Iterator[tuple[int, str]]:
        """The profiler's errors and warnings with the indices of their lines, each text once."""
        seen: set[str] = set()
        for at in self._taken:
            match = _MESSAGE.match(self._lines[at])
            if match is None:
                continue
            text = printable(match[1].decode().strip())
            if text not in seen:
                seen.add(text)
                yield at, text

    def errors(self) -> Iterator[tuple[int, str]]:
        return ((at, text) for at, text in self.messages() if _ERROR.search(self._lines[at]))

    def warnings(self) -> tuple[str, ...]:
        """For a reading: at most `_SHOWN` messages, each with its line."""
        shown = [f"line {at + 1}: {text}" for at, text in self.messages() if _UNLOCKED.decode() not in text]
        more = len(shown) - _SHOWN
        return (*shown[:_SHOWN], f"and {more} more messages") if more > 0 else tuple(shown)

    @property
    def clock_control(self) -> str:
        """`none` where the profiler says that it left the clocks alone; empty where it says nothing."""
        return "none" if any(_UNLOCKED in self._lines[at] for at in self._taken) else ""

    def no_kernels(self) -> tuple[int, tuple[str, ...]] | None:
        """The line that says that nothing was profiled, and the kernels that were offered instead."""
        for place, at in enumerate(self._taken):
            if _NO_KERNELS in self._lines[at]:
                offered = (_OFFERED.fullmatch(self._lines[after]) for after in self._taken[place + 1 :])
                return at, tuple(printable(match[1].decode().strip()) for match in offered if match)
        return None
