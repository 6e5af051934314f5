"""The readings of a search in the order they were taken, on the scale on which they are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.model import Direction
from perftrack.core.search.belief import BAD, GOOD
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.enddrift import EndDrift
from perftrack.core.search.levels import Readings
from perftrack.core.search.visits import Recorded, Visit
from perftrack.core.stats import Floats

OUTSIDE = -3


@dataclass(frozen=True, slots=True)
class Transcript:
    """`raw` (n,): process medians in the metric's unit; `times` (n,) count the processes before; `places` (n,) are
    places in the graph, GOOD, BAD or OUTSIDE. `positive`: whether all that was recorded before is.
    """

    direction: Direction
    positive: bool
    raw: Floats
    times: Floats
    places: NDArray[np.int64]

    @classmethod
    def of(
        cls, graph: CommitGraph, direction: Direction, visits: Sequence[Visit], recorded: Sequence[Recorded]
    ) -> Transcript:
        positive = all(v > 0 for run in recorded for v in run.values)
        script = cls(direction, positive, np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64))
        for visit in visits:
            script = script.after(graph, visit)
        return script

    def after(self, graph: CommitGraph, visit: Visit) -> Transcript:
        """With one more visit at its end."""
        raw, times, places = [self.raw], [self.times], [self.places]
        for side in visit.sides:
            # The sides took turns: each one's readings are spread over the whole visit.
            count = len(side.values)
            raw.append(np.array(side.values, dtype=np.float64))
            times.append(len(self.raw) + (np.arange(count) + 0.5) * visit.processes / max(count, 1))
            places.append(np.full(count, place_of(graph, side.commit), dtype=np.int64))
        return Transcript(
            self.direction, self.positive, np.concatenate(raw), np.concatenate(times), np.concatenate(places)
        )

    @property
    def logs(self) -> bool:
        """Whether values are judged by their logarithms: all of them are positive."""
        return self.positive and bool((self.raw > 0).all())

    @property
    def values(self) -> Floats:
        """(n,), larger is worse."""
        return scaled(self.raw, self.direction, logs=self.logs)

    def end(self, place: int) -> Floats:
        """The readings of GOOD or BAD."""
        readings: Floats = self.values[self.places == place]
        return readings

    def drift(self) -> EndDrift:
        at_end = (self.places == GOOD) | (self.places == BAD)
        return EndDrift.of(self.times[at_end], self.values[at_end], self.places[at_end] == BAD)

    def readings(self, drift: EndDrift, recorded: Mapping[int, Readings]) -> dict[int, Readings]:
        """By place, without the drift, and with what was recorded before."""
        found = dict(recorded)
        steady = self.values - drift.at(self.times)
        for place in np.unique(self.places).tolist():
            live = Readings.of(steady[self.places == place])
            found[place] = Readings.joined([live, recorded[place]]) if place in recorded else live
        found.pop(OUTSIDE, None)
        return found


def recorded_readings(
    graph: CommitGraph, direction: Direction, recorded: Sequence[Recorded], *, logs: bool
) -> dict[int, Readings]:
    """What was recorded before, by place: of each run the mean of its processes, as the transcript judges it."""
    found: dict[int, list[Readings]] = {}
    for run in recorded:
        values = scaled(np.array(run.values), direction, logs=logs)
        centre = float(values.mean())
        apart = run.apart if logs else run.apart * abs(centre)
        reading = Readings(np.array([centre]), np.array([1.0 / len(values)]), np.array([apart]))
        found.setdefault(place_of(graph, run.commit), []).append(reading)
    return {place: Readings.joined(parts) for place, parts in found.items() if place != OUTSIDE}


def place_of(graph: CommitGraph, sha: str) -> int:
    if sha == graph.good:
        return GOOD
    if sha == graph.bad:
        return BAD
    return graph.places.get(sha, OUTSIDE)


def scaled(values: Floats, direction: Direction, *, logs: bool) -> Floats:
    """Values with larger ones worse: ln of the metric, or the metric itself where one is not positive."""
    sign = 1.0 if direction is Direction.LOWER else -1.0
    turned: Floats = sign * (np.log(values) if logs else values)
    return turned
