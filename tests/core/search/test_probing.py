from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.search.probing import Choice, capacity, choose, entropy

EVERY = np.ones(9, dtype=bool)
NONE = np.zeros(9, dtype=bool)
RISING = np.linspace(0.1, 0.9, 9)


def chosen(**changes: object) -> Choice | None:
    options: dict = {
        "slow": RISING, "measurable": EVERY, "built": NONE, "gap": 1.5, "build_cost": 0.0, "broken": NONE
    }  # fmt: skip
    return choose(**(options | changes))


def test_a_free_build_means_one_process_where_slow_is_as_likely_as_not() -> None:
    assert chosen() == Choice(4, 1)


def test_a_dear_build_means_more_processes_a_visit() -> None:
    found = chosen(build_cost=30.0)
    assert found is not None
    assert found.processes == 5


def test_a_plain_difference_needs_one_process() -> None:
    found = chosen(build_cost=30.0, gap=8.0)
    assert found is not None
    assert found.processes == 1


def test_a_build_at_hand_is_taken_where_it_tells_nearly_as_much() -> None:
    built = NONE.copy()
    built[3] = True
    found = chosen(build_cost=3.0, built=built)
    assert found is not None
    assert found.place == 3
    assert found.processes < 5


def test_what_cannot_be_measured_is_never_chosen() -> None:
    measurable = EVERY.copy()
    measurable[3:6] = False
    found = chosen(measurable=measurable)
    assert found is not None
    assert found.place in {2, 6}


def test_the_neighbours_of_a_broken_build_are_passed_over() -> None:
    broken, measurable = np.zeros(101, dtype=bool), np.ones(101, dtype=bool)
    broken[50], measurable[50] = True, False
    found = chosen(
        slow=np.linspace(0, 1, 101), measurable=measurable, broken=broken, built=np.zeros(101, dtype=bool)
    )
    assert found is not None
    assert 3 <= abs(found.place - 50) <= 15


def test_nothing_to_learn_gives_no_choice() -> None:
    assert chosen(slow=np.array([0.0] * 4 + [1.0] * 5)) is None


def test_the_batch_keeps_within_its_limits() -> None:
    found = chosen(build_cost=100.0, least=2, most=3)
    assert found is not None
    assert found.processes == 3
    found = chosen(least=2, most=3)
    assert found is not None
    assert found.processes == 2


@given(st.floats(0, 1))
def test_entropy_is_symmetric_and_at_most_one_bit(p: float) -> None:
    one, other = entropy(np.array([p, 1 - p]))
    assert one == pytest.approx(other, abs=1e-9)
    assert 0.0 <= one <= 1.0 + 1e-12


@pytest.mark.parametrize("gap", [0.3, 1.0, 1.5, 2.0, 4.0, 8.0])
def test_capacity_is_the_integral_within_a_hundredth(gap: float) -> None:
    grid = np.linspace(-12, 12, 40_001)
    density = np.exp(-0.5 * (grid - gap / 2) ** 2) / np.sqrt(2 * np.pi)
    exact = 1 - float(np.sum(density * np.log2(1 + np.exp(-gap * grid))) * (grid[1] - grid[0]))
    assert capacity(gap) == pytest.approx(exact, abs=0.01)


def test_four_processes_tell_as_much_as_one_at_twice_the_distance() -> None:
    assert capacity(1.0, 4) == pytest.approx(capacity(2.0, 1))
