"""Page data as bytes that a browser takes from disk: script files, and JSON blocks inside a page."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_ENCODER = msgspec.json.Encoder(order="deterministic")
# A script element ends at the first "</script" or, after "<!--", even later; none of these can then occur.
_IN_MARKUP = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"}
_LINE_ENDS = {"\u2028".encode(): b"\\u2028", "\u2029".encode(): b"\\u2029"}


def json_bytes(payload: object) -> bytes:
    """JSON of dataclasses, tuples and scalars; non-finite numbers become null."""
    return _ENCODER.encode(payload)


def data_script(name: str, payload: object) -> bytes:
    """A script file that hands `payload` to the page under `name`: what works where fetch is refused."""
    body = json_bytes(payload)
    for raw, escaped in _LINE_ENDS.items():
        body = body.replace(raw, escaped)
    return b"perftrack.provide(" + json_bytes(name) + b"," + body + b");\n"


def json_block(payload: object) -> str:
    """JSON that is safe between `<script type="application/json">` and its end tag."""
    body = json_bytes(payload)
    for raw, escaped in _IN_MARKUP.items():
        body = body.replace(raw, escaped)
    return body.decode()


def columns(kind: type[DataclassInstance], rows: Sequence[DataclassInstance]) -> Mapping[str, Sequence[object]]:
    """Rows of one dataclass as one list per field: keys are written once, not once a row."""
    return {f.name: [getattr(row, f.name) for row in rows] for f in dataclasses.fields(kind)}
