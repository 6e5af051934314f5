"""Launches as a JSON document: the keys of every field, units as suffixes, null for what is missing.

The keys that readers may rely on are `kernel`, `grid`, `block`, `duration_ns`, `dram_read_bytes`,
`dram_write_bytes`, `dram_bytes_per_s`, `dram_pct`, `sm_pct`, `mem_pct`, `occupancy_achieved_pct`,
`occupancy_theoretical_pct`, `occupancy_limiter`, `registers`, `waves`, `l2_hit_pct`, `top_stalls`, `bound` and
`unparsed`; the rest says more about the same launch:

- `occurrence`, `nvtx`, `instances`, `device`, `compute_cap`, `code_hash`: which launch it is;
- `cycles`, `sm_clock_hz`, `dram_clock_hz`, `l1_hit_pct`, `l2_read_bytes`, `shared_bytes`, `instructions`,
  `local_bytes`, `sectors_per_request`, `flops`: further counters;
- `filled`: field → the metric it came from, where that was not the usual one;
- `metrics`: with all metrics asked for, every counter as {name, section, value, unit}, in base units.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from perftrack.core.launches.launch import Counter, Launch, LaunchSummary

# Numbers that count something: whole ones are written without a point.
_COUNTS = (
    "cycles", "dram_read_bytes", "dram_write_bytes", "l2_read_bytes", "registers", "shared_bytes", "instructions",
    "local_bytes", "flops",
)  # fmt: skip
_MEASURES = (
    "sm_clock_hz", "dram_clock_hz", "dram_bytes_per_s", "dram_pct", "sm_pct", "mem_pct", "l1_hit_pct",
    "l2_hit_pct", "occupancy_achieved_pct", "occupancy_theoretical_pct", "waves", "sectors_per_request",
)  # fmt: skip


def launches_json(launches: Iterable[Launch], *, all_metrics: bool = False) -> list[dict[str, object]]:
    return [launch_json(launch, all_metrics=all_metrics) for launch in launches]


def launch_json(launch: Launch, *, all_metrics: bool = False) -> dict[str, object]:
    """One launch; `all_metrics` adds every counter it was made from."""
    document = summary_json(launch.summary)
    if all_metrics:
        document["metrics"] = [_counter(counter) for counter in launch.counters]
    return document


def summary_json(summary: LaunchSummary) -> dict[str, object]:
    """A summary by the keys above. A field that is missing is null, never 0; empty text is null too."""
    return {
        "kernel": summary.kernel,
        "grid": _shape(summary.grid),
        "block": _shape(summary.block),
        "occurrence": summary.occurrence,
        "nvtx": summary.nvtx or None,
        "instances": summary.instances,
        "device": summary.device or None,
        "compute_cap": summary.compute_cap or None,
        "duration_ns": _nanoseconds(summary.duration_s),
        **{field: _count(getattr(summary, field)) for field in _COUNTS},
        **{field: _finite(getattr(summary, field)) for field in _MEASURES},
        "occupancy_limiter": summary.occupancy_limiter,
        "top_stalls": [
            {"reason": s.reason, "value": _finite(s.value), "share_pct": _finite(s.share_pct), "source": s.source}
            for s in summary.top_stalls
        ],
        "bound": summary.bound.value,
        "code_hash": summary.code_hash or None,
        "filled": dict(summary.filled),
        "unparsed": list(summary.unparsed),
    }


def _counter(counter: Counter) -> dict[str, object]:
    value = counter.value if isinstance(counter.value, str) else _count(counter.value)
    return {"name": counter.name, "section": counter.section or None, "value": value, "unit": counter.unit or None}


def _shape(shape: tuple[int, int, int] | None) -> list[int] | None:
    return None if shape is None else list(shape)


def _nanoseconds(seconds: float | None) -> float | int | None:
    """The profiler's clock ticks in nanoseconds: what a float's last digit adds to that is none of its."""
    return None if seconds is None else _count(round(seconds * 1e9, 3))


def _count(value: float | None) -> float | int | None:
    value = _finite(value)
    return int(value) if value is not None and value.is_integer() and abs(value) < 2**63 else value


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
