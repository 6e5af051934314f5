"""Launches as a reader would hand them over, each with the counters that a test is about."""

from __future__ import annotations

from perftrack.core.launches.launch import Counter, LaunchSummary
from perftrack.ncu.raw import FileKind, RawLaunch, Reading
from perftrack.ncu.summary import summarise

_UNITS = (
    (".per_second", "Hz"), (".pct_of_peak_sustained_elapsed", "%"), (".pct_of_peak_sustained_active", "%"),
    (".pct", "%"), ("_pct", "%"), ("time_duration.sum", "s"), ("cycles_elapsed.max", "cycle"),
    ("cycles_elapsed.avg", "cycle"),
)  # fmt: skip


def counter(name: str, value: float | str, unit: str | None = None, section: str = "") -> Counter:
    """A counter; the unit of a raw name goes by its ending where none is given."""
    if unit is None:
        unit = "byte" if "bytes" in name else next((u for ending, u in _UNITS if name.endswith(ending)), "")
    return Counter(name, value, unit, section)


def raw(*counters: Counter, number: str = "0", kernel: str = "copy(float *)", **fields: object) -> RawLaunch:
    given: dict[str, object] = {"grid": (64, 1, 1), "block": (256, 1, 1)}
    return RawLaunch(number, kernel, counters=counters, **(given | fields))  # type: ignore[arg-type]


def summary(*counters: Counter, **fields: object) -> LaunchSummary:
    return summarise(raw(*counters, **fields)).summary  # type: ignore[arg-type]


def reading(*launches: RawLaunch, name: str = "raw.csv", kind: FileKind = FileKind.RAW) -> Reading:
    return Reading(kind, name, launches)
