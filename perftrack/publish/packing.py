"""Data files small enough to publish thousands of them: columns of integers, deflated, as text in a script.

A file is `perftrack.packed(name, length, text);`. The text stands for `length` bytes of a raw DEFLATE stream (RFC
1951) that goes on from the primer (`publish.primer`), 13 bits in two of 91 printable characters. Inflated it is
the length of a JSON document (4 bytes, little endian), the document, and the columns that its `columns` lists, if
it has any: each of `rows` integers in as many bytes as its width there, all first (lowest) bytes, then all second
ones. An integer is 2v or -2v - 1 (zigzag).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perftrack.publish.encode import json_bytes
from perftrack.publish.numerals import Ints
from perftrack.publish.primer import PRIMER

# All printable ASCII but space, quotation mark, apostrophe and backslash.
ALPHABET = bytes(c for c in range(0x21, 0x7F) if c not in b"\"'\\")
_CHARACTERS = np.frombuffer(ALPHABET, dtype=np.uint8)
_BITS, _BASE = 13, 91
_LEVEL = 6


def format_with(primer: bytes) -> str:
    """What tells files apart that the same data have become under another description, or after another primer."""
    return f"3 {hashlib.blake2b(primer, digest_size=6).hexdigest()}"


FORMAT = format_with(PRIMER)
assert len(ALPHABET) == _BASE
assert _BASE**2 >= 1 << _BITS


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A script file that hands a document, and columns of one length, to the page under `name`."""

    name: str
    document: Mapping[str, object]
    columns: Mapping[str, Ints] = field(default_factory=dict)

    def signature(self) -> str:
        """Of everything that the bytes follow from; a small part of what it takes to make them."""
        digest = hashlib.blake2b(f"{FORMAT} {zlib.ZLIB_RUNTIME_VERSION} {self.name} ".encode(), digest_size=12)
        digest.update(json_bytes(self.document))
        parts = ((name.encode(), np.ascontiguousarray(column).data) for name, column in self.columns.items())
        digest.update(b"".join(part for pair in parts for part in pair))
        return digest.hexdigest()

    def script(self) -> bytes:
        body = pack(self.document, self.columns)
        return b'perftrack.packed(%s,%d,"%s");\n' % (json_bytes(self.name), len(body), as_text(body))


def pack(document: Mapping[str, object], columns: Mapping[str, Ints]) -> bytes:
    planes: list[bytes] = []
    widths = []
    for name, column in columns.items():
        width, own = _planes(column)
        widths.append([name, width])
        planes += own
    if columns:
        document = {**document, "rows": len(next(iter(columns.values()))), "columns": widths}
    head = json_bytes(document)
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, zdict=PRIMER)
    text = deflate.compress(len(head).to_bytes(4, "little") + head)
    if not planes:
        return text + deflate.flush()
    # Noise has no repetitions but runs, and each plane has frequencies of its own. A full flush ends at a whole
    # byte, after which the stream may go on from another compressor.
    text += deflate.flush(zlib.Z_FULL_FLUSH)
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, 8, zlib.Z_RLE)
    parts = [deflate.compress(plane) + deflate.flush(zlib.Z_BLOCK) for plane in planes]
    return b"".join((text, *parts, deflate.flush()))


def _planes(column: Ints) -> tuple[int, list[bytes]]:
    """The width in bytes, and the bytes plane by plane; nothing at all for zeros."""
    wide = column.astype(np.int64)
    folded = ((wide << 1) ^ (wide >> 63)).astype("<u8")
    top = int(folded.max()) if len(folded) else 0
    width = (top.bit_length() + 7) // 8
    planes = folded.view(np.uint8).reshape(-1, 8)
    return width, [planes[:, at].tobytes() for at in range(width)]


def as_text(data: bytes) -> bytes:
    """Two characters for 13 bits, the first bits first; zero bits fill the last pair."""
    count = -(-len(data) * 8 // _BITS)
    blocks = -(-count // 8)
    raw = np.zeros(blocks * _BITS + 2, dtype=np.uint32)
    raw[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    codes = np.empty((blocks, 8), dtype=np.uint32)
    for at in range(8):
        byte, bit = divmod(at * _BITS, 8)
        first, second, third = (raw[byte + k : byte + k + blocks * _BITS : _BITS][:blocks] for k in range(3))
        codes[:, at] = ((first << 16 | second << 8 | third) >> (24 - _BITS - bit)) & ((1 << _BITS) - 1)
    return _spelled(codes.reshape(-1)[:count])


def _spelled(codes: NDArray[np.uint32]) -> bytes:
    text = np.empty(2 * len(codes), dtype=np.uint8)
    text[0::2] = _CHARACTERS[codes // _BASE]
    text[1::2] = _CHARACTERS[codes % _BASE]
    return text.tobytes()
