"""`--print-summary per-kernel`: a row per kernel, shape and metric, with minimum, maximum and average."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from perftrack.ncu.gathering import Draft, Gathering
from perftrack.ncu.header import (
    AVERAGE,
    CUT_OFF_TITLES,
    MAXIMUM,
    METRIC,
    MINIMUM,
    SECTION,
    UNIT,
    Header,
    header_at,
)
from perftrack.ncu.header import metric_name as own_name
from perftrack.ncu.identity import IdentityColumns
from perftrack.ncu.layout import CellCounters, Column, Layout
from perftrack.ncu.notation import Mark
from perftrack.ncu.raw import FileKind
from perftrack.ncu.records import record_at
from perftrack.ncu.remarks import Remarks
from perftrack.ncu.units import parse_unit

_SELECTION = "Command line profiler metrics"
_EXPORT = "Export it again: ncu --import REPORT.ncu-rep --csv --print-summary per-kernel"


class KernelPart:
    """A kernel's rows. Under a metric's name is its average; minimum and maximum have names of their own."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], tuple[Column, tuple[str, str, str], int]] = {}

    def counters(self, mark: Mark) -> CellCounters:
        columns: list[Column] = []
        cells: list[bytes] = []
        for column, (average, minimum, maximum), _ in self.rows.values():
            columns.append(column)
            cells.append(average.encode())
            for what, cell in ((MINIMUM, minimum), (MAXIMUM, maximum)):
                columns.append(Column(f"{what} of {column.name}", column.section, column.unit))
                cells.append(cell.encode())
        return CellCounters(Layout(columns), tuple(cells), mark)


class KernelPage:
    """Reads one such table into `gathering`."""

    def __init__(self, header: Header, lines: Sequence[bytes], gathering: Gathering, remarks: Remarks) -> None:
        self._header = header
        self._lines = lines
        self._gathering = gathering
        self._remarks = remarks
        self._table = gathering.open_table()
        self._identity = IdentityColumns(header)
        self._section = header.place(SECTION)
        self._metric, self._unit = header.places[METRIC], header.places[UNIT]
        self._values = tuple(header.places[title] for title in (AVERAGE, MINIMUM, MAXIMUM))

    def read(self) -> int:
        """The index of the line where the table has ended: that of the next titles, or of the end of the file."""
        at, end = self._header.after, len(self._lines)
        while at < end:
            line = self._lines[at]
            if not line.strip():
                at += 1
                continue
            if header_at(self._lines, at) is not None:
                break
            cells, after = record_at(self._lines, at, self._header.delimiter) or ([], at + 1)
            if line.startswith(b"==") or (self._header.is_quoted and not line.startswith(b'"')):
                self._remarks.take(at)
                at += 1
            elif len(cells) != len(self._header.titles):
                self._remarks.take_row(at, self._header, len(cells))
                at += 1
            else:
                self._take(at, cells)
                at = after
        self._gathering.kinds.append(FileKind.PER_KERNEL)
        return at

    def _take(self, at: int, cells: Sequence[str]) -> None:
        metric = cells[self._metric].strip()
        if not metric:
            return
        if self._header.is_repeated(cells):
            raise self._gathering.refused(at + 1, CUT_OFF_TITLES, _EXPORT)
        section = "" if self._section is None else cells[self._section].strip()
        name = metric if section == _SELECTION else own_name(metric)
        column = Column(name or metric, "" if name else section, parse_unit(cells[self._unit].strip()))
        part = self._draft(at, cells).parts[self._table]
        if not isinstance(part, KernelPart):
            raise TypeError(type(part).__name__)
        average, minimum, maximum = (cells[place].strip() for place in self._values)
        values = average, minimum, maximum
        known = part.rows.setdefault((column.section, column.name), (column, values, at + 1))
        if known[1] != values or known[0].unit != column.unit:
            message = f"{metric} of a kernel is in lines {known[2]} and {at + 1}, with different values"
            raise self._gathering.refused(at + 1, message, "One profile a file: split it before this line.")
        for value in values:
            self._gathering.evidence.add(value, at + 1)

    def _draft(self, at: int, cells: Sequence[str]) -> Draft:
        """The kernel that a row is of. They have no ids: they are numbered as they come."""
        found = self._identity.read(cells)
        key = (found.process, found.kernel, found.grid, found.block, found.device, found.nvtx)
        known = self._gathering.kernels.get(key)
        numbered = known.identity if known else dataclasses.replace(found, id=f"kernel {len(self._gathering)}")
        draft = self._gathering.kernels[key] = known or self._gathering.draft(numbered, at + 1)
        draft.parts.setdefault(self._table, KernelPart())
        return draft
