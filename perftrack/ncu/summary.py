"""Launches as files tell them, condensed: one value a field, and where it came from. Pure.

A field is filled from the first of its sources (see `names`) that the launch has. Nothing is taken for zero: what
a file does not have, or has in a unit of the wrong kind, is None, and the latter is listed.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable

from perftrack.core.launches.kernelname import canonical
from perftrack.core.launches.launch import Bound, Dim3, Launch, LaunchSummary
from perftrack.ncu.joined import JoinedCounters
from perftrack.ncu.kinds import Kind
from perftrack.ncu.lookup import Lookup
from perftrack.ncu.names import BLOCK, CAPABILITY, DEVICE_NAME, FIELDS, GRID, LIMITS
from perftrack.ncu.operations import is_operations, operations
from perftrack.ncu.raw import RawLaunch
from perftrack.ncu.stalls import is_stall, top_stalls

# Shares of peak at which a unit is the limit, and below which it is not busy: NVIDIA's rule of thumb for its speed
# of light section (60 %), and half of what then would be left over.
LIMITING_PCT, IDLE_PCT = 60.0, 40.0

# What ranges and graphs are called. Their counters of a shape are the largest over the kernels in them.
_SEVERAL = frozenset({"range", "graph", "command list"})

Equal = tuple[str, Dim3 | None, Dim3 | None, str]  # kernel, grid, block, NVTX range

_NEEDED = frozenset(
    [metric for sources in (*FIELDS.values(), *LIMITS.values()) for source in sources for metric in source.metrics]
    + [*GRID, *BLOCK, DEVICE_NAME, *CAPABILITY]
)
_USUAL = {
    field: tuple(next((s for s in sources if bool(s.sections) is labelled), None) for labelled in (False, True))
    for field, sources in FIELDS.items()
}


def is_needed(metric: str) -> bool:
    """Whether a summary is made of this metric, among others."""
    return metric in _NEEDED or is_stall(metric) or is_operations(metric)


def summarise(raw: RawLaunch, *further: RawLaunch, seen: Tally[Equal] | None = None) -> Launch:
    """The launch in a few values. `further`: the same launch out of other files, for what `raw` does not have.

    `seen` counts the launches before it by what they have in common: with it, the launch is numbered among its
    equals, and counted.
    """
    pages = tuple(one.by_name() for one in (raw, *further))
    lookup = Lookup(*pages)
    values: dict[str, float | None] = {}
    filled: list[tuple[str, str]] = []
    for field, sources in FIELDS.items():
        values[field], source = lookup.field(field, sources)
        if source is not None and source not in _USUAL[field]:
            filled.append((field, source.title))
    rate = _rate(values) if values["dram_bytes_per_s"] is None else None
    if rate is not None:
        values["dram_bytes_per_s"] = rate
        filled.append(("dram_bytes_per_s", "(dram_read_bytes + dram_write_bytes) / duration_s"))
    flops, counted = operations(lookup)
    if counted:
        filled.append(("flops", counted))
    everyone = (raw, *further)
    single = raw.kernel not in _SEVERAL
    kernel = canonical(raw.kernel)
    grid = _first(one.grid for one in everyone) or (_shape(lookup, "grid", GRID) if single else None)
    block = _first(one.block for one in everyone) or (_shape(lookup, "block", BLOCK) if single else None)
    nvtx = next((one.nvtx for one in everyone if one.nvtx), "")
    equal = kernel, grid, block, nvtx
    summary = LaunchSummary(
        kernel,
        grid,
        block,
        occurrence=seen[equal] if seen is not None else 0,
        nvtx=nvtx,
        # A number says which of a machine's devices it was, not what it is.
        device=lookup.text(DEVICE_NAME) or next((o.device for o in everyone if not o.device.isdigit()), ""),
        compute_cap=next((one.compute_cap for one in everyone if one.compute_cap), "") or _capability(lookup),
        occupancy_limiter=limiter(lookup),
        flops=flops,
        top_stalls=top_stalls(lookup),
        bound=bound(values["dram_pct"] if values["dram_pct"] is not None else values["mem_pct"], values["sm_pct"]),
        code_hash=next((one.code_hash for one in everyone if one.code_hash), ""),
        instances=raw.instances,
        filled=tuple(filled),
        unparsed=tuple(dict.fromkeys((*(u for one in everyone for u in one.unparsed), *lookup.problems))),
        **values,
    )
    if seen is not None:
        seen[equal] += 1
    return Launch(summary, pages[0] if len(pages) == 1 else JoinedCounters(pages))


def bound(memory_pct: float | None, compute_pct: float | None) -> Bound:
    """What limits a launch, by the share of its peak that each unit reached.

    At 60 % or more the busier of the two is the limit; with both under 40 % none is busy and the launch waits:
    too little parallelism, dependencies, or its own start and end. With one of the two unknown only a limit that
    was seen counts.
    """
    if memory_pct is None or compute_pct is None:
        if memory_pct is not None and memory_pct >= LIMITING_PCT:
            return Bound.MEMORY
        if compute_pct is not None and compute_pct >= LIMITING_PCT:
            return Bound.COMPUTE
        return Bound.UNKNOWN
    if max(memory_pct, compute_pct) >= LIMITING_PCT:
        return Bound.MEMORY if memory_pct >= compute_pct else Bound.COMPUTE
    return Bound.LATENCY if max(memory_pct, compute_pct) < IDLE_PCT else Bound.MIXED


def limiter(lookup: Lookup) -> str | None:
    """The resource that allows the fewest blocks on an SM; several where they allow equally few."""
    limits = {name: lookup.field("occupancy_limiter", sources)[0] for name, sources in LIMITS.items()}
    known = {name: blocks for name, blocks in limits.items() if blocks}
    if not known:
        return None
    lowest = min(known.values())
    return " and ".join(name for name, blocks in known.items() if blocks == lowest)


def _first(shapes: Iterable[Dim3 | None]) -> Dim3 | None:
    return next((shape for shape in shapes if shape is not None), None)


def _shape(lookup: Lookup, field: str, metrics: tuple[str, ...]) -> Dim3 | None:
    """A grid or block out of the three metrics of its sizes."""
    sizes = [lookup.number(field, metric, Kind.COUNT) for metric in metrics]
    x, y, z = (int(s) if s is not None and s >= 1 and float(s).is_integer() else 0 for s in sizes)
    return (x, y, z) if x and y and z else None


def _capability(lookup: Lookup) -> str:
    parts = [lookup.number("compute_cap", metric, Kind.COUNT) for metric in CAPABILITY]
    return "" if None in parts else ".".join(f"{part:.0f}" for part in parts)


def _rate(values: dict[str, float | None]) -> float | None:
    """Bytes to and from DRAM per second, where all three numbers are there."""
    read, written, duration = (values[f] for f in ("dram_read_bytes", "dram_write_bytes", "duration_s"))
    if read is None or written is None or not duration:
        return None
    return (read + written) / duration
