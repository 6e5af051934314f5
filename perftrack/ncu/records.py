"""Records of comma-separated text among lines that are none."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

_FIELD_LIMIT = 131_072  # the csv module's own, which is the whole process's setting
_LONGEST_RECORD = 500  # lines: a kernel name or a remark with line breaks has a few
DELIMITERS = ",;\t"


def split(text: str, delimiter: str = ",") -> list[str] | None:
    """The cells of one whole record; None where the text is not one: an open quote, text after a quoted cell."""
    if len(text) < _FIELD_LIMIT:
        return _split(text, delimiter)
    before = csv.field_size_limit(sys.maxsize)
    try:
        return _split(text, delimiter)
    finally:
        csv.field_size_limit(before)


def _split(text: str, delimiter: str) -> list[str] | None:
    try:
        records = list(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return records[0] if len(records) == 1 else None


def record_at(lines: Sequence[bytes], at: int, delimiter: str = ",") -> tuple[list[str], int] | None:
    """The record that starts with `lines[at]` and the index after it; None where none starts there.

    Quoted cells may hold line breaks: lines are joined until their quotes are even.
    """
    line = lines[at]
    quotes = line.count(b'"')
    end = at + 1
    if quotes % 2:
        parts = [line]
        while quotes % 2:
            if end >= len(lines) or end - at >= _LONGEST_RECORD:
                return None
            parts.append(lines[end])
            quotes += lines[end].count(b'"')
            end += 1
        line = b"\n".join(parts)
    cells = split(line.decode(), delimiter)
    return None if cells is None else (cells, end)


def quoted_record(cells: Sequence[str]) -> bytes:
    """The cells as ncu writes them: all in quotes."""
    return ",".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells).encode()
