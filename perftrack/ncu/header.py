"""Column titles: which table a row of them opens, and where each column is. Positions differ between releases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from perftrack.ncu.records import DELIMITERS, record_at, split


class Page(StrEnum):
    """A kind of table, by its titles."""

    LONG = "one row per metric"
    PER_KERNEL = "one row per kernel and metric"
    WIDE = "one row per launch"
    TRANSPOSED = "one column per launch"


KERNEL = ("original demangled name", "kernel name", "demangled name", "function name")
ID = "id"
PROCESS = ("process id", "process")
GRID, BLOCK = "grid size", "block size"
DEVICE = ("device name", "device__attribute_display_name", "device")
CAPABILITY = ("cc", "compute capability")
INVOCATIONS = "invocations"
SECTION, LABEL = "section name", "body item label"
METRIC, UNIT, VALUE = "metric name", "metric unit", "metric value"
CUT_OFF_TITLES = "titles of a table that are cut off, or not ncu's"
AVERAGE, MINIMUM, MAXIMUM = "average", "minimum", "maximum"
_PUSHED, _STARTED = "thread domain:push/pop_range", "id:domain:start/stop_range"

# Titles that say which launch it is, or are of no metric; the viewer's exports have the second half.
_NO_METRIC = frozenset(
    (
        *KERNEL, ID, *PROCESS, GRID, BLOCK, "device", "device name", *CAPABILITY, INVOCATIONS,
        "process name", "host name", "kernel time", "context", "stream",
        "time", "api call id", "mangled name", "thread id", "cuprogram", "cufunction", "grid offset",
        "grid dimensions", "result type", "context id", "stream id",
    )
)  # fmt: skip
_UNMISTAKABLE = frozenset(("process id", "kernel name", "function name"))
_CANDIDATE = re.compile(rb"(?:kernel|demangled|function) name", re.IGNORECASE)
_IDS = re.compile(rb'\W{0,8}ID"?[,;\t]', re.IGNORECASE)
_FIRST = (b'"ID"', b'"Process ID"')  # titles that a table can begin with
_BRACKETED = re.compile(r"(.*\S)\s*\[([^\[\]]*)\]", re.DOTALL)
_METRIC_NAME = re.compile(r"[A-Za-z0-9_:.]+__[A-Za-z0-9_:.]+")
_LABELLED = re.compile(r".+ \(([A-Za-z0-9_:.]+__[A-Za-z0-9_:.]+)\)")


def metric_name(text: str) -> str | None:
    """The metric's own name, where `text` is one or ends in one: `Duration (gpu__time_duration.sum)`."""
    if _METRIC_NAME.fullmatch(text):
        return text
    labelled = _LABELLED.fullmatch(text) if text.endswith(")") else None
    return labelled[1] if labelled else None


def split_unit(title: str) -> tuple[str, str | None]:
    """`dram__bytes_read.sum [Mbyte]` → name and unit; without brackets the unit is None."""
    match = _BRACKETED.fullmatch(title) if title.endswith("]") else None
    return (match[1], match[2]) if match else (title, None)


@dataclass(frozen=True, slots=True)
class Header:
    """A row of titles. `line`, `after`: indices of its line and of the next one; `places`: title → column."""

    page: Page
    titles: tuple[str, ...]
    delimiter: str
    is_quoted: bool
    line: int
    after: int
    places: dict[str, int]

    def place(self, *titles: str) -> int | None:
        """The column of the first of these titles that there is."""
        return next((self.places[title] for title in titles if title in self.places), None)

    def is_repeated(self, cells: Sequence[str]) -> bool:
        """Whether a row of cells has its own titles in it: titles of another table, which are cut off."""
        return any(cell.strip().lower() in _UNMISTAKABLE for cell in cells)

    @property
    def ranges(self) -> tuple[int | None, int | None]:
        """Columns of the push/pop and of the start/end ranges."""
        found: list[int | None] = []
        for start in (_PUSHED, _STARTED):
            found.append(next((place for title, place in self.places.items() if title.startswith(start)), None))
        return found[0], found[1]


# What pages begin with, and the fewest characters of it that are taken for its start.
_STARTS = (("ID", "Process ID", "Process Name", "Host Name"), ("Process ID", "Process Name", "Host Name"))
_FEWEST = 4


def begins_titles(line: str) -> bool:
    """Whether a line that opens no table has the first titles of one, or the start of them."""
    if len(line) < _FEWEST:
        return False
    pages = (
        quote + f"{quote}{d}{quote}".join(titles) for titles in _STARTS for d in DELIMITERS for quote in ('"', "")
    )
    return any(line.startswith(page) or page.startswith(line) for page in pages)


def is_metric(title: str) -> bool:
    """Whether a wide table's column holds a metric; everything else in it says which launch it is."""
    folded = title.strip().lower()
    return bool(folded) and folded not in _NO_METRIC and not folded.startswith((_PUSHED, _STARTED))


def header_at(lines: Sequence[bytes], at: int) -> Header | None:
    """The table that `lines[at]` opens. Program output without a line feed may stand before the titles."""
    line = lines[at]
    # Nearly all lines are none, and are told quickly.
    is_named = (b" Name" in line or b" name" in line or b" NAME" in line) and _CANDIDATE.search(line)
    if not is_named and not _IDS.match(line):
        return None
    first = min((place for title in _FIRST if (place := line.find(title)) > 0), default=0)
    starts = (0, line.rfind(b"\r") + 1, first)
    # Titles in quotes have them from the first one on: what stands before the quotes is output.
    for offset in dict.fromkeys(starts if line.startswith(b'"') else reversed(starts)):
        found = _header(lines, at, offset)
        if found is not None:
            return found
    return None


def _header(lines: Sequence[bytes], at: int, offset: int) -> Header | None:
    text = lines[at][offset:].decode()
    for delimiter in DELIMITERS:
        if delimiter not in text:
            continue
        if offset:
            cells, after = split(text, delimiter), at + 1
        else:
            record = record_at(lines, at, delimiter)
            cells, after = record if record is not None else (None, at + 1)
        if cells is None or len(cells) < 2:
            continue
        titles = tuple(cell.strip() for cell in cells)
        places = _places(titles)
        page = _page(titles, places)
        if page is not None:
            return Header(page, titles, delimiter, text.startswith('"'), at, after, places)
    return None


def _places(titles: tuple[str, ...]) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, title in enumerate(titles):
        places.setdefault(title.lower(), place)
        places.setdefault(split_unit(title)[0].lower(), place)
    return places


def _page(titles: tuple[str, ...], places: dict[str, int]) -> Page | None:
    if ID in places and len(titles) > 1 and places[ID] == 0 and all(_is_id(title) for title in titles[1:]):
        return Page.TRANSPOSED
    if not any(title in places for title in KERNEL):
        return None
    if METRIC in places:
        if UNIT not in places:
            return None
        if VALUE in places and ID in places:
            return Page.LONG
        return Page.PER_KERNEL if {AVERAGE, MINIMUM, MAXIMUM, INVOCATIONS} <= places.keys() else None
    if ID in places and any(metric_name(split_unit(title)[0]) for title in titles):
        return Page.WIDE
    return None


def _is_id(title: str) -> bool:
    return title == "" or (title.isascii() and title.isdigit())
