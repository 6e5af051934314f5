"""Data files small enough to publish thousands of them: columns of integers, deflated, as text in a script.

A file is `packed(length,text)` in UTF-16, which its byte order mark tells whatever a server says of it (Encoding
Standard, "decode"): two bytes of text hold 15.5 bits there, and 13 in ASCII. The text stands for `length` bytes of
a raw DEFLATE stream (RFC 1951) that goes on from the primer (`publish.primer`), 31 bits in two of the 46,341
characters from U+2200 on, among which are no surrogates, ends of lines, quotes or escapes. Inflated it is the
length of a JSON document (4 bytes, little endian), the document, and the columns that its `columns` lists, if it
has any: each of `rows` integers in as many bytes as its width there, all first (lowest) bytes, then all second
ones. An integer is 2v or -2v - 1 (zigzag).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from perftrack.publish.encode import json_bytes
from perftrack.publish.numerals import Ints
from perftrack.publish.primer import PRIMER

FIRST, BASE = 0x2200, 46_341
_BITS = 31
_LEVEL = 6


def format_with(primer: bytes) -> str:
    """What tells files apart that the same data have become under another description, or after another primer."""
    return f"4 {hashlib.blake2b(primer, digest_size=6).hexdigest()}"


FORMAT = format_with(PRIMER)
assert BASE**2 >= 1 << _BITS


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A script file that hands a document, and columns of one length, to the page that asks for it."""

    document: Mapping[str, object]
    columns: Mapping[str, Ints] = field(default_factory=dict)

    def signature(self) -> str:
        """Of everything that the bytes follow from; a small part of what it takes to make them."""
        digest = hashlib.blake2b(f"{FORMAT} {zlib.ZLIB_RUNTIME_VERSION} ".encode(), digest_size=12)
        digest.update(json_bytes(self.document))
        parts = ((name.encode(), np.ascontiguousarray(column).data) for name, column in self.columns.items())
        digest.update(b"".join(part for pair in parts for part in pair))
        return digest.hexdigest()

    def script(self) -> bytes:
        body = pack(self.document, self.columns)
        return f'\ufeffpacked({len(body)},"'.encode("utf-16-le") + as_text(body) + '")'.encode("utf-16-le")


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
    """Two characters of UTF-16 for 31 bits, the first bits first; zero bits fill the last pair."""
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    padded = np.zeros((-(-len(bits) // _BITS), _BITS + 1), dtype=np.uint8)  # each a number of 32 bits
    padded[:, 1:].flat[: len(bits)] = bits
    codes = np.packbits(padded, axis=1).view(">u4").reshape(-1).astype(np.uint32)
    text = np.empty(2 * len(codes), dtype="<u2")
    text[0::2] = codes // BASE + FIRST
    text[1::2] = codes % BASE + FIRST
    return text.tobytes()
