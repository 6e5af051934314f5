"""A command benchmark as declared. Standard library only: worker processes import this."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One `[[tool.perftrack.command]]`. `run`: the argument vector; `metric`: "time" or "stdout-json"."""

    name: str
    run: tuple[str, ...]
    metric: str = "time"
    timeout_s: float | None = None
    threshold: float | None = None
    tags: tuple[str, ...] = ()
    source: str = ""
