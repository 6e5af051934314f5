"""The two sides of a comparison of launches, and what causes have in common to say about them."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.core.launches.bands import changed, log_ratio
from perftrack.core.launches.findings import Delta, Origin
from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.launches.match import LaunchPair
from perftrack.core.units import format_change, format_value

_UNKNOWN_SHARE = 0.5  # of a unit whose load neither side tells


@dataclass(frozen=True, slots=True)
class Sides:
    """`memory`, `traffic`, `compute`: the two sides' larger share of the peak of DRAM, of all memory units and of
    the SMs, 0 to 1; `waiting`: the share in which neither DRAM nor SMs were busy."""

    baseline: LaunchSummary
    candidate: LaunchSummary
    memory: float
    traffic: float
    compute: float

    @classmethod
    def of(cls, pair: LaunchPair) -> Sides:
        b, c = pair.baseline.summary, pair.candidate.summary
        memory = _larger(*(s.dram_pct if s.dram_pct is not None else s.mem_pct for s in (b, c)))
        return cls(b, c, memory, _larger(b.mem_pct, c.mem_pct), _larger(b.sm_pct, c.sm_pct))

    @property
    def waiting(self) -> float:
        return max(0.1, 1.0 - max(self.memory, self.compute))

    @property
    def same_code(self) -> bool:
        return bool(self.baseline.code_hash) and self.baseline.code_hash == self.candidate.code_hash

    @property
    def same_shape(self) -> bool:
        b, c = self.baseline, self.candidate
        return b.grid is not None and (b.grid, b.block) == (c.grid, c.block)

    @property
    def blame(self) -> Origin:
        """What more work, or work done otherwise, is put down to: never to code that is the same."""
        return Origin.WORK if self.same_code else Origin.CODE

    @property
    def change(self) -> float | None:
        """ln of the change of time, of cycles and clock or else of durations; None where it is in the noise."""
        b, c = self.baseline, self.candidate
        cycles = self.ratio("cycles")
        if cycles is None:
            return self.ratio("duration_s") if changed("duration_s", b.duration_s, c.duration_s) else None
        moved = changed("cycles", b.cycles, c.cycles)
        clock = self.ratio("sm_clock_hz") if changed("sm_clock_hz", b.sm_clock_hz, c.sm_clock_hz) else None
        if not moved and clock is None:
            return None
        return (cycles if moved else 0.0) - (clock or 0.0)

    def values(self, field: str) -> tuple[float | None, float | None]:
        return getattr(self.baseline, field), getattr(self.candidate, field)

    def ratio(self, field: str) -> float | None:
        return log_ratio(*self.values(field))

    def changed(self, field: str) -> bool:
        return changed(field, *self.values(field))

    def delta(self, field: str, unit: str = "") -> Delta:
        return Delta(field, *self.values(field), unit)

    def arrow(self, field: str, unit: str = "") -> str:
        """`513.0 Mbyte → 708.0 Mbyte (+38 %)`; without a percentage where a side is zero."""
        before, after = self.values(field)
        text = f"{shown(before, unit)} → {shown(after, unit)}"
        moved = self.ratio(field)
        return text if moved is None or unit == "%" else f"{text} ({format_change(moved)})"


def shown(value: float | None, unit: str) -> str:
    """A value for people: whole counts in full, shares of a hundred with one decimal at most."""
    if value is None:
        return "unknown"
    if unit == "%":
        return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"
    if unit:
        return format_value(value, unit)
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:,.2f}"


def _larger(baseline: float | None, candidate: float | None) -> float:
    known = [share for share in (baseline, candidate) if share is not None]
    return min(max(known) / 100, 1.0) if known else _UNKNOWN_SHARE
