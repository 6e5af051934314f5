"""Reads packed data files as a browser does: written from their description, not from what makes them."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

SCRIPT = re.compile(rb'perftrack\.packed\("([^"\\]*)",(\d+),"([^"\\]*)"\);\n')
CHARACTERS = "!#$%&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"


@dataclass(frozen=True)
class Packed:
    name: str
    document: dict[str, Any]
    columns: dict[str, list[int]]


def unpacked(script: bytes) -> Packed:
    match = SCRIPT.search(script)
    assert match is not None, script[:80]
    raw = zlib.decompress(binary(match[3].decode(), int(match[2])), -15)
    size = int.from_bytes(raw[:4], "little")
    document = json.loads(raw[4 : 4 + size])
    planes = raw[4 + size :]
    columns: dict[str, list[int]] = {}
    rows = document.pop("rows", 0)
    for name, width in document.pop("columns", []):
        values = [0] * rows
        for plane in range(width):
            own, planes = planes[:rows], planes[rows:]
            values = [value + (byte << 8 * plane) for value, byte in zip(values, own, strict=True)]
        columns[name] = [-(v + 1) // 2 if v % 2 else v // 2 for v in values]
    assert planes == b""
    return Packed(match[1].decode(), document, columns)


def binary(text: str, length: int) -> bytes:
    code = {character: at for at, character in enumerate(CHARACTERS)}
    pairs = zip(text[::2], text[1::2], strict=True)
    bits = "".join(f"{code[a] * 91 + code[b]:013b}" for a, b in pairs)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, 8 * length, 8))


def values(columns: dict[str, list[int]], references: list[list[int]]) -> list[float]:
    """The numbers that the rows' steps stand for; one reference a row."""
    found = []
    for step, value, (digits, exponent) in zip(columns["step"], columns["value"], references, strict=True):
        base = digits * 10**-step if step <= 0 else digits // 10**step
        found.append(float(f"{(base if abs(step) <= 9 else 0) + value}e{exponent + step}"))
    return found
