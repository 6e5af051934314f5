"""What a table with one row per launch and metric says of one launch."""

from __future__ import annotations

from perftrack.ncu.gathering import Draft
from perftrack.ncu.layout import CellCounters, Column, Layout
from perftrack.ncu.notation import Mark


class LongPart:
    """A launch's rows of one table, as columns and cells side by side."""

    __slots__ = ("_layout", "cells", "columns")

    def __init__(self) -> None:
        self.columns: list[Column] = []
        self.cells: list[bytes] = []
        self._layout: Layout | None = None

    def counters(self, mark: Mark) -> CellCounters:
        return CellCounters(self._layout or Layout(self.columns), self.cells, mark)

    def settle(self, layouts: dict[tuple[Column, ...], Layout], draft: Draft) -> None:
        """Takes on the layout that launches with the same columns share."""
        columns = tuple(self.columns)
        layout = layouts.get(columns)
        if layout is None:
            layout = layouts[columns] = Layout(columns)
        if layout.repeated():
            self._unite(draft)
            layout = Layout(self.columns)
        self._layout = layout
        self.columns = []

    def _unite(self, draft: Draft) -> None:
        """One cell for each name: rows that repeat one are dropped, rows that contradict it say nothing."""
        cells: dict[tuple[str, str], set[tuple[bytes, str]]] = {}
        for column, cell in zip(self.columns, self.cells, strict=True):
            cells.setdefault((column.section, column.name), set()).add((cell, column.unit.base))
        kept: dict[tuple[str, str], tuple[Column, bytes]] = {}
        for column, cell in zip(self.columns, self.cells, strict=True):
            if len(cells[column.section, column.name]) == 1:
                kept.setdefault((column.section, column.name), (column, cell))
        draft.notes += [
            f"{name} ({section or 'no section'}): {len(found)} different values under one name"
            for (section, name), found in cells.items()
            if len(found) > 1
        ]
        self.columns = [column for column, _ in kept.values()]
        self.cells = [cell for _, cell in kept.values()]
