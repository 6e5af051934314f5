"""What sort of quantity a value must be, told by its unit."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache


class Kind(StrEnum):
    TIME = "a time"
    BYTES = "an amount of bytes"
    RATE = "a byte rate"
    PERCENT = "a percentage"
    FREQUENCY = "a frequency"
    CYCLES = "a number of cycles"
    COUNT = "a count"

    __hash__ = str.__hash__  # that of an enumeration is a function in Python, and kinds are looked up all the time

    @property
    def stored(self) -> str:
        """The unit, as ncu spells it, that reports store such values in; empty for counts."""
        return _STORED.get(self, "")


@lru_cache(maxsize=1024)
def fits(kind: Kind, unit: str) -> bool:
    """Whether a value in `unit` (base units) is of this kind. A percentage may come without its sign."""
    allowed = _UNITS.get(kind)
    if allowed is not None:
        return unit in allowed
    return unit not in {"s", "Hz", "%", "cycle"} and "byte" not in unit and not unit.endswith("/s")


_UNITS = {
    Kind.TIME: {"s"},
    Kind.BYTES: {"byte", "byte/block"},
    Kind.RATE: {"byte/s"},
    Kind.PERCENT: {"%", ""},
    Kind.FREQUENCY: {"Hz"},
    Kind.CYCLES: {"cycle"},
}


_STORED = {
    Kind.TIME: "ns",
    Kind.BYTES: "byte",
    Kind.RATE: "byte/s",
    Kind.PERCENT: "%",
    Kind.FREQUENCY: "hz",
    Kind.CYCLES: "cycle",
}
