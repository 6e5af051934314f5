"""Which measurement of one commit stands against which of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from perftrack.core.history import lane_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Measurement, Status
from perftrack.core.reasons import reason
from perftrack.core.renames import identity


def pair(
    baseline: Sequence[Measurement], candidate: Sequence[Measurement]
) -> list[tuple[Measurement | None, Measurement | None]]:
    """Both sides of each case and metric: lane by lane where they share one, else the newest of each."""
    pairs: list[tuple[Measurement | None, Measurement | None]] = []
    befores, afters = namesakes(baseline), namesakes(candidate)
    for key in dict.fromkeys((*afters, *befores)):
        before, after = befores.get(key, []), afters.get(key, [])
        by_lane = {lane_of(m): m for m in reversed(before) if m.status is Status.OK}
        shared = [(by_lane[lane_of(m)], m) for m in after if m.status is Status.OK and lane_of(m) in by_lane]
        newest = (before[0] if before else None, after[0] if after else None)
        failed = any(m is not None and m.status is Status.FAILED for m in newest)
        pairs += [newest] if failed or not shared else shared
    return pairs


Namesakes = Mapping[tuple[object, ...], Sequence[Measurement]]


def twice(judged: Judgement, baseline: Namesakes, candidate: Namesakes) -> Judgement:
    """The judgement, unless a side has its name several times in one lane: two benchmarks got one name there.

    The sides are as `namesakes` gives them.
    """
    problems = []
    for name, own, side in (("baseline", judged.baseline, baseline), ("candidate", judged.candidate, candidate)):
        if own is None or own.status is not Status.OK:
            continue
        same = [m for m in side[identity(own.case, own.metric)] if m.status is Status.OK]
        count = sum(lane_of(m) == lane_of(own) for m in same) if len(same) > 1 else len(same)
        if count > 1:
            problems.append(reason("duplicate-case", side=name, count=count))
    if not problems:
        return judged
    return replace(judged, verdict=Verdict.NOT_COMPARABLE, p_value=None, reasons=(*problems, *judged.reasons))


def namesakes(measurements: Sequence[Measurement]) -> dict[tuple[object, ...], list[Measurement]]:
    """Measurements by case and metric."""
    grouped: dict[tuple[object, ...], list[Measurement]] = {}
    for measurement in measurements:
        grouped.setdefault(identity(measurement.case, measurement.metric), []).append(measurement)
    return grouped
