"""Units as profilers print them, read by structure: prefix, word, and what they are divided by.

Releases differ in spelling (`usecond`, `us`; `Gbyte/second`, `Gbyte/s`; `cycle/nsecond`, `Ghz`) and pick prefixes
value by value, so nothing here is a list of whole units. Prefixes are decimal (ncu's Kbyte is 1,000 bytes), save
those that say they are binary (KiB).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A printed unit: 10^exponent × factor times `base`, which is s, byte, byte/s, Hz, %, register/thread, …

    A word that is not known stays as it is, with exponent 0: it names what was counted.
    """

    base: str
    exponent: int = 0
    factor: float = 1.0  # a power of two

    def to_base(self, value: float) -> float:
        """The value in the base unit, rounded once: 4.14 Tbyte is 4140000000000 byte."""
        if self.exponent:
            digits = repr(value)
            value = value * 10.0**self.exponent if "e" in digits else float(f"{digits}e{self.exponent}")
        return value * self.factor


_LARGE = {"K": 3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}
_SMALL = {"m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12}
_SPELLED = {"milli": -3, "micro": -6, "nano": -9}

# Words that take a large prefix, and those that take a small one. Plurals of counted things are left as printed.
_SCALED = {
    "byte": "byte", "bytes": "byte", "Byte": "byte", "Bytes": "byte", "B": "byte",
    "hz": "Hz", "Hz": "Hz", "HZ": "Hz",
    "cycle": "cycle", "cycles": "cycle",
    **{word: word for word in (
        "inst", "sector", "sectors", "request", "requests", "warp", "warps", "thread", "threads", "block",
        "blocks", "branches", "sample", "samples", "bit", "bits", "flop", "W", "J",
    )},
}  # fmt: skip
_SHRUNK = {"s": "s", "sec": "s", "second": "s", "seconds": "s", "W": "W", "J": "J"}


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """The unit that `text` spells; any text is one."""
    first, *rest = (_part(part.strip()) for part in text.strip().split("/"))
    bases = [first.base, *(part.base for part in rest)]
    exponent, factor = first.exponent, first.factor
    for part in rest:
        # What ncu prints as 2.614 %/Kbyte is 2614 %/byte: it puts the prefix of the number before the byte.
        is_swapped = part.base == "byte"
        exponent += part.exponent if is_swapped else -part.exponent
        factor *= part.factor if is_swapped else 1 / part.factor
    return Unit("Hz" if bases == ["cycle", "s"] else "/".join(bases), exponent, factor)


def _part(text: str) -> Unit:
    if text in _SHRUNK:
        return Unit(_SHRUNK[text])
    if text in _SCALED:
        return Unit(_SCALED[text])
    for prefixes, words in ((_SMALL, _SHRUNK), (_SPELLED, _SHRUNK), (_BINARY, _SCALED), (_LARGE, _SCALED)):
        for prefix, power in prefixes.items():
            word = words.get(text[len(prefix) :]) if text.startswith(prefix) else None
            if word is not None:
                return Unit(word, factor=2.0**power) if prefixes is _BINARY else Unit(word, power)
    return Unit(text)
