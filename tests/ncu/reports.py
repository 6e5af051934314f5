"""Report files made by hand: the smallest that NVIDIA's reader takes, and the recorded one taken apart."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "data" / "h200" / "ncu" / "small_basic.ncu-rep"
COMMAND = "/opt/ncu --clock-control none --set basic -o report ./program"
METRICS: dict[str, float | int | str] = {
    "gpu__time_duration.sum": 124896.0,
    "launch__registers_per_thread": 16,
    "device__attribute_display_name": "NVIDIA H200",
}


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, body: bytes | str) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return varint(field << 3 | 2) + varint(len(data)) + data


def sized(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


def dim3(field: int, shape: Sequence[int]) -> bytes:
    return message(field, b"".join(number(i + 1, size) for i, size in enumerate(shape)))


def value(of: float | int | str) -> bytes:
    if isinstance(of, str):
        return message(1, of)
    if isinstance(of, int):
        return number(5, of)
    return varint(3 << 3 | 1) + struct.pack("<d", of)


def metric(place: int, of: float | int | str | None) -> bytes:
    return number(1, place) + (b"" if of is None else message(2, value(of)))


def result(
    values: Mapping[int, float | int | str | None] | Sequence[bytes],
    kernel: str = "copy(const float4 *, float4 *, int)",
    mangled: str = "_Z4copyPK6float4PS_i",
    grid: Sequence[int] = (64, 1, 1),
    block: Sequence[int] = (256, 1, 1),
    source: int = 77,
    nvtx: bytes | None = None,
    clocks: tuple[int, int] | None = (0, 0),
    more: bytes = b"",
) -> bytes:
    """A launch; `values` by the place of their names, or metrics as they are to be."""
    metrics = [metric(p, v) for p, v in values.items()] if isinstance(values, Mapping) else values
    return b"".join([
        number(1, 843), number(2, 1), number(3, 1), number(4, 1),
        message(5, mangled), message(6, "copy"), message(7, kernel), number(8, 3),
        dim3(9, (0, 0, 0)), dim3(10, grid), dim3(11, block),
        *(message(13, m) for m in metrics),
        number(14, 1), message(15, number(1, source)),
        b"" if nvtx is None else message(21, nvtx),
        b"" if clocks is None else message(25, number(1, clocks[0]) + number(2, clocks[1])),
        more,
    ])  # fmt: skip


def source(code: bytes, reference: int = 77) -> bytes:
    return number(1, reference) + message(4, code) + number(5, 9)


def block(
    results: Iterable[bytes] = (),
    names: Iterable[str] = (),
    sources: Iterable[bytes] = (),
    session: bytes = b"",
    ranges: Iterable[bytes] = (),
    process: int = 843,
) -> bytes:
    results, sources, ranges = tuple(results), tuple(sources), tuple(ranges)
    payload = b"".join(sized(entry) for entry in (*sources, *results, *ranges))
    header = b"".join([
        number(1, len(sources)), number(2, len(results)),
        message(3, session) if session else b"",
        message(4, b"".join(message(1, name) for name in names)),
        number(5, len(payload)),
        message(6, number(1, process) + message(2, "127.0.0.1") + message(3, "program")),
        number(7, len(ranges)) if ranges else b"",
    ])  # fmt: skip
    return sized(header) + payload


def session(command: str = COMMAND, version: str = "2025.3.1.0 (build 36398880) (public-release)") -> bytes:
    told = message(8, message(1, "Nsight Compute Target") + message(2, version)) if version else b""
    return told + (message(11, command) if command else b"")


def report(*blocks: bytes, version: int = 7) -> bytes:
    return b"NVR\0" + sized(number(1, version)) + b"".join(blocks)


def small_report(
    metrics: Mapping[str, float | int | str | None] = METRICS,
    launches: int = 1,
    command: str = COMMAND,
    **fields: object,
) -> bytes:
    """`launches` equal launches with these metrics."""
    names = list(metrics)
    values = dict(enumerate(metrics.values()))
    one = result(values, **fields)  # type: ignore[arg-type]
    return report(block(session=session(command)), block([one] * launches, names=names))


def recorded_blocks() -> tuple[int, ...]:
    """Offsets at which the blocks of the recorded report begin, and its end."""
    data = RECORDED.read_bytes()
    (header,) = struct.unpack_from("<I", data, 4)
    offsets = [8 + header]
    while offsets[-1] < len(data):
        at = offsets[-1]
        (size,) = struct.unpack_from("<I", data, at)
        offsets.append(at + 4 + size + _payload(data[at + 4 : at + 4 + size]))
    return tuple(offsets)


def _payload(header: bytes) -> int:
    from perftrack.ncu.wire import fields

    return next(f.value for f in fields(header, 0, len(header)) if f.number == 5)


def repeated_report(launches: int) -> bytes:
    """The recorded report with its last seven launches again and again, up to so many in all."""
    data, offsets = RECORDED.read_bytes(), recorded_blocks()
    repeats = [data[a:b] for a, b in zip(offsets[-8:-1], offsets[-7:], strict=True)]
    return data + b"".join(repeats[i % 7] for i in range(launches - 8))
