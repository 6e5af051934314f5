"""The viewer's raw page with rows and columns exchanged: a row per metric, a column per launch."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.ncu.gathering import Gathering
from perftrack.ncu.header import ID, KERNEL, Header, Page, header_at, is_metric, metric_name, split_unit
from perftrack.ncu.identity import IdentityColumns
from perftrack.ncu.layout import CellCounters, Column, Layout
from perftrack.ncu.notation import Mark
from perftrack.ncu.raw import FileKind
from perftrack.ncu.records import record_at
from perftrack.ncu.remarks import Remarks
from perftrack.ncu.units import parse_unit

_EXPORT = "Export the report from the viewer's Raw page again, or: ncu --import REPORT.ncu-rep --csv --page raw"


class TransposedPart:
    """One column."""

    __slots__ = ("cells", "layout")

    def __init__(self, layout: Layout, cells: Sequence[bytes]) -> None:
        self.layout, self.cells = layout, cells

    def counters(self, mark: Mark) -> CellCounters:
        return CellCounters(self.layout, self.cells, mark)


class TransposedPage:
    """Reads one such table into `gathering`."""

    def __init__(self, header: Header, lines: Sequence[bytes], gathering: Gathering, remarks: Remarks) -> None:
        self._header = header
        self._lines = lines
        self._gathering = gathering
        self._remarks = remarks
        # A second column without id holds the units, where another program exchanged rows and columns.
        self._has_units = len(header.titles) > 2 and header.titles[1] == ""
        self._first = 2 if self._has_units else 1

    @staticmethod
    def block(header: Header, lines: Sequence[bytes], after: int) -> range:
        """Lines, from `after` on, that have as many cells as the row of ids: rows may stand in any order."""

        def fits(at: int) -> bool:
            record = record_at(lines, at, header.delimiter)
            return record is not None and len(record[0]) == len(header.titles)

        start, end = header.line, header.after
        while start > after and fits(start - 1):
            start -= 1
        while end < len(lines) and (fits(end) or lines[end].startswith(b"==")):
            end += 1
        return range(start, end)

    @staticmethod
    def is_table(header: Header, lines: Sequence[bytes], block: range) -> bool:
        """Whether a row of "ID" and numbers is part of such a table: another one has kernel names."""
        records = (record_at(lines, at, header.delimiter) for at in block)
        return any(record[0][0].strip().lower() in KERNEL for record in records if record and record[0])

    def read(self, block: range) -> int:
        """The index of the line where the table has ended: that of the next titles, or of the end of the file."""
        rows: list[tuple[int, list[str]]] = []
        at, end = block.start, len(self._lines)
        while at < end:
            if not self._lines[at].strip():
                at += 1
                continue
            if self._lines[at].startswith(b"=="):
                self._remarks.take(at)
                at += 1
                continue
            if at not in block and header_at(self._lines, at) is not None:
                break
            cells, after = record_at(self._lines, at, self._header.delimiter) or ([], at + 1)
            if len(cells) == len(self._header.titles):
                rows.append((at, cells))
            elif not cells or len(cells) > 1 or metric_name(split_unit(cells[0])[0]):
                message = f"a row of {len(cells)} cells where {len(self._header.titles)} columns begin at line "
                raise self._gathering.refused(at + 1, f"{message}{self._header.line + 1}: it is cut off", _EXPORT)
            else:
                self._remarks.take(at)
            at = after
        self._take(rows)
        return at

    def _take(self, rows: list[tuple[int, list[str]]]) -> None:
        titles = tuple(cells[0].strip() for _, cells in rows)
        places: dict[str, int] = {}
        for place, title in enumerate(titles):
            places.setdefault(title.lower(), place)
            places.setdefault(split_unit(title)[0].lower(), place)
        header = Header(Page.WIDE, titles, ",", False, self._header.line, self._header.after, places)
        identity = IdentityColumns(header)
        metrics = self._metrics(rows)
        columns = []
        for place in metrics:
            name, unit = split_unit(titles[place])
            if self._has_units:
                name, unit = titles[place], rows[place][1][1].strip()
            columns.append(Column(name, "", parse_unit(unit or "")))
        if not any(metric_name(column.name) for column in columns) or places.get(ID) is None:
            raise self._gathering.refused(self._header.line + 1, "a table of launches without any metric", _EXPORT)
        layout = Layout(columns)
        table = self._gathering.open_table()
        for number in range(self._first, len(self._header.titles)):
            cells = [row[number] for _, row in rows]
            draft = self._gathering.draft(identity.read(cells), self._header.line + 1)
            if table in draft.parts:
                message = f"two columns of launch {draft.identity.id}"
                raise self._gathering.refused(self._header.line + 1, message, _EXPORT)
            draft.parts[table] = TransposedPart(layout, [cells[place].encode() for place in metrics])
            for place, column in zip(metrics, columns, strict=True):
                if not column.is_text:
                    self._gathering.evidence.add(cells[place], rows[place][0] + 1)
        self._gathering.kinds.append(FileKind.TRANSPOSED)

    def _metrics(self, rows: list[tuple[int, list[str]]]) -> list[int]:
        """Rows that hold metrics, each metric once; rows of the same metric must agree."""
        found: dict[str, int] = {}
        for place, (at, cells) in enumerate(rows):
            title = cells[0].strip()
            if not is_metric(split_unit(title)[0]):
                continue
            known = found.setdefault(title, place)
            if rows[known][1] != cells:
                message = f"{title} is also in line {rows[known][0] + 1}, with different values"
                raise self._gathering.refused(at + 1, message, _EXPORT)
        return list(found.values())
