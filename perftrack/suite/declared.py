"""A decorated function with everything that was said of it. Standard library only."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from perftrack.core.model import Direction, Params
from perftrack.suite.body import body_of
from perftrack.suite.messages import Declared, Kind
from perftrack.suite.options import Amount


@dataclass(frozen=True, slots=True)
class Declaration:
    """A decorated function and what was said of it."""

    function: Callable[..., object]
    kind: Kind
    name: str
    cases: tuple[Params, ...]
    unit: str
    direction: Direction
    device: str
    timeout_s: float | None
    threshold: float | None
    warmup: int | None
    cache: str | None
    timer: str
    tags: tuple[str, ...]
    flops: Amount
    bytes_moved: Amount
    baseline: Callable[..., object] | None
    aliases: tuple[str, ...]
    exact: bool
    problems: tuple[str, ...]
    file: str
    line: int

    def declared(self, source: str) -> Declared:
        return Declared(
            name=self.name,
            kind=self.kind,
            source=source,
            cases=self.cases,
            unit=self.unit,
            direction=self.direction,
            device=self.device,
            timeout_s=self.timeout_s,
            threshold=self.threshold,
            warmup=self.warmup,
            cache=self.cache,
            timer=self.timer,
            tags=self.tags,
            has_baseline=self.baseline is not None,
            code_hash=self.code_hash,
            file=source.rpartition(":")[0],
            aliases=self.aliases,
            exact=self.exact,
        )

    @property
    def code_hash(self) -> str:
        """16 hex digits over the code of the function and its baseline and the settings that change timing."""
        texts = [body_of(self.function), body_of(self.baseline) if self.baseline else ""]
        texts += ["exact"] if self.exact else []
        texts += [repr((self.unit, self.direction.value, self.device, self.warmup, self.cache, self.timer))]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
