"""What the visits of a search add up to: worked out once for each state, from the visits alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perftrack.core.search.belief import BAD, GOOD, Anchors, Belief, believe
from perftrack.core.search.block import Block, leading_block
from perftrack.core.search.cost import Spent
from perftrack.core.search.dag import CommitGraph, Mask
from perftrack.core.search.enddrift import EndDrift
from perftrack.core.search.levels import Readings
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.transcript import Transcript, recorded_readings
from perftrack.core.search.visits import Failure, FailureKind, Recorded, Visit
from perftrack.core.stats import Floats

TRIES = 2  # failures other than of the build, after which a commit is not tried again


@dataclass(frozen=True, slots=True)
class Reckoning:
    """`history` (recorded readings by place), `drift` and `anchors` are None until the search begins.

    `measurable` (n,): neither to be skipped nor failed for good. `block`: the likeliest.
    """

    transcript: Transcript
    history: dict[int, Readings] | None
    drift: EndDrift | None
    anchors: Anchors | None
    spent: Spent
    measurable: Mask
    belief: Belief
    block: Block

    @classmethod
    def of(
        cls,
        graph: CommitGraph,
        settings: SearchSettings,
        prior: Floats,
        visits: Sequence[Visit],
        recorded: tuple[Recorded, ...],
        *,
        searching: bool,
        before: Reckoning | None = None,
    ) -> Reckoning:
        """`searching`: whether readings are to be weighed yet. `before`: of all visits but the last; what that one
        leaves as it was is not worked out again.
        """
        if before is None:
            script = Transcript.of(graph, settings.direction, visits, recorded)
        else:
            script = before.transcript.after(graph, visits[-1])
        if before is None or any(side.failure for side in visits[-1].sides):
            measurable = _measurable(graph, settings, visits)
        else:
            measurable = before.measurable
        drift, anchors, history, belief = None, None, None, Belief(prior, prior)
        if searching:
            if before is not None and before.transcript.logs == script.logs:
                history = before.history
                if not _at_ends(script, before.transcript):
                    drift, anchors = before.drift, before.anchors
            drift = script.drift() if drift is None else drift
            if history is None:
                history = recorded_readings(graph, settings.direction, recorded, logs=script.logs)
            readings = script.readings(drift, history)
            anchors = Anchors.of(readings) if anchors is None else anchors
            belief = believe(graph, prior, readings, anchors)
        block = leading_block(graph, belief.culprit, measurable)
        spent = Spent.on(visits) if before is None else before.spent.after(visits[-1])
        return cls(script, history, drift, anchors, spent, measurable, belief, block)


def _at_ends(script: Transcript, before: Transcript) -> bool:
    """Whether the last visit went to an end."""
    fresh = script.places[len(before.places) :]
    return bool(((fresh == GOOD) | (fresh == BAD)).any())


def _measurable(graph: CommitGraph, settings: SearchSettings, visits: Sequence[Visit]) -> Mask:
    failed: dict[str, list[Failure]] = {}
    for visit in visits:
        for side in visit.sides:
            if side.failure is not None:
                failed.setdefault(side.commit, []).append(side.failure)
    lost = [sha for sha, failures in failed.items() if _for_good(failures)]
    mask = np.ones(len(graph), dtype=bool)
    # BAD was measured, or there is no search.
    out = [graph.places[sha] for sha in (*settings.skip, *lost) if sha in graph.places and sha != graph.bad]
    mask[out] = False
    return mask


def _for_good(failures: Sequence[Failure]) -> bool:
    return len(failures) >= TRIES or any(f.kind is FailureKind.BUILD for f in failures)
