"""Protocol-buffer wire format, for reading: no message is trusted to end where it says it does.

The encoding is that of https://protobuf.dev/programming-guides/encoding/. Offsets, not copies, are handed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5  # how a field is stored: the low bits of its tag


class WireError(ValueError):
    """Bytes that are no message; `at` is the offset where that was seen."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(what)
        self.at = at


class Field(NamedTuple):
    """One field: `value` of a varint; for the others `start` and `end` of its bytes."""

    number: int
    wire: int
    value: int
    start: int
    end: int


def fields(data: bytes, start: int, end: int) -> Iterator[Field]:
    """Fields of the message in `data[start:end]`. Raises WireError where it is not one."""
    at = start
    while at < end:
        tag, at = varint(data, at, end)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise WireError(at, "field number 0")
        if wire == VARINT:
            begin = at
            value, at = varint(data, at, end)
            yield Field(number, VARINT, value, begin, at)
            continue
        if wire == LENGTH:
            size, at = varint(data, at, end)
        elif wire == FIXED64:
            size = 8
        elif wire == FIXED32:
            size = 4
        else:
            raise WireError(at, f"wire type {wire}")
        if size > end - at:
            raise WireError(at, f"a field of {size} bytes where {end - at} are left")
        yield Field(number, wire, 0, at, at + size)
        at += size


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number at `at`, and the offset behind it."""
    value = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise WireError(at, "a number of more than 10 bytes")
    raise WireError(at, "a number cut off")


def text(data: bytes, field: Field) -> str:
    """The field's bytes as UTF-8. Raises WireError where they are not."""
    try:
        return data[field.start : field.end].decode()
    except UnicodeDecodeError as error:
        raise WireError(field.start, "text that is not UTF-8") from error
