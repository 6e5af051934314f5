"""One profiled kernel as a report file holds it: the message `ProfileResult`, by field numbers.

The messages are published with the profiler (`extras/FileFormat/*.proto` of its installation). Only what a launch
needs is decoded: a full report has thousands of metrics a launch, most of them per instance.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.launches.launch import Dim3
from perftrack.ncu.nvtx import ranges_of
from perftrack.ncu.wire import FIXED32, FIXED64, LENGTH, VARINT, Field, WireError, fields, text, varint

# Tag bytes of a metric within a result, of its name's number, of its value, and of a value that is a double
_METRIC, _NAME, _VALUE, _DOUBLE = 13 << 3 | LENGTH, 1 << 3, 2 << 3 | LENGTH, 3 << 3 | FIXED64
# Fields of ProfileResult
_THREAD, _MANGLED, _DEMANGLED, _GRID, _BLOCK, _SOURCE, _NVTX, _CLOCKS, _RENAMED = 1, 5, 7, 10, 11, 15, 21, 25, 31


@dataclass(frozen=True, slots=True)
class KernelResult:
    """`values`: as stored, by metric name; aggregates of instanced ones. `held`: metrics in all.
    `renamed`: what the profiler's own configuration calls the kernel; empty where nothing.

    `source`: number of the module that it ran; `clocks_locked`: (asked for, done), None where not stored.
    """

    process: str
    kernel: str
    renamed: str
    mangled: str
    grid: Dim3
    block: Dim3
    nvtx: str
    source: int
    held: int
    values: dict[str, float | str]
    clocks_locked: tuple[bool, bool] | None


def kernel_result(
    data: bytes, start: int, end: int, process: str, names: Sequence[str], wanted: Sequence[bool]
) -> KernelResult:
    """The launch in `data[start:end]`; metrics are given by their place in `names`, and read where `wanted` there.

    Raises WireError where the bytes are none: a field that is missing or cut off, a metric with two values.
    """
    try:
        seen, held, found = _scan(data, start, end, wanted)
    except IndexError as error:
        raise WireError(start, "a metric that runs over its end, or has no name") from error
    if any(number not in seen for number in (_MANGLED, _DEMANGLED, _GRID, _BLOCK)):
        raise WireError(start, "a launch without name or shape")
    kernel = text(data, seen[_DEMANGLED]) or text(data, seen[_MANGLED])
    if not kernel:
        raise WireError(seen[_DEMANGLED].start, "a launch with an empty name")
    thread = seen[_THREAD].value if _THREAD in seen else 0
    return KernelResult(
        process,
        kernel,
        text(data, seen[_RENAMED]) if _RENAMED in seen else "",
        text(data, seen[_MANGLED]),
        _dim3(data, seen[_GRID]),
        _dim3(data, seen[_BLOCK]),
        ranges_of(data, seen[_NVTX], thread) if _NVTX in seen else "",
        _inner(data, seen[_SOURCE], 1) if _SOURCE in seen else 0,
        held,
        _values(data, found, names),
        (bool(_inner(data, seen[_CLOCKS], 1)), bool(_inner(data, seen[_CLOCKS], 2))) if _CLOCKS in seen else None,
    )


def _scan(
    data: bytes, start: int, end: int, wanted: Sequence[bool]
) -> tuple[dict[int, Field], int, list[tuple[int, int, int]]]:
    """Fields other than metrics, the number of metrics, and the wanted ones: (name, start of the rest, end).

    Nearly every field is a metric, of at most a few hundred bytes, and most are not wanted: this loop is the whole
    cost of reading a large report, and so does by hand what `varint` does.
    """
    others: dict[int, Field] = {}
    found: list[tuple[int, int, int]] = []
    metric, named = _METRIC, _NAME  # locals are found faster
    at, held = start, 0
    while at < end:
        if data[at] != metric:
            other = next(fields(data, at, end))
            others.setdefault(other.number, other)
            at = other.end
            continue
        size, body = data[at + 1], at + 2
        if size >= 0x80:
            size, body = varint(data, at + 1, end)
        at = body + size
        if at > end or data[body] != named:
            raise WireError(body, "a metric that runs over its end, or has no name")
        number, more = data[body + 1], data[body + 2]
        if number < 0x80:
            body += 2
        elif more < 0x80:
            number += (more - 1) << 7
            body += 3
        else:
            number, body = varint(data, body + 1, at)
        held += 1
        if wanted[number]:
            found.append((number, body, at))
    return others, held, found


def _values(data: bytes, found: Sequence[tuple[int, int, int]], names: Sequence[str]) -> dict[str, float | str]:
    """Values by name. A few metrics of the full set stand in a launch twice, with the same value."""
    values: dict[str, float | str] = {}
    for number, start, end in found:
        value = _value(data, start, end)
        if value is None:
            continue
        before = values.setdefault(names[number], value)
        if before != value and value == value:  # noqa: PLR0124 - not a number: equal to nothing
            raise WireError(start, f"{names[number]} is twice in a launch, {before} and {value}")
    return values


def _value(data: bytes, start: int, end: int) -> float | str | None:
    """The metric's own value, field 2: the aggregate where there are instances. None: has none."""
    if end - start >= 11 and data[start] == _VALUE and data[start + 1] == 9 and data[start + 2] == _DOUBLE:
        (number,) = struct.unpack_from("<d", data, start + 3)
        return float(number)
    for found in fields(data, start, end):
        if found.number != 2 or found.wire != LENGTH:
            continue
        value: float | str | None = None
        for inner in fields(data, found.start, found.end):
            if inner.wire == LENGTH and inner.number == 1:
                value = text(data, inner)
            elif inner.wire == FIXED32 and inner.number == 2:
                (value,) = struct.unpack_from("<f", data, inner.start)
            elif inner.wire == FIXED64 and inner.number == 3:
                (value,) = struct.unpack_from("<d", data, inner.start)
            elif inner.wire == VARINT and inner.number in {4, 5}:
                value = float(inner.value)
            else:
                raise WireError(inner.start, "a value of no known type")
        return value
    return None


def _dim3(data: bytes, field: Field) -> Dim3:
    if field.wire != LENGTH:
        raise WireError(field.start, "a shape that is none")
    sizes = {f.number: f.value for f in fields(data, field.start, field.end)}
    shape = sizes.get(1, 0), sizes.get(2, 0), sizes.get(3, 0)
    if 0 in shape:
        raise WireError(field.start, f"a launch of shape {shape}")
    return shape


def _inner(data: bytes, field: Field, number: int) -> int:
    """The varint `number` of a message within; 0 where it is not there."""
    if field.wire != LENGTH:
        raise WireError(field.start, "a number where a message belongs")
    return next((f.value for f in fields(data, field.start, field.end) if f.number == number), 0)
