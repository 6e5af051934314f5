"""Causes in memory traffic: how much, how well placed, and how fast."""

from __future__ import annotations

import math
from collections.abc import Iterator

from perftrack.core.launches.bands import band
from perftrack.core.launches.findings import Delta, Finding, FindingCode, Origin
from perftrack.core.launches.sides import Sides, shown
from perftrack.core.units import format_change, format_value

_WORST_SECTORS = 32  # a warp's 32 threads each in a sector of their own
_UNCOALESCED_SHARE = 0.5  # requests that split occupy L1 and L2 even where DRAM is idle


def local_memory(sides: Sides) -> Iterator[Finding]:
    before, after = sides.values("local_bytes")
    if before is None or after is None or before == after:
        return
    arrow = sides.arrow("local_bytes", "byte")
    if not before:
        text = (
            f"local-memory traffic appeared: {arrow}: registers spilled, or an array that is indexed at run time"
        )
    elif not after:
        text = f"local-memory traffic is gone: {arrow}"
    else:
        text = f"local-memory traffic {arrow}"
    other = max((v for v in (*sides.values("l2_read_bytes"), *_dram_totals(sides)) if v is not None), default=None)
    # What spills goes through L1, which the share of all memory units tells.
    busy = max(sides.memory, sides.traffic)
    if other is None:
        weight = 0.5 if after > before else -0.5
    else:
        weight = math.log((other + after + 1) / (other + before + 1)) * busy
    yield Finding(FindingCode.LOCAL_MEMORY, sides.blame, text, (sides.delta("local_bytes", "byte"),), weight)


def coalescing(sides: Sides) -> Iterator[Finding]:
    if not sides.changed("sectors_per_request"):
        return
    before, after = sides.values("sectors_per_request")
    assert before is not None
    assert after is not None
    text = f"sectors per request of global loads {before:.3g} → {after:.3g}"
    if after > before:
        text += f": less coalesced, neighbouring threads read further apart ({_WORST_SECTORS} is the worst)"
    else:
        text += ": better coalesced"
    weight = (sides.ratio("sectors_per_request") or 0.0) * _split_share(sides)
    yield Finding(FindingCode.COALESCING, sides.blame, text, (sides.delta("sectors_per_request"),), weight)


def _split_share(sides: Sides) -> float:
    return max(sides.memory, sides.traffic, _UNCOALESCED_SHARE)


def _beyond_sectors(sides: Sides, moved: float) -> float:
    """What of a change of traffic is left once that of the sectors per request has its part."""
    sectors = sides.ratio("sectors_per_request") if sides.changed("sectors_per_request") else None
    if sectors is None or sectors * moved <= 0:
        return moved
    return math.copysign(max(abs(moved) - abs(sectors), 0.0), moved)


def _dram_totals(sides: Sides) -> tuple[float | None, float | None]:
    """Bytes read and written on each side; None where one of the two is missing."""
    totals = []
    for side in (sides.baseline, sides.candidate):
        parts = side.dram_read_bytes, side.dram_write_bytes
        totals.append(None if None in parts else sum(p for p in parts if p is not None))
    return totals[0], totals[1]


def dram(sides: Sides) -> Iterator[Finding]:
    """More bytes, or the same bytes more slowly."""
    before, after = _dram_totals(sides)
    if before is None or after is None:
        return
    rate = sides.ratio("dram_bytes_per_s") if sides.changed("dram_bytes_per_s") else None
    deltas = (
        Delta("dram_bytes", before, after, "byte"),
        sides.delta("dram_read_bytes", "byte"),
        sides.delta("dram_write_bytes", "byte"),
        sides.delta("dram_bytes_per_s", "byte/s"),
    )
    if not band("dram_read_bytes").holds(before, after):
        moved = math.log(after / before) if before and after else math.copysign(1.0, after - before)
        text = f"DRAM bytes {shown(before, 'byte')} → {shown(after, 'byte')}"
        text += f" ({format_change(moved)})" if before and after else ""
        weight = _beyond_sectors(sides, moved) * sides.memory
        yield Finding(FindingCode.DRAM_BYTES, sides.blame, f"{text}{_rate_words(sides, rate)}", deltas, weight)
    elif rate is not None:
        text = f"the same DRAM bytes ({shown(after, 'byte')}) at another rate: {_rate_arrow(sides)}"
        yield Finding(FindingCode.DRAM_RATE, Origin.SYMPTOM, text, deltas, -0.5 * rate * sides.memory)


def _rate_words(sides: Sides, rate: float | None) -> str:
    if None in sides.values("dram_bytes_per_s"):
        return ""
    if rate is None:
        return f" at equal rate ({format_value(sides.candidate.dram_bytes_per_s, 'byte/s')})"
    return f" at another rate: {_rate_arrow(sides)}"


def _rate_arrow(sides: Sides) -> str:
    return sides.arrow("dram_bytes_per_s", "byte/s")


def caches(sides: Sides) -> Iterator[Finding]:
    """Hit rates, by what they do to the misses; and what the SMs read through L2."""
    if sides.changed("l2_read_bytes"):
        moved = sides.ratio("l2_read_bytes") or 0.0
        text = f"bytes that the SMs read from L2 {sides.arrow('l2_read_bytes', 'byte')}"
        delta = sides.delta("l2_read_bytes", "byte")
        weight = 0.5 * _beyond_sectors(sides, moved) * sides.memory
        yield Finding(FindingCode.L2_READS, sides.blame, text, (delta,), weight)
    for field, code, name, share in (
        ("l2_hit_pct", FindingCode.L2_HITS, "L2", 0.9),
        ("l1_hit_pct", FindingCode.L1_HITS, "L1", 0.45),
    ):
        before, after = sides.values(field)
        if before is None or after is None or not sides.changed(field):
            continue
        fell = "fell" if after < before else "rose"
        text = f"{name} hit rate {fell}: {sides.arrow(field, '%')}"
        # Misses are what the next level sees; with none on a side their ratio says nothing, so a floor is put in.
        misses = [max(100.0 - hits, 1.0) for hits in (before, after)]
        weight = math.log(misses[1] / misses[0]) * share * sides.memory
        yield Finding(code, sides.blame, text, (sides.delta(field, "%"),), weight)
