"""Content addresses: the id of a run is the hash of its canonical content.

Samples are rounded before hashing and before storing, so that a run read back from a store has the
id it was stored under: to 1 ns of what the clock timed, the block of `inner_reps` calls.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from enum import Enum
from functools import cache

from perftrack.core.fingerprint import EnvironmentFingerprint, Unknown
from perftrack.core.model import ProcessSamples, Run, Window
from perftrack.errors import InvalidValueError

ID_LENGTH = 20


def run_id(run: Run) -> str:
    """20 hex digits of SHA-256 over the run's canonical JSON."""
    return content_id(run)


def content_id(value: object) -> str:
    """20 hex digits of SHA-256 over canonical JSON: sorted keys, shortest round-trip floats.

    Raises InvalidValueError for NaN or an infinity anywhere in `value`.
    """
    try:
        text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise InvalidValueError("a value that is not finite cannot be stored") from error
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def round_samples(processes: tuple[ProcessSamples, ...], unit: str) -> tuple[ProcessSamples, ...]:
    """Samples in seconds rounded as they are stored; other units are left as they are.

    A whole nanosecond of a 30 ns call would be 3 % of it: more than the changes that are looked for.
    """
    if unit != "s":
        return processes
    return tuple(
        dataclasses.replace(p, windows=tuple(_round_window(w, p.inner_reps) for w in p.windows)) for p in processes
    )


def _round_window(window: Window, inner_reps: int) -> Window:
    digits = 9 + (len(str(inner_reps - 1)) if inner_reps > 1 else 0)
    return dataclasses.replace(window, samples=tuple(round(s, digits) for s in window.samples))


_LEAVES = frozenset({str, int, float, bool, type(None)})
_FLOAT_TYPES = frozenset({"float", "float | None", "tuple[float, ...]"})


def _plain(value: object) -> object:
    if type(value) in _LEAVES:
        return value
    if isinstance(value, EnvironmentFingerprint):
        # As its own id has it, 700 and 700.0 are one number.
        return {n: int(v) if isinstance(v, float) and v.is_integer() else v for n, v in value.to_dict().items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: _floating(getattr(value, name)) if floating else _plain(getattr(value, name))
            for name, floating in _fields(type(value))
        }
    if isinstance(value, Unknown):
        return {"unknown": True}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return value


@cache
def _fields(kind: type) -> tuple[tuple[str, bool], ...]:
    """Names of a dataclass's fields, and whether each is declared to hold floats."""
    return tuple((f.name, f.type in _FLOAT_TYPES) for f in dataclasses.fields(kind))


def _floating(value: object) -> object:
    """What is declared a float is hashed as one: a metric that returns 3 reads back as 3.0."""
    if value is None:
        return None
    if isinstance(value, tuple | list):
        return [float(v) for v in value]
    return float(value)  # type: ignore[arg-type]
