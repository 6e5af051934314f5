"""What a change found is worth: by the metric's direction, the threshold, what came after it and what it ran."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from perftrack.core.changes.alert import lane_key
from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift
from perftrack.core.changes.event import PlacedChange, all_placed, blamable, discovered
from perftrack.core.changes.lanes import LaneTrend
from perftrack.core.changes.watch import Standing, WatchedChange
from perftrack.core.history import Series
from perftrack.core.judgement import Verdict
from perftrack.core.model import Case, Direction, Reason
from perftrack.core.reasons import reason
from perftrack.core.units import format_change

FEWEST = 14  # noisy values that can show anything


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A change of one metric of one case in one lane, at its place in the order of commits.

    `known`: an alert about it was reported before. `candidates`: positions whose commit can be to blame.
    `at`: index of the change in `trend`.
    """

    series: Series
    trend: LaneTrend
    place: PlacedChange
    standing: Standing
    threshold: float
    reasons: tuple[Reason, ...] = ()
    candidates: tuple[int, ...] = ()
    epoch: int | None = None
    id: str = ""
    known: bool = False

    @property
    def case(self) -> Case:
        return self.series.case

    @property
    def change(self) -> ChangePoint:
        return self.place.change

    @property
    def worse(self) -> bool:
        return is_worse(self.change.direction, self.series.direction)

    @property
    def verdict(self) -> Verdict:
        return Verdict.REGRESSION if self.worse else Verdict.IMPROVEMENT

    @property
    def alarming(self) -> bool:
        """Whether it is a regression that stands."""
        return self.worse and self.standing is Standing.ALERT

    @property
    def doubtful(self) -> bool:
        """Whether it may be a regression, which measuring again would tell."""
        return self.worse and self.standing is Standing.SUSPECT


def is_worse(shift: Shift, direction: Direction) -> bool:
    return (shift is Shift.UP) is (direction is Direction.LOWER)


@dataclass(frozen=True, slots=True)
class WatchedLane:
    """A lane that was looked at: its changes as `watch` gives them, and where it begins anew."""

    series: Series
    trend: LaneTrend
    threshold: float
    found: tuple[WatchedChange, ...]
    epochs: tuple[int, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether there was enough to see a change in."""
        return len(self.trend.points) >= FEWEST or bool(self.found)


def significant(lanes: Sequence[WatchedLane]) -> tuple[WatchedLane, ...]:
    """The lanes without the changes that do not survive (see `surviving`)."""
    kept = surviving([lane.found for lane in lanes], [len(lane.trend.points) for lane in lanes])
    return tuple(replace(lane, found=found) for lane, found in zip(lanes, kept, strict=True))


def surviving(
    found: Sequence[tuple[WatchedChange, ...]], lengths: Sequence[int]
) -> tuple[tuple[WatchedChange, ...], ...]:
    """The changes of lanes of so many values that survive Benjamini-Hochberg over all of them.

    Those of counts without noise always do, and make no room for others. Lanes too short to show anything were
    not tested.
    """
    noisy = [tuple(w.change for w in own if w.change.p_value > 0.0) for own in found]
    pool = [at for at, own in enumerate(found) if noisy[at] or (not own and lengths[at] >= FEWEST)]
    passed = dict(zip(pool, map(frozenset, discovered([noisy[at] for at in pool])), strict=True))
    none: frozenset[ChangePoint] = frozenset()
    return tuple(
        tuple(w for w in own if w.change.p_value == 0.0 or w.change in passed.get(at, none))
        for at, own in enumerate(found)
    )


def appraised(lane: WatchedLane) -> tuple[CaseChange, ...]:
    """The lane's changes with their standing: small ones and those that did not last are no alerts."""
    key = lane_key(lane.series.case.id, lane.series.metric, lane.trend.lane)
    trusted = [w.change for w in lane.found if w.standing is not Standing.SUSPECT]
    out = []
    places = all_placed(key, [w.change for w in lane.found], lane.trend.positions)
    for watched, place in zip(lane.found, places, strict=True):
        made = CaseChange(lane.series, lane.trend, place, watched.standing, lane.threshold, epoch=watched.epoch)
        if watched.standing in (Standing.ALERT, Standing.SUSPECT):
            made = _weighed(made, trusted[-1] if trusted else None)
        out.append(made)
    return tuple(out)


def _weighed(made: CaseChange, newest: ChangePoint | None) -> CaseChange:
    change = made.change
    if change.ratio is not None and abs(math.log(change.ratio)) < made.threshold:
        percent = 100 * made.threshold
        shown = format_change(math.log(change.ratio))
        why = reason("effect-below-threshold", change=shown, threshold_pct=percent)
        return replace(made, standing=Standing.MINOR, reasons=(why,))
    if made.standing is Standing.SUSPECT:
        return replace(made, reasons=(reason("tier-c-change"),))
    later = newest is not None and newest.first > change.first
    if made.worse and later and newest is not None and _is_back(made, newest):
        return replace(made, standing=Standing.RECOVERED, reasons=(reason("recovered"),))
    return made


def _is_back(made: CaseChange, newest: ChangePoint) -> bool:
    """Whether the level of today is no longer worse, by the threshold, than that before the change."""
    before, now = made.change.before, newest.after
    if before > 0 and now > 0:
        apart = math.log(now / before)
        return (apart if made.series.direction is Direction.LOWER else -apart) < made.threshold
    return now <= before if made.series.direction is Direction.LOWER else now >= before


def blamed(made: CaseChange, codes: Sequence[str | None]) -> CaseChange:
    """With the commits that can be to blame; one that no commit's code explains becomes a suspect.

    `codes`: of the positions from the one before the range to its end, as core.changes.samecode gives them. A
    drift is no commit's in particular.
    """
    place = made.place
    if made.change.kind is ChangeKind.GRADUAL:
        return replace(made, candidates=tuple(range(place.first, place.last + 1)))
    start = max(place.first - 1, 0)
    near = replace(
        place, first=place.first - start, last=place.last - start, most_likely=place.most_likely - start
    )
    candidates = tuple(start + at for at in blamable(near, codes))
    if candidates or made.standing not in (Standing.ALERT, Standing.SUSPECT):
        return replace(made, candidates=candidates)
    why = reason("equal-code-range", count=place.last - place.first + 1)
    return replace(made, standing=Standing.SUSPECT, reasons=(why, *made.reasons))
