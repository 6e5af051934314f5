"""Tables with one row per launch and metric: the details page, and the page of a metric selection.

A large file has hundreds of thousands of such rows, and nearly all of them repeat the launch of the row before and
a metric that an earlier launch had. Those are told by their bytes; all others are read as records.
"""

from __future__ import annotations

import re

from perftrack.ncu.gathering import Draft, Gathering
from perftrack.ncu.header import (
    CUT_OFF_TITLES,
    ID,
    LABEL,
    METRIC,
    SECTION,
    UNIT,
    VALUE,
    Header,
    header_at,
    metric_name,
)
from perftrack.ncu.identity import IdentityColumns
from perftrack.ncu.layout import Column, Layout
from perftrack.ncu.longpart import LongPart
from perftrack.ncu.notation import sight
from perftrack.ncu.raw import FileKind
from perftrack.ncu.records import quoted_record, record_at
from perftrack.ncu.remarks import Remarks
from perftrack.ncu.units import Unit, parse_unit

_SELECTION = "Command line profiler metrics"
_EXPORT = "Export it again: ncu --import REPORT.ncu-rep --csv --page details"
_NEXT_CELL = b'","'
_REMARK = re.compile(rb'[^"]*","","","","')
_LONGEST_BLOCK = 128  # lines
_SHAPE = bytes.maketrans(b"23456789", b"1" * 8)  # what a number looks like does not depend on these
_NO_PREFIX = b"\0"  # no line starts with it: a text file holds none


class Form:
    """How a line of a known metric goes on after its launch: `head`, up to the value.

    Launches have their metrics in the same order, most often, so it knows the form that followed it last time.
    """

    __slots__ = ("column", "following", "head", "size")

    def __init__(self, head: bytes, column: Column) -> None:
        self.head, self.size, self.column = head, len(head), column
        self.following = self


class LongPage:
    """Reads one such table into `gathering`."""

    def __init__(self, header: Header, lines: list[bytes], gathering: Gathering, remarks: Remarks) -> None:
        self._header = header
        self._lines = lines
        self._gathering = gathering
        self._remarks = remarks
        self._table = gathering.open_table()
        self._identity = IdentityColumns(header)
        self._section, self._label = header.place(SECTION), header.place(LABEL)
        self._metric, self._unit, self._value = (header.places[title] for title in (METRIC, UNIT, VALUE))
        self._first = min(p for p in (self._section, self._label, self._metric, self._unit) if p is not None)
        self._last = max(self._metric, self._unit, self._value, self._identity.last, self._section or 0)
        # Rows can be told by their bytes where all that says which launch it is comes first, and the value last.
        self._is_plain = (
            header.is_quoted
            and header.delimiter == ","
            and self._identity.last < self._first
            and self._value == self._last
        )
        self._columns: dict[tuple[str, str, str, str], Column] = {}
        self._distinct: dict[tuple[str, str, Unit], Column] = {}
        self._forms: dict[bytes, Form] = {}
        self._before = Form(b"\0", Column("", "", parse_unit("")))  # of the line before; at first, of none
        self._parts: list[tuple[Draft, LongPart]] = []
        self._seen: set[bytes] = set()
        self._current: tuple[tuple[str, ...], LongPart] | None = None
        self._prefix, self._tail = _NO_PREFIX, b'"'
        self._careful = 0  # lines before this index are read as records

    def read(self) -> int:
        """The index of the line where the table has ended: that of the next titles, or of the end of the file."""
        at, end = self._header.after, len(self._lines)
        while at < end:
            is_known = at >= self._careful and (self._lines[at].startswith(self._prefix) or self._switch(at))
            after = self._block(at) if is_known else self._row(at)
            if after is None:
                break
            at = after
        self._finish()
        return at

    def _block(self, at: int) -> int | None:
        """Reads lines of the current launch by their bytes; the index after the last one that it could take."""
        prefix, cut = self._prefix, len(self._prefix)
        forms: list[Form] = []
        rests: list[bytes] = []
        form, remarks = self._before.following, 0
        for line in self._lines[at : at + _LONGEST_BLOCK]:
            if not line.startswith(prefix):
                break
            if not line.startswith(form.head, cut):
                found = self._forms.get(line[cut:].rpartition(_NEXT_CELL)[0])
                if found is None:
                    if not self._is_remark(line[cut:]):
                        break
                    remarks += 1
                    continue
                (forms[-1] if forms else self._before).following = form = found
            forms.append(form)
            rests.append(line[cut + form.size :])
            form = form.following
        after = at + len(rests) + remarks
        # Nearly always all of them end in their value: a quote and the line's end after it, and no other quotes.
        text = b"\n".join((*rests, b""))
        cells = text.split(self._tail + b"\n")[:-1]
        if not len(cells) == len(rests) == text.count(b'"'):
            self._careful = after
        elif cells and self._current is not None:
            self._current[1].columns += [form.column for form in forms]
            self._current[1].cells += cells
            self._seen.update(cells)
            self._before = forms[-1]
        return self._row(at) if after in {at, self._careful} else after

    @staticmethod
    def _is_remark(rest: bytes) -> bool:
        """Whether the rest of a line, after its launch, is a whole remark of a rule: a section and no metric."""
        return rest.count(b'"') % 2 == 1 and _REMARK.match(rest) is not None

    def _switch(self, at: int) -> bool:
        """Whether the line is of another launch and written like those before; if so, that launch is current."""
        line = self._lines[at]
        if not self._forms or line[:1] != b'"' or b'""' in line:  # an empty cell, or an escaped quote
            return False
        cells = line[1:].split(_NEXT_CELL, self._first)
        rest = cells.pop()
        head, _, end = rest.rpartition(_NEXT_CELL)
        cut = len(line) - len(rest)
        is_alike = len(cells) == self._first and line.count(b'"', 0, cut) == 2 * self._first + 1
        if not is_alike or head not in self._forms or not end.endswith(self._tail) or not cells[0].isdigit():
            return False
        start = self._identity.first_of_others
        others = line[sum(map(len, cells[:start])) + 3 * start : cut] if start else b""
        self._enter(at, tuple(cell.decode() for cell in cells), others)
        self._prefix = line[:cut]
        return True

    def _enter(self, at: int, cells: tuple[str, ...], others: bytes = b"") -> LongPart:
        """Makes the launch of such a row the current one, and tells its part of this table."""
        self._prefix = _NO_PREFIX
        draft = self._gathering.draft(self._identity.read(cells, others), at + 1)
        part = draft.parts.get(self._table)
        if not isinstance(part, LongPart):
            part = draft.parts[self._table] = LongPart()
            self._parts.append((draft, part))
        self._current = (cells, part)
        return part

    def _row(self, at: int) -> int | None:
        """Reads one line as a record; the index after it, or None where other titles start."""
        line = self._lines[at]
        if not line.strip():
            return at + 1
        if not line.startswith(self._prefix) and header_at(self._lines, at) is not None:
            return None
        if line.startswith(b"==") or (self._header.is_quoted and not line.startswith(b'"')):
            self._remarks.take(at)
            return at + 1
        cells, after = record_at(self._lines, at, self._header.delimiter) or ([], at + 1)
        is_cut_off = len(cells) == self._value + 1 and line.endswith(self._header.delimiter.encode())
        if is_cut_off or not self._last < len(cells) <= len(self._header.titles):
            self._remarks.take_row(at, self._header, len(cells))
            return at + 1
        if not cells[self._header.places[ID]].strip():
            raise self._gathering.refused(at + 1, "a row without the id of its launch", _EXPORT)
        if self._header.is_repeated(cells):
            raise self._gathering.refused(at + 1, CUT_OFF_TITLES, _EXPORT)
        metric = cells[self._metric].strip()
        if metric:  # others are remarks of the profiler's rules
            self._take(at, cells, metric, line if after == at + 1 else b"")
        return after

    def _take(self, at: int, cells: list[str], metric: str, line: bytes) -> None:
        section, label = self._cell(cells, self._section), self._cell(cells, self._label)
        column = self._column(section, label, metric, cells[self._unit].strip())
        identity = tuple(cells[: self._first]) if self._is_plain else tuple(cells)
        is_same = self._current is not None and self._current[0] == identity
        part = self._current[1] if is_same and self._current is not None else self._enter(at, identity)
        value = cells[self._value].encode()
        part.columns.append(column)
        part.cells.append(value)
        if column.is_text:
            return
        self._gathering.evidence.add(cells[self._value], at + 1)
        if self._is_plain and line:
            self._learn(line, cells, value, column)

    def _learn(self, line: bytes, cells: list[str], value: bytes, column: Column) -> None:
        """Remembers how the line starts and what it says, if it is written as ncu writes: all cells quoted."""
        prefix = quoted_record(cells[: self._first]) + b',"' if self._first else b'"'
        head = quoted_record(cells[self._first : self._value])[1:-1]
        body = prefix + head + _NEXT_CELL + value
        tail = line[len(body) :]
        if line.startswith(body) and tail in {b'"', b'",'} and b'"' not in value:
            self._prefix, self._tail = prefix, tail
            self._forms[head] = Form(head + _NEXT_CELL, column)

    def _column(self, section: str, label: str, metric: str, unit: str) -> Column:
        key = (section, label, metric, unit)
        column = self._columns.get(key)
        if column is None:
            name = metric if section == _SELECTION else metric_name(metric)
            title = f"{section}: {label}" if label else section
            made = Column(name, "", parse_unit(unit)) if name else Column(metric, title, parse_unit(unit))
            # The same metric under several headings is one column.
            column = self._distinct.setdefault((made.name, made.section, made.unit), made)
            self._columns[key] = column
        return column

    @staticmethod
    def _cell(cells: list[str], place: int | None) -> str:
        return "" if place is None else cells[place].strip()

    def _line_of(self, cell: bytes) -> int:
        """The number of the first line with such a cell."""
        start = self._header.after
        written = b'"' + cell + b'"' if self._header.is_quoted else cell
        return next((at + 1 for at in range(start, len(self._lines)) if written in self._lines[at]), start)

    def _finish(self) -> None:
        shapes: dict[bytes, bytes] = {}
        for cell in self._seen:
            if b"," in cell or b"." in cell:
                shape = cell.translate(_SHAPE)
                shapes[shape] = min(cell, shapes.get(shape, cell))
        for cell in sorted(shapes.values()):  # a set has no order, and messages should have one
            seen = sight(cell.decode())
            if self._gathering.evidence.lacks(seen):
                self._gathering.evidence.note(seen, cell.decode(), self._line_of(cell))
        layouts: dict[tuple[Column, ...], Layout] = {}
        for draft, part in self._parts:
            part.settle(layouts, draft)
        is_selection = all(section in {"", _SELECTION} for section, _, _, _ in self._columns)
        self._gathering.kinds.append(FileKind.METRICS if is_selection else FileKind.DETAILS)
