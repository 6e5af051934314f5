"""Reads packed data files as a browser does: written from their description, not from what makes them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

CORE = Path(__file__).parents[2] / "site" / "static" / "app" / "core.js"
# As the browser has it: a string between apostrophes.
(FOUND,) = re.findall(r"const PRIMER = new TextEncoder\(\)\.encode\('(.*)'\);\n", CORE.read_text())
PRIMER = FOUND.replace("\\'", "'").encode()
SCRIPT = re.compile(r'packed\((\d+),"([^"\\]*)"\)')


@dataclass(frozen=True)
class Packed:
    document: dict[str, Any]
    columns: dict[str, list[int]]


def unpacked(script: bytes) -> Packed:
    assert script.startswith(b"\xff\xfe")  # by which a browser knows UTF-16
    match = SCRIPT.fullmatch(script[2:].decode("utf-16-le"))
    assert match is not None, script[:80]
    size = len(PRIMER)
    stored = b"\0" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + PRIMER
    raw = zlib.decompress(stored + binary(match[2], int(match[1])), -15)[size:]
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
    return Packed(document, columns)


def binary(text: str, length: int) -> bytes:
    codes = [ord(character) - 0x2200 for character in text]
    assert all(0 <= code < 46_341 for code in codes)
    bits = "".join(f"{a * 46_341 + b:031b}" for a, b in zip(codes[::2], codes[1::2], strict=True))
    return bytes(int(bits[at : at + 8], 2) for at in range(0, 8 * length, 8))


UNITS = (1, 2)


def step_of(scale: int) -> Fraction:
    return UNITS[scale % 2] * Fraction(10) ** (scale // 2)


@dataclass(frozen=True)
class Shown:
    """A row as a page has it; `half` is zero where the interval has no width."""

    value: float
    lo: float
    hi: float
    half: float
    step: float


def values(columns: dict[str, list[int]], references: Sequence[Sequence[int]]) -> list[Shown]:
    """The numbers that the rows' steps stand for; digits, scale, level and grade of one reference a row."""
    found = []
    rows = zip(*(columns[name] for name in ("step", "value", "width", "skew")), references, strict=True)
    for step, value, width, skew, (digits, first, level, grade) in rows:
        own = grade + width - (width > 0)
        last = level // 240 + min(max((own - level) // 240, -4), 0) - 1
        scale = step + (2 * last - (own - 240 * last < 408) if width else first)
        more = digits * UNITS[first % 2] * 10 ** max(first // 2 - scale // 2, 0)
        known = abs(first - scale) <= 18 and abs(digits) < 10**7 and abs(more) < 1e15
        base = more // (UNITS[scale % 2] * 10 ** max(scale // 2 - first // 2, 0)) if known else 0
        half = 10 ** (own / 240) if width else 0.0
        middle = float((base + value + skew) * step_of(scale))
        found.append(
            Shown(
                float((base + value) * step_of(scale)), middle - half, middle + half, half, float(step_of(scale))
            )
        )
    return found
