"""Page data as bytes that a browser takes from disk: script files."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

P_DIGITS = 3  # of a p-value: what it is compared with has no more

_ENCODER = msgspec.json.Encoder(order="deterministic")


def json_bytes(payload: object) -> bytes:
    """JSON of dataclasses, tuples and scalars; non-finite numbers become null."""
    return _ENCODER.encode(payload)


def columns(kind: type[DataclassInstance], rows: Sequence[DataclassInstance]) -> Mapping[str, Sequence[object]]:
    """Rows of one dataclass as one list per field: keys are written once, not once a row."""
    return {f.name: [getattr(row, f.name) for row in rows] for f in dataclasses.fields(kind)}


def json_fields(value: DataclassInstance) -> Mapping[str, object]:
    """The fields of a dataclass by name, for a document."""
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}


def number(value: float | None, digits: int = 6) -> float | None:
    """To significant digits; None for what JSON cannot hold."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")
