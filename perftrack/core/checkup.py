"""What a check of the measuring environment finds. Standard library only: worker processes import this."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Health(StrEnum):
    """`FAIL`: results would be refused, or worth nothing. `UNKNOWN`: could not be read, which is not "fine"."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check saw, and what to do about it; `advice` is empty only where there is nothing to do.

    numbers: what was read, the name of each ending in its unit. blocks: nothing can be measured until this
    is put right. name, area: of the check, filled in by whoever runs it.
    """

    status: Health
    seen: str
    advice: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    blocks: bool = False
    name: str = ""
    area: str = ""


@dataclass(frozen=True, slots=True)
class Checkup:
    """All findings about one device kind in one interpreter."""

    device: str
    python: str
    findings: tuple[Finding, ...]

    @property
    def possible(self) -> bool:
        """Whether anything can be measured there at all."""
        return not any(f.blocks for f in self.findings)


def ok(seen: str, **numbers: float) -> Finding:
    return Finding(Health.OK, seen, numbers=numbers)


def warn(seen: str, advice: str, **numbers: float) -> Finding:
    return Finding(Health.WARN, seen, advice, numbers)


def fail(seen: str, advice: str, *, blocks: bool = False, **numbers: float) -> Finding:
    return Finding(Health.FAIL, seen, advice, numbers, blocks)


def unknown(seen: str, advice: str, **numbers: float) -> Finding:
    return Finding(Health.UNKNOWN, seen, advice, numbers)
