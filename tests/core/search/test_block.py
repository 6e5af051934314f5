from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.search.block import credible_blocks, leading_block
from tests.core.search.builders import chain, graph

EVERY = np.ones(6, dtype=bool)


def without(*places: int) -> np.ndarray:
    mask = EVERY.copy()
    mask[list(places)] = False
    return mask


def test_the_likeliest_commit_leads_and_is_compared_with_its_parent() -> None:
    block = leading_block(chain(6), np.array([0, 0.1, 0.7, 0.1, 0.1, 0]), EVERY)
    assert (block.commits, block.before, block.after) == (("c2",), "c1", "c2")
    assert block.probability == pytest.approx(0.7)
    assert not block.merge


def test_a_broken_run_adds_up_and_is_compared_across() -> None:
    block = leading_block(chain(6), np.array([0, 0.3, 0.2, 0.25, 0.25, 0]), without(2, 3))
    assert (block.commits, block.before, block.after) == (("c2", "c3", "c4"), "c1", "c4")
    assert block.probability == pytest.approx(0.7)


def test_the_first_commit_is_compared_with_good() -> None:
    block = leading_block(chain(6), np.array([1.0, 0, 0, 0, 0, 0]), EVERY)
    assert block.before == "good"


def test_before_is_looked_for_beyond_what_cannot_be_measured() -> None:
    within = graph({"a": "good", "x": "a", "y": "x", "s": "good", "m": "y s", "bad": "m"})
    measurable = np.array([sha not in {"x"} for sha in within.shas])
    block = leading_block(within, np.array([sha == "y" for sha in within.shas]) * 1.0, measurable)
    assert set(block.commits) == {"x", "y"}
    assert block.before == "a"


def test_a_merge_says_so() -> None:
    within = graph({"a": "good", "s": "good", "m": "a s", "bad": "m"})
    block = leading_block(within, np.array([sha == "m" for sha in within.shas]) * 1.0, np.ones(4, dtype=bool))
    assert block.commits == ("m",)
    assert block.merge
    assert block.before == "a"


def test_a_broken_fork_is_compared_at_a_commit_that_has_it() -> None:
    within = graph({"f": "good", "x": "f", "y": "f", "bad": "x y"})
    measurable = np.array([sha != "f" for sha in within.shas])
    block = leading_block(within, np.array([sha == "f" for sha in within.shas]) * 1.0, measurable)
    assert (block.commits, block.before) == (("f",), "good")
    assert block.after in {"x", "y"}


def test_a_base_is_compared_with_good() -> None:
    within = graph({"good": "fork", "fork": "root", "bad": "fork"}, base="fork")
    block = leading_block(within, np.array([1.0, 0.0]), np.ones(2, dtype=bool))
    assert (block.commits, block.before, block.after) == (("fork",), "good", "fork")


def test_a_first_commit_of_all_has_nothing_before_it() -> None:
    within = graph({"root": "", "good": "old", "bad": "root good"})
    block = leading_block(within, np.array([1.0, 0.0]), np.ones(2, dtype=bool))
    assert block.commits == ("root",)
    assert block.before is None


def test_credible_blocks_are_the_fewest_that_hold_enough() -> None:
    blocks = credible_blocks(chain(6), np.array([0.05, 0.5, 0.3, 0.1, 0.05, 0]), EVERY, 0.85)
    assert [b.commits for b in blocks] == [("c1",), ("c2",), ("c3",)]
    assert [b.commits for b in credible_blocks(chain(6), np.full(6, 1 / 6), EVERY, 1.0)] == [
        (f"c{n}",) for n in range(6)
    ]
