"""A made-up history in which every kind of judgement happens, and what core.verdict says of its commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perftrack.core.discoveries import control_false_discoveries
from perftrack.core.epoch import Epoch, accept
from perftrack.core.history import Lane, Line, Point, Series, lane_of, line_of
from perftrack.core.judgement import Judgement
from perftrack.core.model import Cache, Direction, Measurement, ProcessSamples, Protocol, Timer, Window
from perftrack.core.noise import LaneNoise, lane_noise
from perftrack.core.verdict import judge
from perftrack.publish.gather import Epochs
from perftrack.store.rows import within_variance
from tests.publish.synthetic import Shape, SyntheticHistory

COMMITS = 14
ACCEPTED_AT = 8
ACCEPTED = Epoch("accepted", f"{0:040x}", "meant to be so")


def judged_shapes() -> tuple[Shape, ...]:
    rng = np.random.default_rng(11)
    made = [
        Shape(
            f"kernel_{i:02d}",
            (),
            1e-5 * (1 + i),
            noise=(0.002, 0.006, 0.02)[i % 3],
            steps={int(rng.integers(2, COMMITS)): float(np.exp(rng.normal(0, 0.05)))},
            direction=Direction.HIGHER if i % 7 == 3 else Direction.LOWER,
            gpu=i % 4 != 0,
        )
        for i in range(24)
    ]
    return (
        *made,
        Shape("accepted", (), 3e-4, steps={ACCEPTED_AT: 1.3}),
        Shape("rewritten", (), 2e-4, steps={5: 1.2}),
        Shape("strict", (), 2e-4, 0.001, steps={6: 1.012}),
        Shape("failing", (), 2e-4, fails=(4, COMMITS - 1)),
        Shape("shared", (), 2e-4, unstable=(3, 9)),
        Shape("late", (), 2e-4, since=10),
        Shape("instructions", (), 123_456_789.0, 0.0, "instructions", "", gpu=False, steps={6: 1.0001, 9: 1.5}),
        Shape("bytes", (), 4096.0, 0.0, "bytes", "B", gpu=False, steps={6: 1.25}),
        Shape("loose", (), 1e6, 0.01, "loose", "", gpu=False),
        Shape("misses", (), 1.0, 0.0, "misses", "", gpu=False, steps={5: 0.0, 9: 0.0}),
        Shape("coarse", (), 1e-6, 0.004, gpu=False, steps={7: 1.6}),
    )


_TIMERS = {"instructions": Timer.EXACT, "loose": Timer.EXACT, "bytes": Timer.VALUE, "misses": Timer.VALUE}
_STEP = 2e-8  # of the coarse timer


class Judged(SyntheticHistory):
    def __init__(self, processes: int = 3) -> None:
        super().__init__(COMMITS, judged_shapes(), upgrade=11, processes=processes)
        self._measured: dict[tuple[int, int], Measurement] = {}
        self._known: dict[tuple[int, Line, bool], LaneNoise | None] = {}

    def measurement(self, shape: Shape, at: int) -> Measurement:
        key = (self.shapes.index(shape), at)
        if key not in self._measured:
            self._measured[key] = self._made(shape, at)
        return self._measured[key]

    def _made(self, shape: Shape, at: int) -> Measurement:
        made = super().measurement(shape, at)
        if shape.benchmark in _TIMERS:
            made = replace(made, protocol=Protocol(_TIMERS[shape.benchmark], Cache.NONE))
        if shape.benchmark == "rewritten":
            made = replace(made, code_hash="aa" if at < 5 else "bb")
        if shape.benchmark == "strict":
            made = replace(made, threshold=0.005)
        return made

    def _samples(self, shape: Shape, at: int) -> tuple[ProcessSamples, ...]:
        made = super()._samples(shape, at)
        if shape.benchmark in _TIMERS:
            return tuple(replace(p, resolution_s=0.0) for p in made)
        if shape.benchmark != "coarse":
            return made
        return tuple(
            replace(
                p,
                resolution_s=_STEP,
                windows=tuple(Window(tuple(_STEP * round(s / _STEP) for s in w.samples)) for w in p.windows),
            )
            for p in made
        )

    def _make_series(self) -> list[Series]:
        found = super()._make_series()
        return [replace(s, threshold=0.005 if s.case.benchmark == "strict" else None) for s in found]

    def _point(self, shape: Shape, at: int) -> Point:
        made = super()._point(shape, at)
        m = self.measurement(shape, at)
        return replace(made, code_hash=m.code_hash, within_variance=within_variance(m))

    def epochs(self) -> Epochs:
        line = [c.sha for c in self.commits()]
        start = line[ACCEPTED_AT]
        return lambda head, shas: (
            tuple(i for i, sha in enumerate(shas) if sha == start) if head.case.benchmark == "accepted" else ()
        )

    def lanes(self) -> Sequence[Lane]:
        found: dict[str, Lane] = {}
        for at in range(self.count):
            for shape in self.shapes:
                m = self.measurement(shape, at)
                assert m.fingerprint is not None
                found.setdefault(lane_of(m), Lane(lane_of(m), m.fingerprint, m.protocol))
        return list(found.values())

    # What the command would say, from samples

    def judged(self, baseline: int, candidate: int) -> list[Judgement]:
        """With the noise of each lane learnt as the page says: from all clean runs but the newest commit's."""
        found = []
        for shape in self.shapes:
            b = self.measurement(shape, baseline) if shape.since <= baseline else None
            c = self.measurement(shape, candidate) if shape.since <= candidate else None
            if b is None and c is None:
                continue
            noise = None
            if b is not None and c is not None:
                noise = self._noise(shape, line_of(c), shape.benchmark != "accepted" or candidate >= ACCEPTED_AT)
            own = judge(b, c, noise=noise)
            if shape.benchmark == "accepted" and (baseline < ACCEPTED_AT) != (candidate < ACCEPTED_AT):
                own = accept(own, ACCEPTED)
            found.append(own)
        return list(control_false_discoveries(found))

    def _noise(self, shape: Shape, line: Line, late: bool) -> LaneNoise | None:
        key = (self.shapes.index(shape), line, late)
        if key not in self._known:
            self._known[key] = self._learnt(shape, line, late)
        return self._known[key]

    def _learnt(self, shape: Shape, line: Line, late: bool) -> LaneNoise | None:
        history = [
            m
            for at in range(shape.since, COMMITS - 1)
            if at != 6  # its tree had uncommitted changes
            and (shape.benchmark != "accepted" or (at >= ACCEPTED_AT) == late)
            for m in [self.measurement(shape, at)]
            if m.value is not None and line_of(m) == line
        ]
        within = [within_variance(m) or 0.0 for m in history]
        return lane_noise([m.value or 0.0 for m in history], within, [len(m.processes) for m in history])


def undecidable(judged: Judgement) -> bool:
    """Whether the command goes by process values that a site does not have."""
    return any(r.code == "permutation" for r in judged.reasons)


def key_of(judged: Judgement) -> tuple[str, str]:
    return judged.subject.case.id, judged.subject.metric
