"""Tables with one row per launch and one column per metric: the raw page, and the viewer's export of it.

The raw page has its units in a row without id, the viewer writes them behind the titles, in brackets. Rows are
kept as the file has them, and taken apart when a launch is looked at: a full set has thousands of cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from perftrack.core.launches.launch import Counter
from perftrack.core.text import quoted
from perftrack.ncu.gathering import Gathering
from perftrack.ncu.header import CUT_OFF_TITLES, ID, Header, header_at, is_metric, split_unit
from perftrack.ncu.identity import IdentityColumns
from perftrack.ncu.layout import TEXT, CellCounters, Column, Layout
from perftrack.ncu.notation import Mark
from perftrack.ncu.quotedcells import QuotedCells
from perftrack.ncu.raw import FileKind
from perftrack.ncu.records import record_at, split
from perftrack.ncu.remarks import Remarks
from perftrack.ncu.units import parse_unit

_EXPORT = "Export it again: ncu --import REPORT.ncu-rep --csv --page raw"
# Cells that leave no choice of the decimal mark. One of them decides for its row, which one program wrote; most
# rows have one among their first cells. Under the other mark such a cell is text: no wrong number comes of it.
_POINT = re.compile(rb'"([-+]?\d[\d,]*\.(?:\d{1,2}|\d{4,}))"')
_COMMA = re.compile(rb'"([-+]?\d[\d.]*,(?:\d{1,2}|\d{4,}))"')


class WidePage:
    """Reads one such table into `gathering`."""

    def __init__(self, header: Header, lines: Sequence[bytes], gathering: Gathering, remarks: Remarks) -> None:
        self._header = header
        self._lines = lines
        self._gathering = gathering
        self._remarks = remarks
        self._table = gathering.open_table()
        self._identity = IdentityColumns(header)
        self._width = len(header.titles)
        self.places = tuple(place for place, title in enumerate(header.titles) if is_metric(split_unit(title)[0]))
        self._bracketed = tuple(split_unit(header.titles[place]) for place in self.places)
        self._is_text = tuple(name.startswith(TEXT) for name, _ in self._bracketed)
        self._units: tuple[str, ...] | None = None
        self._units_line = 0
        self._layout: Layout | None = None
        self._opened: tuple[bytes, Sequence[bytes]] | None = None
        self._is_plain = header.is_quoted and header.delimiter == ","

    @property
    def layout(self) -> Layout:
        if self._layout is None:
            raise RuntimeError("a table is read before its launches are looked at")
        return self._layout

    def opened(self, record: bytes, line: int) -> Sequence[bytes]:
        """All cells of a row that has to be read as a record. The last one is remembered."""
        opened = self._opened
        if opened is None or opened[0] is not record:
            cells = split(record.decode(), self._header.delimiter)
            if cells is None or len(cells) < self._width:
                raise self._gathering.refused(line, "a row that is cut off, or mixed with program output", _EXPORT)
            opened = self._opened = record, [cell.encode() for cell in cells]
        return opened[1]

    def read(self) -> int:
        """The index of the line where the table has ended: that of the next titles, or of the end of the file."""
        at, end, lines = self._header.after, len(self._lines), self._lines
        while at < end:
            whole = self._whole(lines[at])
            if whole is not None and whole[0].isdigit():
                self._take(at, lines[at], whole)
                at += 1
                continue
            after = self._row(at)
            if after is None:
                break
            at = after
        self._finish()
        return at

    def _whole(self, record: bytes) -> QuotedCells | None:
        """The row, if it is one as ncu writes them, without quotes in its cells."""
        return QuotedCells.of(record, self._width) if self._is_plain else None

    def _row(self, at: int) -> int | None:
        """Reads one line as a record; the index after it, or None where other titles start."""
        line = self._lines[at]
        if not line.strip():
            return at + 1
        if header_at(self._lines, at) is not None:
            return None
        if line.startswith(b"==") or (self._header.is_quoted and not line.startswith(b'"')):
            self._remarks.take(at)
            return at + 1
        cells, after = record_at(self._lines, at, self._header.delimiter) or ([], at + 1)
        if len(cells) != self._width and not (len(cells) == self._width + 1 and cells[-1] == ""):
            if cells and cells[0] == "" and len(cells) > 1:
                raise self._gathering.refused(at + 1, "a row of units that is cut off", _EXPORT)
            self._remarks.take_row(at, self._header, len(cells))
            return at + 1
        if self._header.is_repeated(cells):
            raise self._gathering.refused(at + 1, CUT_OFF_TITLES, _EXPORT)
        if cells[self._header.places[ID]].strip():
            self._take(at, b"\n".join(self._lines[at:after]), [cell.encode() for cell in cells])
        else:
            self._take_units(at, cells)
        return after

    def _take_units(self, at: int, cells: Sequence[str]) -> None:
        units = tuple(cells[place].strip() for place in self.places)
        if not any(cells) and (self._units is not None or any(unit is not None for _, unit in self._bracketed)):
            return
        if self._units is not None and units != self._units:
            message = f"a second row of units, unlike that of line {self._units_line}"
            raise self._gathering.refused(at + 1, message, "One profile a file: split it before this line.")
        self._units, self._units_line = units, at + 1

    def _take(self, at: int, record: bytes, cells: Sequence[bytes]) -> None:
        identity = self._identity.read(cells, self._others(cells))
        draft = self._gathering.draft(identity, at + 1)
        known = draft.parts.get(self._table)
        if isinstance(known, WidePart):
            if known.record != record:
                message = f"launch {identity.id} is in lines {known.line} and {at + 1}, with different values"
                raise self._gathering.refused(at + 1, message, "One profile a file: split it before this line.")
            return
        draft.parts[self._table] = WidePart(
            self, record, at + 1, cells if isinstance(cells, QuotedCells) else None
        )
        self._look(at, record, cells)

    def _others(self, cells: Sequence[bytes]) -> bytes:
        """The bytes of all that says which launch it is, but its id."""
        first = self._identity.first_of_others
        if first is None or not isinstance(cells, QuotedCells):
            return b""
        return cells.record[cells.quotes[2 * first] : cells.quotes[2 * self._identity.last + 1]]

    def _look(self, at: int, record: bytes, cells: Sequence[bytes]) -> None:
        """What the row says of the file's notation."""
        evidence = self._gathering.evidence
        if isinstance(cells, QuotedCells):
            start = cells.quotes[2 * self.places[0]]
            clear = _POINT.search(record, start)
            if clear is not None and evidence.point is not None:
                return
            clear = clear or _COMMA.search(record, start)
            if clear is not None:
                evidence.add(clear[1].decode(), at + 1)
                return
        for place, is_text in zip(self.places, self._is_text, strict=True):
            if not is_text:
                evidence.add(cells[place].decode(), at + 1)

    def _finish(self) -> None:
        rows = any(self._table in draft.parts for draft in self._gathering)
        units: Sequence[str | None]
        if self._units is None:
            units = [unit for _, unit in self._bracketed]
            if rows and not any(units):
                raise self._gathering.refused(
                    self._header.line + 1,
                    "a table without its row of units, as other programs leave it",
                    _EXPORT,
                )
            names = [name for name, _ in self._bracketed]
        else:
            units = self._units
            names = [self._header.titles[place] for place in self.places]
        columns = [Column(name, "", parse_unit(unit or "")) for name, unit in zip(names, units, strict=True)]
        self._layout = self._without_repeats(Layout(columns))
        self._gathering.kinds.append(FileKind.RAW)

    def _without_repeats(self, layout: Layout) -> Layout:
        """The layout with each title once. Columns of the same title must agree."""
        groups = layout.repeated()
        if not groups:
            return layout
        for group in groups:
            for draft in self._gathering:
                part = draft.parts.get(self._table)
                if not isinstance(part, WidePart):
                    continue
                cells = part.row()
                if len({cells[self.places[place]] for place in group}) > 1:
                    name = quoted(layout.columns[group[0]].name)
                    message = f"{name} is the title of {len(group)} columns with different values"
                    raise self._gathering.refused(part.line, message, _EXPORT)
        dropped = {place for group in groups for place in group[1:]}
        self.places = tuple(p for place, p in enumerate(self.places) if place not in dropped)
        return Layout([column for place, column in enumerate(layout.columns) if place not in dropped])


class WidePart:
    """One row of one table. `line`: its number; `cells`: where they are known already."""

    __slots__ = ("_cells", "line", "page", "record")

    def __init__(self, page: WidePage, record: bytes, line: int, cells: QuotedCells | None) -> None:
        self.page, self.record, self.line, self._cells = page, record, line, cells

    def row(self) -> Sequence[bytes]:
        return self.page.opened(self.record, self.line) if self._cells is None else self._cells

    def counters(self, mark: Mark) -> WideCounters:
        return WideCounters(self, mark)


class WideCounters(CellCounters):
    """Counters of one row."""

    __slots__ = ("_part",)

    def __init__(self, part: WidePart, mark: Mark) -> None:
        super().__init__(part.page.layout, (), mark)
        self._part = part

    def cells(self) -> Sequence[bytes]:
        row = list(self._part.row())
        return [row[place] for place in self._part.page.places]

    def chosen(self, names: Sequence[str]) -> dict[str, tuple[Counter, ...]]:
        row = self._part.row()
        places, mark, plan = self._part.page.places, self._mark, self._layout.plan(names)
        if not isinstance(row, QuotedCells):
            return {name: column.read(row[places[at]], mark) for name, at, column in plan}
        record, quotes = row.record, row.quotes
        chosen: dict[str, tuple[Counter, ...]] = {}
        for name, at, column in plan:
            start = 2 * places[at]
            chosen[name] = column.read(record[quotes[start] + 1 : quotes[start + 1]], mark)
        return chosen

    def named(self, name: str) -> tuple[Counter, ...]:
        row = self._part.row()
        places, columns, positions = self._part.page.places, self._layout.columns, self._layout.index.get(name, ())
        return tuple(counter for at in positions for counter in columns[at].read(row[places[at]], self._mark))
