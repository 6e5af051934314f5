from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.protocols import RigFacts
from perftrack.ceiling.sustained import Choice, Repeated, choose, gates, repeated, steady_window
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import DataType, Shape
from tests.ceiling.made import SQUARE, burst, reading

TUNING = Tuning()
FACTS = RigFacts("a card", DataType.BFLOAT16, telemetry="nvml", power_separates=True, power_limit_w=700.0)


def shape(number: int) -> Shape:
    return Shape(1024 * number, 1024, 1024)


def result(
    number: int, rate: float, power: float | None = 700.0, clock: float | None = 1600.0, spread: float = 0.0
) -> Repeated:
    return Repeated(shape(number), (rate * (1 - spread / 2), rate, rate * (1 + spread / 2)), clock, power)


def chosen(*results: Repeated, facts: RigFacts = FACTS) -> Choice:
    return choose(results, gates(results, TUNING, facts))


def test_repeats_are_read_in_order_with_their_medians() -> None:
    found = repeated(
        [
            reading(SQUARE, r, clock=c, power=p)
            for r, c, p in ((3e14, 1500, 690), (1e14, 1600, 700), (2e14, 1700, 710))
        ]
    )
    assert found.rates == (3e14, 1e14, 2e14)
    assert (found.value, found.clock_mhz, found.power_w) == (2e14, 1600, 700)
    assert found.spread == pytest.approx(1.0)


@given(st.lists(st.floats(1e13, 1e15), min_size=5, max_size=15))
def test_trimming_both_ends_leaves_the_value_in_place(rates: list[float]) -> None:
    whole = Repeated(SQUARE, tuple(rates)).value
    assert Repeated(SQUARE, tuple(sorted(rates)[1:-1])).value == whole


def test_the_fastest_saturated_shape_wins() -> None:
    assert chosen(result(1, 7.0e14), result(2, 7.5e14), result(3, 7.2e14)).ordered[0].shape == shape(2)


def test_a_faster_shape_that_draws_too_little_is_excluded_with_the_reason() -> None:
    choice = chosen(result(1, 7e14), result(2, 9e14, power=600.0))
    assert choice.ordered[0].shape == shape(1)
    assert choice.excluded == ((shape(2), "draws too little power to be saturated"),)
    assert not choice.fallback


def test_a_shape_that_draws_less_at_a_high_clock_still_boosts() -> None:
    choice = chosen(result(1, 7e14), result(2, 8e14, power=670.0, clock=1700.0))
    assert choice.ordered[0].shape == shape(1)
    assert "1600 MHz" in choice.excluded[0][1]


def test_a_high_clock_at_full_power_is_sustainable() -> None:
    assert chosen(result(1, 7e14), result(2, 8e14, power=690.0, clock=1950.0)).ordered[0].shape == shape(2)


def test_a_shape_that_draws_less_at_the_saturated_clock_is_kept() -> None:
    assert chosen(result(1, 7e14), result(2, 8e14, power=670.0, clock=1610.0)).ordered[0].shape == shape(2)


def test_a_shape_that_does_not_repeat_is_excluded() -> None:
    choice = chosen(result(1, 7e14), result(2, 8e14, spread=0.05))
    assert choice.ordered[0].shape == shape(1)
    assert choice.excluded == ((shape(2), "repeats spread by 5.0 %"),)


def test_where_power_tells_nothing_only_jitter_excludes() -> None:
    facts = replace(FACTS, power_separates=False)
    assert chosen(result(1, 7e14), result(2, 9e14, power=100.0), facts=facts).ordered[0].shape == shape(2)
    assert chosen(result(1, 7e14), result(2, 9e14, spread=0.1), facts=facts).ordered[0].shape == shape(1)


def test_full_power_is_not_above_the_cards_limit() -> None:
    noisy = [result(1, 7e14, power=720.0)]
    assert gates(noisy, TUNING, FACTS).full_power_w == 700.0
    assert gates(noisy, TUNING, replace(FACTS, power_limit_w=None)).full_power_w == 720.0


def test_the_saturated_clock_is_the_lowest_at_full_power() -> None:
    found = gates(
        [result(1, 7e14, clock=1650.0), result(2, 7e14, clock=1600.0), result(3, 7e14, power=600, clock=1500.0)],
        TUNING,
        FACTS,
    )
    assert found.saturated_clock_mhz == 1600.0


def test_the_soak_shows_what_saturation_is_where_no_shape_does() -> None:
    small = [result(1, 7e14, power=500.0, clock=1980.0)]
    soaked = result(9, 6e14, power=700.0, clock=1600.0)
    found = gates(small, TUNING, FACTS, soaked)
    assert (found.full_power_w, found.saturated_clock_mhz) == (700.0, 1600.0)
    assert found.suspect(small[0])
    assert choose(small, found).fallback


def test_without_a_readable_clock_there_is_no_anchor() -> None:
    found = gates([result(1, 7e14, clock=None)], TUNING, FACTS)
    assert found.full_power_w == 700.0
    assert found.saturated_clock_mhz is None
    assert found.flaw(result(1, 7e14, clock=1980.0)) is None


def test_where_none_passes_the_best_of_the_steady_ones_is_a_fallback() -> None:
    choice = chosen(result(1, 7e14, spread=0.1), result(2, 8e14, power=670.0, clock=1900.0))
    assert choice.fallback
    assert choice.ordered[0].shape == shape(2)


def test_a_shape_that_draws_too_little_is_no_fallback_while_there_is_another() -> None:
    choice = chosen(result(1, 7e14, spread=0.1), result(2, 9e14, power=300.0))
    assert choice.fallback
    assert [r.shape for r in choice.ordered] == [shape(1)]


def test_where_all_jitter_the_fastest_is_a_fallback() -> None:
    choice = chosen(result(1, 7e14, spread=0.1), result(2, 8e14, spread=0.2))
    assert choice.fallback
    assert choice.ordered[0].shape == shape(2)


def test_nothing_confirmed_gives_no_choice() -> None:
    assert chosen() == Choice((), (), fallback=False)


@given(
    st.lists(
        st.tuples(st.floats(1e14, 9e14), st.floats(500, 710), st.floats(1400, 1980), st.floats(0, 0.1)),
        min_size=1,
        max_size=8,
    )
)
def test_a_choice_is_best_first_and_what_is_faster_was_excluded_for_a_reason(
    rows: list[tuple[float, float, float, float]],
) -> None:
    choice = chosen(*(result(i, *row) for i, row in enumerate(rows, 1)))
    values = [r.value for r in choice.ordered]
    assert values == sorted(values, reverse=True)
    assert values
    assert all(why for _, why in choice.excluded)


def test_a_window_is_steady_while_its_second_half_keeps_up() -> None:
    level = steady_window(burst([7e14] * 10, lasting=2.5))
    assert level.steady(TUNING)
    assert level.rate == pytest.approx(7e14)
    assert level.drop == pytest.approx(0.0)


@pytest.mark.parametrize(("second", "steady"), [(6.95e14, True), (6.9e14, False), (8e14, True)])
def test_a_second_half_more_than_one_percent_slower_is_not_steady(second: float, steady: bool) -> None:
    window = steady_window(burst([7e14] * 5 + [second] * 5, lasting=2.5))
    assert window.steady(TUNING) == steady
    assert window.drop == pytest.approx(1 - second / 7e14)


def test_a_window_shorter_than_two_seconds_is_not_steady() -> None:
    assert not steady_window(burst([7e14] * 10, lasting=1.9)).steady(TUNING)


def test_a_window_of_one_iteration_is_its_own_half() -> None:
    assert steady_window(burst([7e14], lasting=3.0)).drop == 0.0
