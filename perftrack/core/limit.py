"""Rates that no result can exceed: ceilings as a worker is told of them. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perftrack.core.share import DEVICE_BYTES, StoredCeiling


@dataclass(frozen=True, slots=True)
class KnownLimit:
    """A stored ceiling in plain values, for a message. `key`: of the environment; `dtype` empty for bandwidth."""

    key: str
    dtype: str
    rate: float
    name: str


def known_limits(ceilings: Iterable[StoredCeiling]) -> tuple[KnownLimit, ...]:
    """Those that can refuse a result: complete and validated. One that was cut short is below the real one."""
    return tuple(
        KnownLimit(c.key, c.dtype.value if c.dtype else "", c.value, c.name)
        for c in ceilings
        if c.complete and c.validated and (c.dtype is not None or c.definition in DEVICE_BYTES)
    )


def limit_for(limits: Sequence[KnownLimit], key: str, dtype: str) -> KnownLimit | None:
    """The highest one of an environment and type; None where none is known."""
    own = [k for k in limits if k.key == key and k.dtype == dtype]
    return max(own, key=lambda k: k.rate, default=None)
