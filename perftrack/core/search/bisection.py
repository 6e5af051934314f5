"""The search for the commit at which a case got worse: a state that is asked for a probe and told what it read.

    search = Search.begin(CommitGraph.between(parents, good, bad))
    while (probe := search.next_probe()) is not None:
        ...measure probe.commit and probe.beside, taking turns as probe.order says...
        search = search.observe(probe.commit, values, beside=(probe.beside, its_values))
    search.outcome, search.block, search.confirmation

Nothing is measured here, and nothing drawn but from the seed that is part of the state: the same readings give the
same probes, so that a search that was killed goes on where it was (core.search.state: JSON and back).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from perftrack.core.search.belief import BAD, GOOD, Belief, prior_of
from perftrack.core.search.block import Block, credible_blocks
from perftrack.core.search.confirmation import Confirmation, confirmation
from perftrack.core.search.cost import Spent
from perftrack.core.search.dag import CommitGraph, Mask
from perftrack.core.search.nextprobe import next_probe
from perftrack.core.search.phase import outcome_of, phase_of, place_to_check
from perftrack.core.search.reckoning import Reckoning
from perftrack.core.search.reproduction import ASSUMED, Reproduction
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.transcript import Transcript, place_of
from perftrack.core.search.visits import Outcome, Phase, Probe, Recorded, Result, Side, Visit
from perftrack.errors import InvalidValueError

KNOWN = 0.95  # probability of a state that a part of a range is chosen by


@dataclass(frozen=True, slots=True)
class Search:
    """One state of a search. `observe` gives the next; nothing changes in place.

    `earlier`: good ends that the search left behind, each for a part of its range (see `narrowed`).
    """

    graph: CommitGraph
    settings: SearchSettings
    seed: int
    prior: tuple[float, ...]
    recorded: tuple[Recorded, ...]
    visits: tuple[Visit, ...]
    reproduction: Reproduction
    earlier: tuple[str, ...] = ()
    reckoning: Reckoning = field(repr=False, compare=False, kw_only=True)

    @classmethod
    def begin(
        cls,
        graph: CommitGraph,
        settings: SearchSettings | None = None,
        *,
        prior: Mapping[str, float] | None = None,
        recorded: Sequence[Recorded] = (),
        seed: int = 0,
    ) -> Search:
        """A search that has measured nothing yet.

        `prior`: weights by SHA, as change points in the stored history give them; commits without one have little.
        `recorded`: stored runs of the same lane. `seed`: zero or above. Raises InvalidValueError for weights that
        are none, for ends that are to be skipped, and for ends neither to be reproduced nor recorded.
        """
        settings = settings or SearchSettings()
        for end in (graph.good, graph.bad):
            if end in settings.skip:
                raise InvalidValueError(f"{end[:12]} is an end of the range: it cannot be skipped")
        places = {place_of(graph, run.commit) for run in recorded}
        if not settings.reproduce and not {GOOD, BAD} <= places:
            raise InvalidValueError("levels that are not to be reproduced need recorded runs of both ends")
        chances = prior_of(graph, prior)
        start = ASSUMED if not settings.reproduce else Reproduction()
        return cls.resumed(graph, settings, seed, tuple(chances.tolist()), tuple(recorded), (), start)

    @classmethod
    def resumed(
        cls,
        graph: CommitGraph,
        settings: SearchSettings,
        seed: int,
        prior: tuple[float, ...],
        recorded: tuple[Recorded, ...],
        visits: tuple[Visit, ...],
        reproduction: Reproduction,
        earlier: tuple[str, ...] = (),
    ) -> Search:
        """A state from its parts; what the readings say is worked out from them."""
        if seed < 0:
            raise InvalidValueError(f"a seed is zero or above, not {seed}")
        known = Reckoning.of(graph, settings, np.array(prior), visits, recorded, searching=reproduction.searching)
        return cls(graph, settings, seed, prior, recorded, visits, reproduction, earlier, reckoning=known)

    def next_probe(self) -> Probe | None:
        """What to measure next; None once there is an outcome."""
        return None if self.outcome is not Outcome.RUNNING else next_probe(self)

    def observe(
        self,
        commit: str,
        result: Result,
        *,
        beside: tuple[str, Result] | None = None,
        seconds: float = 0.0,
        build_seconds: float = 0.0,
    ) -> Search:
        """The state after a visit: the values read (any number of them), or why there are none.

        It need not be the visit that was asked for. Values that are not finite are no values. Raises
        InvalidValueError for a commit that has no place in this search.
        """
        sides = (Side.of(commit, result),) + ((Side.of(*beside),) if beside is not None else ())
        block = self.block
        for side in sides:
            known = place_of(self.graph, side.commit) in {GOOD, BAD} or side.commit in self.graph.places
            if not known and side.commit != block.before:
                raise InvalidValueError(
                    f"{side.commit[:12]} has no place in this search",
                    f"It is about the commits from {self.graph.good[:12]} to {self.graph.bad[:12]}.",
                )
        visits = (*self.visits, Visit(self._phase_of(sides), sides, seconds, build_seconds))
        looked = self.reproduction
        if any(place_of(self.graph, side.commit) in {GOOD, BAD} and side.values for side in sides):
            script = self.reckoning.transcript.after(self.graph, visits[-1])
            looked = looked.look(script.end(GOOD), script.end(BAD))
        reckoning = Reckoning.of(
            self.graph,
            self.settings,
            np.array(self.prior),
            visits,
            self.recorded,
            searching=looked.searching,
            before=self.reckoning,
        )
        return replace(self, visits=visits, reproduction=looked, reckoning=reckoning)

    def passed(self, seconds: float, build_seconds: float) -> Search:
        """The state after time that gave no reading and says nothing of a commit: a build that was cut short."""
        visit = Visit(self.phase, (), seconds, build_seconds)
        reckoning = replace(self.reckoning, spent=self.spent.after(visit))
        return replace(self, visits=(*self.visits, visit), reckoning=reckoning)

    @property
    def phase(self) -> Phase:
        """What the next visit is for."""
        return phase_of(self)

    @property
    def outcome(self) -> Outcome:
        """How it stands; RUNNING while there is a next probe."""
        return outcome_of(self)

    @property
    def block(self) -> Block:
        """The block with most probability."""
        return self.reckoning.block

    @property
    def belief(self) -> Belief:
        return self.reckoning.belief

    @property
    def measurable(self) -> Mask:
        """(n,): commits that are not to be skipped and have not failed for good."""
        return self.reckoning.measurable

    def posterior(self) -> dict[str, float]:
        """Probability of being to blame of every commit in the range, parents first."""
        return dict(zip(self.graph.shas, self.belief.culprit.tolist(), strict=True))

    def credible(self, confidence: float | None = None) -> tuple[Block, ...]:
        """The fewest blocks that together hold the confidence asked for (the search's own), likeliest first."""
        level = self.settings.confidence if confidence is None else confidence
        return credible_blocks(self.graph, self.belief.culprit, self.measurable, level)

    @property
    def confirmation(self) -> Confirmation | None:
        """The culprit's effect from the processes made to confirm it; None without enough of them."""
        block = self.block
        if block.before is None or block.after is None:
            return None
        return confirmation(self.visits, block.before, block.after, self.settings.direction)

    @property
    def explained(self) -> float | None:
        """The culprit's effect as a share of the difference between the ends; well below 1, something else got
        worse too. None before it is confirmed.
        """
        told, script = self.confirmation, self.reckoning.transcript
        good, bad = script.end(GOOD), script.end(BAD)
        if told is None or told.logs is not script.logs or not len(good) or not len(bad):
            return None
        whole = float(np.median(bad) - np.median(good))
        return told.effect / whole if whole > 0.0 else None

    @property
    def spent(self) -> Spent:
        return self.reckoning.spent

    @property
    def part(self) -> str | None:
        """Where the speed changed more than once: the last commit known to be fast again. From it on a part of the
        range ends in BAD that may have a single culprit. None where no such commit is known.
        """
        again, places = self.belief.again(), self.belief.measured
        slow = places[again > KNOWN]
        for place in map(int, places[again < 1.0 - KNOWN][::-1]):
            if self.graph.ancestors(place)[slow].any():
                return self.graph.shas[place]
        return None

    def narrowed(self) -> Search:
        """The search of that part: its good end is `part`, and everything read so far still counts.

        That this end is fast has to show first, whatever the settings say of the range's own ends.

        Raises InvalidValueError where there is no part.
        """
        good = self.part
        if good is None:
            raise InvalidValueError("no commit inside the range is known to be fast again")
        graph = self.graph.beyond(good)
        prior = prior_of(graph, dict(zip(self.graph.shas, self.prior, strict=True)))
        script = Transcript.of(graph, self.settings.direction, self.visits, self.recorded)
        return self.resumed(
            graph,
            self.settings,
            self.seed,
            tuple(prior.tolist()),
            self.recorded,
            self.visits,
            Reproduction().look(script.end(GOOD), script.end(BAD)),
            (*self.earlier, self.graph.good),
        )

    def _phase_of(self, sides: tuple[Side, ...]) -> Phase:
        """The phase, if the visit is what it asks for: other visits are readings like any."""
        phase, commits = self.phase, {side.commit for side in sides}
        place = place_to_check(self) if phase is Phase.CHECK else None
        if place is not None and self.graph.shas[place] not in commits:
            return Phase.SEARCH
        if phase is Phase.CONFIRM and commits != {self.block.before, self.block.after}:
            return Phase.SEARCH
        return phase
