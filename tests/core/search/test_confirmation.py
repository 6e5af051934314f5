from __future__ import annotations

import math

import pytest

from perftrack.core.model import Direction
from perftrack.core.search.confirmation import confirmation
from perftrack.core.search.visits import Phase, Side, Visit

FAST, SLOW = (1.0, 1.01, 0.99, 1.02, 0.98), (2.0, 2.02, 1.98, 2.04, 1.96)


def visit(phase: Phase = Phase.CONFIRM, fast: tuple[float, ...] = FAST, slow: tuple[float, ...] = SLOW) -> Visit:
    return Visit(phase, (Side("after", slow), Side("before", fast)))


def test_the_effect_is_the_log_of_the_ratio_with_its_interval() -> None:
    found = confirmation([visit()], "before", "after", Direction.LOWER)
    assert found is not None
    assert found.effect == pytest.approx(math.log(2.0))
    assert found.interval.lo < math.log(2.0) < found.interval.hi
    assert found.p_value == pytest.approx(2 / 252)


def test_worse_is_positive_where_higher_is_better() -> None:
    found = confirmation([visit(fast=SLOW, slow=FAST)], "before", "after", Direction.HIGHER)
    assert found is not None
    assert found.effect == pytest.approx(math.log(2.0))


def test_values_that_are_not_positive_are_subtracted() -> None:
    found = confirmation([visit(fast=(0.0,) * 5, slow=(3.0,) * 5)], "before", "after", Direction.LOWER)
    assert found is not None
    assert (found.effect, found.logs) == (3.0, False)


def test_other_visits_and_other_pairs_do_not_count() -> None:
    others = [visit(Phase.SEARCH), Visit(Phase.CONFIRM, (Side("after", SLOW), Side("elsewhere", FAST)))]
    assert confirmation(others, "before", "after", Direction.LOWER) is None


def test_visits_of_the_pair_add_up() -> None:
    halves = [visit(fast=FAST[:2], slow=SLOW[:2]), visit(fast=FAST[2:], slow=SLOW[2:])]
    whole = confirmation([visit()], "before", "after", Direction.LOWER)
    assert confirmation(halves, "before", "after", Direction.LOWER) == whole


def test_three_a_side_are_too_few() -> None:
    assert confirmation([visit(fast=FAST[:3])], "before", "after", Direction.LOWER) is None
