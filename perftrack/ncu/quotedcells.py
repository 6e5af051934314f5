"""Rows of thousands of cells, all in quotes and none with a quote in it: as ncu writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

_QUOTE, _COMMA = 34, 44


class QuotedCells(Sequence[bytes]):
    """Cells of one row, found by where its quotes are, and cut out when asked for: few of them are.

    Cell i of `record` is between `quotes[2 * i]` and `quotes[2 * i + 1]`, which take half as much memory again.
    """

    __slots__ = ("quotes", "record")

    def __init__(self, record: bytes, quotes: Sequence[int]) -> None:
        self.record, self.quotes = record, quotes

    @classmethod
    def of(cls, record: bytes, width: int) -> QuotedCells | None:
        """The row's cells, if it is `width` cells in quotes with a comma between them, and nothing else."""
        import numpy as np

        if record[:1] != b'"':
            return None
        text = np.frombuffer(record, dtype=np.uint8)
        (quotes,) = (text == _QUOTE).nonzero()
        if len(quotes) != 2 * width or quotes[-1] != len(record) - 1:
            return None
        closing = quotes[1:-1:2]
        if not ((quotes[2::2] - closing == 2).all() and (text[closing + 1] == _COMMA).all()):
            return None
        return cls(record, quotes.astype(np.uint16 if len(record) <= 0xFFFF else np.int64).data)

    def __len__(self) -> int:
        return len(self.quotes) // 2

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[bytes, ...]: ...
    def __getitem__(self, index: int | slice) -> bytes | tuple[bytes, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        return self.record[self.quotes[2 * index] + 1 : self.quotes[2 * index + 1]]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.record[1:-1].split(b'","'))
