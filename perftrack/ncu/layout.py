"""What the columns of a table mean, once for all its launches, and a launch's counters built from its cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from perftrack.core.launches.launch import Counter
from perftrack.ncu.notation import Mark, read_bytes
from perftrack.ncu.raw import Counters
from perftrack.ncu.units import Unit

# Facts of the machine's wiring, and lists of other metrics: text, even where it looks like a number.
TEXT = ("nvlink__", "numa__", "c2clink__", "breakdown:", "group:")
_MOST_KNOWN = 256  # cells of a column


class Column:
    """One metric as a table has it. Compared by identity: a table makes each of its columns once."""

    __slots__ = ("_known", "is_text", "name", "section", "unit")

    def __init__(self, name: str, section: str, unit: Unit) -> None:
        self.name, self.section, self.unit = name, section, unit
        self.is_text = name.startswith(TEXT)
        self._known: dict[bytes, tuple[Counter, ...]] = {}

    def read(self, cell: bytes, mark: Mark) -> tuple[Counter, ...]:
        """What the cell holds, in base units; empty where it holds no value.

        Columns repeat themselves (limits, shapes, zeros): what a cell was read as is kept for the next launch.
        """
        known = self._known.get(cell)
        if known is None:
            known = self._read(cell, mark)
            if len(self._known) < _MOST_KNOWN:
                self._known[cell] = known
        return known

    def _read(self, cell: bytes, mark: Mark) -> tuple[Counter, ...]:
        value = _wiring(cell.decode()) if self.is_text else read_bytes(cell, mark)
        if value is None:
            return ()
        if isinstance(value, str):
            return (Counter(self.name, value, "", self.section),)
        based = self.unit.to_base(value)
        if not math.isfinite(based):  # too large to be a measurement: kept as it stands
            return (Counter(self.name, cell.decode(), "", self.section),)
        return (Counter(self.name, based, self.unit.base, self.section),)


def _wiring(cell: str) -> float | str | None:
    text = cell.strip()
    if text.isascii() and text.isdigit() and len(text) < 16:
        return float(text)
    return None if text.lower() in {"", "n/a", "nan", "no data"} else text


class Layout:
    """Columns in file order, and where each name is."""

    __slots__ = ("_plans", "_repeated", "columns", "index", "names")

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        index: dict[str, tuple[int, ...]] = {}
        for position, column in enumerate(self.columns):
            index[column.name] = (*index.get(column.name, ()), position)
        self.index = index
        self.names = tuple(index)
        self._repeated: tuple[tuple[int, ...], ...] | None = None
        self._plans: dict[int, tuple[Sequence[str], tuple[tuple[str, int, Column], ...]]] = {}

    def plan(self, names: Sequence[str]) -> tuple[tuple[str, int, Column], ...]:
        """(name, position, column) of all columns with these names: made once for each list, kept by identity."""
        kept = self._plans.get(id(names))
        if kept is None:
            found = ((name, at, self.columns[at]) for name in names for at in self.index.get(name, ()))
            kept = self._plans[id(names)] = names, tuple(found)
        return kept[1]

    def repeated(self) -> tuple[tuple[int, ...], ...]:
        """Positions of columns that have both name and section in common."""
        if self._repeated is None:
            groups: dict[tuple[str, str], list[int]] = {}
            for position, column in enumerate(self.columns):
                groups.setdefault((column.name, column.section), []).append(position)
            self._repeated = tuple(tuple(group) for group in groups.values() if len(group) > 1)
        return self._repeated


class CellCounters(Counters):
    """Counters of one launch, from the cells of its layout's columns."""

    __slots__ = ("_cells", "_layout", "_mark")

    def __init__(self, layout: Layout, cells: Sequence[bytes], mark: Mark) -> None:
        self._layout = layout
        self._cells = cells
        self._mark = mark

    @property
    def names(self) -> tuple[str, ...]:
        return self._layout.names

    def cells(self) -> Sequence[bytes]:
        """One for each column of the layout."""
        return self._cells

    def named(self, name: str) -> tuple[Counter, ...]:
        positions = self._layout.index.get(name, ())
        cells, columns = self.cells(), self._layout.columns
        return tuple(counter for at in positions for counter in columns[at].read(cells[at], self._mark))

    def chosen(self, names: Sequence[str]) -> dict[str, tuple[Counter, ...]]:
        found: dict[str, tuple[Counter, ...]] = {}
        cells, mark = self.cells(), self._mark
        for name, at, column in self._layout.plan(names):
            read = column.read(cells[at], mark)
            found[name] = found[name] + read if name in found else read
        return found

    def __iter__(self) -> Iterator[Counter]:
        for column, cell in zip(self._layout.columns, self.cells(), strict=True):
            yield from column.read(cell, self._mark)
