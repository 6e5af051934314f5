"""The file a profiler writes: blocks of sources and results behind a magic number, checked as they are read.

Layout, as published with the profiler (`extras/FileFormat`): `NVR\\0`, a sized file header, then blocks until the
end of the file; each block a sized header, whose fields say how many sized messages its payload holds. Nothing in
it is a checksum: what is told from whole is structure, not a flipped bit inside a number.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from perftrack.errors import ProfileError
from perftrack.ncu.cubin import code_hash
from perftrack.ncu.results import KernelResult, kernel_result
from perftrack.ncu.wire import VARINT, Field, WireError, fields, text

MAGIC = b"NVR\0"
KNOWN_VERSION = 7  # of the file format, up to which its messages are known to be as read here
# Fields of BlockHeader
_SOURCES, _RESULTS, _SESSION, _STRINGS, _PAYLOAD, _PROCESS = 1, 2, 3, 4, 5, 6
_OTHER_RESULTS = (7, 8, 9)  # of ranges, command lists and graphs
_GRAPHS = 10
AGAIN = "copy the file again, or take the profile again"


@dataclass(slots=True)
class Container:
    """A report file. `versions`: by provider; `command`: how the profiler was called; `clock_mode`: as the GUI
    stores it; `others`: results that are no single kernel's."""

    version: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""
    clock_mode: str = ""
    results: list[KernelResult] = field(default_factory=list)
    others: int = 0
    _names: list[str] = field(default_factory=list)
    _wanted: list[bool] = field(default_factory=list)
    _modules: dict[tuple[str, int], bytes] = field(default_factory=dict)  # numbered anew in each process

    def code_of(self, result: KernelResult) -> str:
        """Hash of the machine code that it ran; empty where the file does not hold it."""
        module = self._modules.get((result.process, result.source))
        return "" if module is None else code_hash(module, result.mangled)


def read_container(stream: BinaryIO, size: int, name: str, wanted: Callable[[str], bool]) -> Container:
    """The report of `size` bytes in `stream`, with the metrics that `wanted` says yes to.

    Raises ProfileError, naming `name` and the byte, for a file that is no report or is damaged.
    """
    if stream.read(4) != MAGIC:
        raise ProfileError(
            f"{name} is no ncu report: it does not begin with NVR",
            "give the .ncu-rep file that ncu --export wrote, or its CSV: ncu --import FILE --page raw --csv",
        )
    container = Container()
    at = len(MAGIC)
    try:
        header = _sized(stream, at, size)
        container.version = next((f.value for f in fields(header, 0, len(header)) if f.number == 1), 0)
        at += 4 + len(header)
        while at < size:
            header = _sized(stream, at, size)
            block = _Block.read(header)
            at += 4 + len(header)
            body = _take(stream, block.payload, at, size)
            _session(container, header, block)
            _strings(container, header, block, wanted)
            _payload(container, body, block)
            at += block.payload
    except WireError as error:
        raise ProfileError(f"{name}: damaged report: {error} (in the block at byte {at})", AGAIN) from error
    return container


def _sized(stream: BinaryIO, at: int, size: int) -> bytes:
    """A message that its size stands before."""
    (length,) = struct.unpack("<I", _take(stream, 4, at, size))
    return _take(stream, length, at + 4, size)


def _take(stream: BinaryIO, length: int, at: int, size: int) -> bytes:
    """The next bytes, from offset `at` of a file of `size`. Not read where the file cannot have that many."""
    if length > size - at:
        raise WireError(at, f"the file ends {length - (size - at)} bytes too early")
    data = stream.read(length)
    if len(data) != length:
        raise WireError(at, "the file ends too early")
    return data


@dataclass(frozen=True, slots=True)
class _Block:
    sources: int
    results: int
    others: int
    graphs: int
    payload: int
    process: str
    messages: tuple[Field, ...]

    @classmethod
    def read(cls, header: bytes) -> _Block:
        numbers: dict[int, int] = {}
        messages = []
        for found in fields(header, 0, len(header)):
            if found.wire == VARINT:
                numbers[found.number] = found.value
            else:
                messages.append(found)
        others = sum(numbers.get(n, 0) for n in _OTHER_RESULTS)
        payload = numbers.get(_PAYLOAD, 0)
        counts = numbers.get(_SOURCES, 0), numbers.get(_RESULTS, 0), others, numbers.get(_GRAPHS, 0)
        if 4 * sum(counts) > payload:
            raise WireError(0, f"{sum(counts)} entries in {payload} bytes")
        process = next((_number(header, m) for m in messages if m.number == _PROCESS), "")
        return cls(*counts, payload, process, tuple(messages))


def _number(data: bytes, message: Field) -> str:
    return next((str(f.value) for f in fields(data, message.start, message.end) if f.number == 1), "")


def _session(container: Container, header: bytes, block: _Block) -> None:
    """What a block says of the profiler's run: ReportSessionDetails."""
    for session in (m for m in block.messages if m.number == _SESSION):
        for found in fields(header, session.start, session.end):
            if found.number == 8:
                version = {f.number: text(header, f) for f in fields(header, found.start, found.end)}
                container.versions[version.get(1, "")] = version.get(2, "")
            elif found.number == 10:
                for setting in fields(header, found.start, found.end):
                    if setting.number == 8:
                        container.clock_mode = text(header, setting)
            elif found.number == 11:
                container.command = text(header, found)


def _strings(container: Container, header: bytes, block: _Block, wanted: Callable[[str], bool]) -> None:
    """Metric names: results refer to them by their place among those of all blocks so far."""
    for table in (m for m in block.messages if m.number == _STRINGS):
        for found in fields(header, table.start, table.end):
            name = text(header, found)
            container._names.append(name)
            container._wanted.append(wanted(name))


def _payload(container: Container, body: bytes, block: _Block) -> None:
    at = 0
    for entry in range(block.sources + block.results + block.others + block.graphs):
        if at + 4 > len(body):
            raise WireError(at, "an entry is missing")
        (length,) = struct.unpack_from("<I", body, at)
        start, end = at + 4, at + 4 + length
        if end > len(body):
            raise WireError(at, f"an entry of {length} bytes where {len(body) - start} are left")
        if entry < block.sources:
            _module(container, block.process, body, start, end)
        elif entry < block.sources + block.results:
            container.results.append(
                kernel_result(body, start, end, block.process, container._names, container._wanted)
            )
        at = end
    if at != len(body):
        raise WireError(at, f"{len(body) - at} bytes that belong to no entry")
    container.others += block.others


def _module(container: Container, process: str, body: bytes, start: int, end: int) -> None:
    """A source: keeps its machine code. A module may come in several, of which one has it."""
    reference, code = 0, None
    for found in fields(body, start, end):
        if found.number == 1:
            reference = found.value
        elif found.number == 4:
            code = body[found.start : found.end]
    if code:
        container._modules[process, reference] = code
