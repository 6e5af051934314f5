"""Causes in how a launch runs: clocks, launch shape, and the resources that leave room for warps."""

from __future__ import annotations

import math
from collections.abc import Iterator

from perftrack.core.launches.findings import Finding, FindingCode, Origin
from perftrack.core.launches.sides import Sides, shown


def clocks(sides: Sides) -> Iterator[Finding]:
    moved = sides.ratio("sm_clock_hz")
    if moved is not None and sides.changed("sm_clock_hz"):
        text = f"SM clock {sides.arrow('sm_clock_hz', 'Hz')}"
        same_cycles = sides.ratio("cycles") is not None and not sides.changed("cycles")
        if same_cycles:
            text += f" at the same cycles ({sides.arrow('cycles')}): the environment, not the code"
        deltas = sides.delta("sm_clock_hz", "Hz"), sides.delta("cycles", "cycle")
        yield Finding(FindingCode.CLOCK, Origin.ENVIRONMENT, text, deltas, -moved)
    moved = sides.ratio("dram_clock_hz")
    if moved is not None and sides.changed("dram_clock_hz"):
        text = f"DRAM clock {sides.arrow('dram_clock_hz', 'Hz')}"
        delta = sides.delta("dram_clock_hz", "Hz")
        yield Finding(FindingCode.CLOCK, Origin.ENVIRONMENT, text, (delta,), -moved * sides.memory)


def launch_shape(sides: Sides) -> Iterator[Finding]:
    b, c = sides.baseline, sides.candidate
    if b.grid is None or c.grid is None or (b.grid, b.block) == (c.grid, c.block):
        return
    parts = [f"{n} {x} → {y}" for n, x, y in (("grid", b.grid, c.grid), ("block", b.block, c.block)) if x != y]
    weight = 0.0
    if b.waves is not None and c.waves is not None:
        parts.append(f"waves per SM {b.waves:.3g} → {c.waves:.3g}")
        # Below one wave SMs stand idle; above it, more of them is more work, which other counters tell.
        filled = [min(w, 1.0) for w in (b.waves, c.waves)]
        if min(filled) > 0:
            weight = -math.log(filled[1] / filled[0])
            if filled[1] < 1.0 <= filled[0]:
                parts.append("too few blocks to fill the device once")
    if sides.changed("occupancy_theoretical_pct") and not _resources(sides):
        parts.append(_occupancy_words(sides))
        weight += _occupancy_weight(sides)
    origin = Origin.WORK if sides.same_code else Origin.CODE
    yield Finding(FindingCode.LAUNCH_SHAPE, origin, "; ".join(parts), (sides.delta("waves"),), weight)


def occupancy(sides: Sides) -> Iterator[Finding]:
    """Registers and shared memory, and the occupancy that they leave."""
    told = False
    for field, code, name, limit, unit in (
        ("registers", FindingCode.REGISTERS, "registers a thread", "registers", ""),
        ("shared_bytes", FindingCode.SHARED_MEMORY, "shared memory a block", "shared memory", "byte"),
    ):
        if not sides.changed(field):
            continue
        text = f"{name} {sides.arrow(field, unit)}"
        deltas = [sides.delta(field, unit)]
        weight = 0.0
        limited = {limit} & set(_limits(sides))
        if sides.changed("occupancy_theoretical_pct") and (limited or not _limits(sides)) and not told:
            text += f", so {_occupancy_words(sides)}"
            deltas.append(sides.delta("occupancy_theoretical_pct", "%"))
            weight = _occupancy_weight(sides)
            told = True
        elif sides.candidate.occupancy_theoretical_pct is not None and not sides.changed(
            "occupancy_theoretical_pct"
        ):
            text += f"; theoretical occupancy stays {shown(sides.candidate.occupancy_theoretical_pct, '%')}"
        yield Finding(code, sides.blame, text, tuple(deltas), weight)
    shape_tells = not sides.same_shape and sides.baseline.grid is not None and not _resources(sides)
    if sides.changed("occupancy_theoretical_pct") and not told and not shape_tells:
        deltas = [sides.delta("occupancy_theoretical_pct", "%")]
        text = _occupancy_words(sides)
        yield Finding(FindingCode.OCCUPANCY, sides.blame, text, tuple(deltas), _occupancy_weight(sides))
    elif sides.changed("occupancy_achieved_pct") and not sides.changed("occupancy_theoretical_pct"):
        text = f"achieved occupancy {sides.arrow('occupancy_achieved_pct', '%')} of warps"
        if sides.candidate.occupancy_theoretical_pct is not None:
            possible = shown(sides.candidate.occupancy_theoretical_pct, "%")
            text += f", of {possible} possible on both sides: blocks of uneven length, or a tail"
        weight = -0.5 * sides.waiting * (sides.ratio("occupancy_achieved_pct") or 0.0)
        delta = sides.delta("occupancy_achieved_pct", "%")
        yield Finding(FindingCode.OCCUPANCY, Origin.SYMPTOM, text, (delta,), weight)


def _resources(sides: Sides) -> bool:
    return sides.changed("registers") or sides.changed("shared_bytes")


def _limits(sides: Sides) -> list[str]:
    """What limits the side with the lower occupancy."""
    before, after = sides.values("occupancy_theoretical_pct")
    lower = sides.candidate if before is None or after is None or after <= before else sides.baseline
    return (lower.occupancy_limiter or "").split(" and ") if lower.occupancy_limiter else []


def _occupancy_words(sides: Sides) -> str:
    text = f"theoretical occupancy {sides.arrow('occupancy_theoretical_pct', '%')}"
    rose = (sides.ratio("occupancy_theoretical_pct") or 0.0) > 0
    limit = sides.baseline.occupancy_limiter if rose else sides.candidate.occupancy_limiter
    return f"{text}, {'no longer ' if rose else ''}limited by {limit}" if limit else text


def _occupancy_weight(sides: Sides) -> float:
    """Fewer warps hide less waiting: as far as the launch waits."""
    return -(sides.ratio("occupancy_theoretical_pct") or 0.0) * sides.waiting
