"""What a search has come to, as it is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.search.bisection import Search
from perftrack.core.search.blame import Blame
from perftrack.core.search.visits import Outcome
from tests.core.search.builders import QUICK, World, below, chain


def ended(culprit: str = "c5", **options: object) -> Search:
    graph = chain(10)
    return World(below(graph, culprit), **options).carry_out(Search.begin(graph, QUICK))  # type: ignore[arg-type]


def test_a_culprit_comes_with_its_confirmed_effect() -> None:
    search = ended()
    blame = Blame.of(search, "total", "time", "s")
    assert (blame.outcome, blame.culprit, blame.named) == (Outcome.FOUND, "c5", True)
    assert (blame.before, blame.after) == ("c4", "c5")
    assert blame.interval is not None
    assert blame.interval.contains(blame.effect or 0.0)
    assert blame.measurements == search.spent.measurements
    assert blame.probability >= 0.99


def test_a_block_is_no_culprit() -> None:
    blame = Blame.of(ended(broken=["c4", "c5"]), "total", "time", "s")
    assert blame.commits == ("c4", "c5", "c6")
    assert blame.culprit is None
    assert blame.named


def test_where_the_budget_ended_the_credible_set_is_kept() -> None:
    graph = chain(10)
    search = Search.begin(graph, replace(QUICK, measurements=18))
    blame = Blame.of(World(below(graph, "c5")).carry_out(search), "total", "time", "s")
    assert blame.outcome is Outcome.BUDGET
    assert "c5" in blame.commits
    assert blame.probability >= 0.99
    assert blame.effect is None
    assert not blame.named


def test_what_does_not_reproduce_blames_nobody() -> None:
    graph = chain(10)
    blame = Blame.of(World([], shift=0.0).carry_out(Search.begin(graph, QUICK)), "total", "time", "s")
    assert blame.outcome is Outcome.NOT_REPRODUCED
    assert (blame.commits, blame.posterior, blame.culprit) == ((), (), None)


def test_the_posterior_is_kept_without_what_has_next_to_nothing() -> None:
    blame = Blame.of(ended(), "total", "time", "s")
    assert sum(p for _, p in blame.posterior) == pytest.approx(1.0, abs=1e-2)
    assert len(blame.posterior) < 10


def test_equal_answers_have_one_id_and_others_another() -> None:
    blame = Blame.of(ended(), "total", "time", "s")
    assert blame.id == Blame.of(ended(), "total", "time", "s").id
    assert blame.id != replace(blame, finished_at=5.0).id
