from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core.model import Direction
from perftrack.core.search.bisection import Search
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.visits import Failure, FailureKind, Outcome, Phase, Recorded
from perftrack.errors import InvalidValueError
from tests.commit_graphs import SHAPES
from tests.core.search.builders import QUICK, UNIT, World, below, chain, found, graph

LINE = chain(64)


def begun(world: World, search: Search) -> Search:
    """The search once it is past reproducing."""
    return world.until(search, lambda s: s.phase is not Phase.REPRODUCE)


class TestReproducing:
    def test_both_ends_take_turns_eight_times_first(self) -> None:
        probe = Search.begin(LINE, QUICK).next_probe()
        assert probe is not None
        assert (probe.phase, probe.commit, probe.beside) == (Phase.REPRODUCE, "c63", "good")
        assert (probe.processes, probe.beside_processes) == (8, 8)
        assert sorted(probe.order) == ["c63"] * 8 + ["good"] * 8
        assert probe.order != tuple(sorted(probe.order))

    def test_then_one_pair_a_look(self) -> None:
        world = World((), shift=0.0)
        search = world.answer(Search.begin(LINE, QUICK), Search.begin(LINE, QUICK).next_probe())  # type: ignore[arg-type]
        probe = search.next_probe()
        assert probe is not None
        assert (probe.processes, probe.beside_processes) == (1, 1)

    def test_no_difference_is_an_answer_and_names_nobody(self) -> None:
        search = World((), shift=0.0).carry_out(Search.begin(LINE, QUICK))
        assert search.outcome is Outcome.NOT_REPRODUCED
        assert search.spent.measurements == 120
        assert {side.commit for visit in search.visits for side in visit.sides} == {"good", "c63"}

    def test_a_faster_bad_end_is_told_at_once(self) -> None:
        search = World(["good"]).carry_out(Search.begin(LINE, QUICK))
        assert search.outcome is Outcome.NOT_REPRODUCED
        assert search.spent.measurements < 30
        assert search.reproduction.p_value > 0.99

    def test_an_end_that_does_not_build_ends_the_search(self) -> None:
        search = Search.begin(LINE, QUICK).observe("good", Failure(FailureKind.BUILD))
        assert search.outcome is Outcome.END_FAILED
        assert search.next_probe() is None

    def test_an_end_that_crashes_is_tried_again_and_no_more_than_thrice(self) -> None:
        search = Search.begin(LINE, QUICK)
        for _ in range(2):
            search = search.observe("c63", Failure(FailureKind.CRASH))
            assert search.outcome is Outcome.RUNNING
        assert search.observe("c63", Failure(FailureKind.TIMEOUT)).outcome is Outcome.END_FAILED

    def test_nobody_is_named_before_the_difference_is_established(self) -> None:
        near = chain(1)
        world = World(["c0"], shift=50.0)
        search = begun(world, Search.begin(near, replace(QUICK, confirm=0)))
        assert search.block.probability == 1.0
        assert not search.reproduction.established
        assert search.phase is Phase.ENDS
        assert search.outcome is Outcome.RUNNING
        search = world.carry_out(search)
        assert search.reproduction.established
        assert found(search) == ("c0",)


class TestSearching:
    def test_the_first_probe_halves_the_range(self) -> None:
        search = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK))
        probe = search.next_probe()
        assert probe is not None
        assert probe.commit == "c31"
        assert probe.slow == pytest.approx(0.5)

    @given(st.integers(0, 63), st.integers(0, 999))
    @settings(max_examples=25, deadline=None)
    def test_finds_the_culprit_of_a_line(self, place: int, seed: int) -> None:
        culprit = LINE.shas[place]
        search = World(below(LINE, culprit), shift=6.0, seed=seed).carry_out(Search.begin(LINE, QUICK, seed=seed))
        assert found(search) == (culprit,)

    @pytest.mark.parametrize("shape", SHAPES)
    def test_finds_the_culprit_of_a_graph(self, shape: str) -> None:
        right = 0
        for seed in range(8):
            rng = np.random.default_rng(seed)
            within = SHAPES[shape](rng, 200)
            culprit = within.shas[int(rng.integers(len(within)))]
            world = World(below(within, culprit), shift=4.0, seed=seed)
            right += world.carry_out(Search.begin(within, QUICK, seed=seed)).block.commits == (culprit,)
        assert right == 8

    def test_a_merge_of_two_fast_branches_is_the_culprit(self) -> None:
        edges = {"a1": "good", "a2": "a1", "b1": "good", "b2": "b1", "m": "a2 b2", "n": "m", "bad": "n"}
        search = World(["m", "n", "bad"]).carry_out(Search.begin(graph(edges), QUICK))
        assert found(search) == ("m",)
        assert search.block.merge

    def test_finds_what_got_worse_where_higher_is_better(self) -> None:
        options = replace(QUICK, direction=Direction.HIGHER)
        world = World(below(LINE, "c40"), shift=5.0, higher_is_better=True)
        search = world.carry_out(Search.begin(LINE, options))
        assert found(search) == ("c40",)
        assert search.confirmation is not None
        assert search.confirmation.effect == pytest.approx(0.05, abs=0.03)

    def test_finds_the_culprit_by_values_that_never_vary(self) -> None:
        slow = set(below(LINE, "c17"))
        search = Search.begin(LINE, QUICK)
        while (probe := search.next_probe()) is not None:
            values = {sha: 41.0 if sha in slow else 40.0 for sha in probe.order}
            beside = (
                None if probe.beside is None else (probe.beside, [values[probe.beside]] * probe.beside_processes)
            )
            search = search.observe(probe.commit, [values[probe.commit]] * probe.processes, beside=beside)
        assert found(search) == ("c17",)

    def test_levels_that_are_zero_and_below_are_judged_as_they_are(self) -> None:
        slow = set(below(LINE, "c17"))
        rng = np.random.default_rng(0)
        search = Search.begin(LINE, QUICK)
        while (probe := search.next_probe()) is not None:
            read = {sha: [] for sha in probe.order}
            for sha in probe.order:
                read[sha].append(float(rng.normal()) + 5.0 * (sha in slow))
            beside = None if probe.beside is None else (probe.beside, read[probe.beside])
            search = search.observe(probe.commit, read[probe.commit], beside=beside)
        assert found(search) == ("c17",)
        assert search.confirmation is not None
        assert not search.confirmation.logs

    def test_a_fifth_of_the_processes_goes_to_the_ends(self) -> None:
        world = World(below(LINE, "c20"), shift=1.5)
        search = world.until(
            Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CHECK or s.phase is Phase.CONFIRM
        )
        visits = [v for v in search.visits if v.phase is Phase.SEARCH]
        at_ends = sum(len(s.values) for v in visits for s in v.sides if s.commit in {"good", "c63"})
        assert at_ends == math.floor((sum(v.processes for v in visits) - at_ends) * 0.25)

    def test_both_ends_are_visited_as_often(self) -> None:
        world = World(below(LINE, "c20"), shift=1.5)
        search = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CHECK)
        assert abs(search.reproduction.good - search.reproduction.bad) <= 1

    def test_an_end_is_never_visited_more_often_than_the_probe_beside_it(self) -> None:
        search = begun(World(below(LINE, "c20"), shift=1.0), Search.begin(LINE, QUICK))
        search = search.observe("c31", World((), seed=9).values("c31", 40))
        probe = search.next_probe()
        assert probe is not None
        assert 0 < probe.beside_processes <= probe.processes

    def test_an_end_that_crashes_on_the_way_is_still_one(self) -> None:
        world = World(["c63"], shift=5.0)
        search = begun(world, Search.begin(LINE, QUICK))
        for _ in range(2):
            search = search.observe("c31", world.values("c31", 1), beside=("c63", Failure(FailureKind.CRASH)))
        assert search.measurable[63]
        assert found(world.carry_out(search)) == ("c63",)

    def test_a_value_of_zero_late_in_the_search_changes_the_scale_of_all(self) -> None:
        recorded = (Recorded("c5", (2.0, 2.01)),)
        search = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK, recorded=recorded))
        search = search.observe("c31", [2.0]).observe("c40", [0.0])
        again = Search.resumed(LINE, QUICK, 0, search.prior, recorded, search.visits, search.reproduction)
        assert again.belief.culprit.tolist() == search.belief.culprit.tolist()

    def test_a_drift_of_the_machine_misleads_nobody(self) -> None:
        right = 0
        for seed in range(6):
            world = World(below(LINE, "c20"), shift=2.5, seed=seed, drift=lambda taken: 5.0 * (taken > 40))
            right += world.carry_out(Search.begin(LINE, QUICK, seed=seed)).block.commits == ("c20",)
        assert right >= 5

    def test_skipped_commits_are_never_measured_and_keep_their_probability(self) -> None:
        options = replace(QUICK, skip=("c19", "c20", "c21"))
        search = World(below(LINE, "c20"), shift=5.0).carry_out(Search.begin(LINE, options))
        assert found(search) == ("c19", "c20", "c21", "c22")
        assert search.block.probability >= 0.99
        assert not {"c19", "c20", "c21"} & search.spent.commits

    def test_broken_builds_keep_their_probability(self) -> None:
        broken = [f"c{n}" for n in range(28, 34)]
        search = World(below(LINE, "c30"), shift=5.0, broken=broken).carry_out(Search.begin(LINE, QUICK))
        assert found(search) == (*broken, "c34")

    def test_a_crash_is_tried_once_more(self) -> None:
        search = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK))
        once = search.observe("c31", Failure(FailureKind.CRASH))
        assert once.measurable[31]
        assert not once.observe("c31", Failure(FailureKind.TIMEOUT)).measurable[31]
        assert once.belief.culprit == pytest.approx(search.belief.culprit)

    @pytest.mark.parametrize("values", [[math.nan], [math.inf, -math.inf], []])
    def test_values_that_are_none_are_a_failure(self, values: list[float]) -> None:
        search = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK)).observe("c31", values)
        assert search.visits[-1].sides[0].failure is not None
        assert search.spent.measurements == search.reproduction.good + search.reproduction.bad

    def test_a_value_that_is_none_among_others_is_left_out(self) -> None:
        search = Search.begin(LINE, QUICK).observe("c31", [1.0, math.nan, 2.0])
        assert search.visits[-1].sides[0].values == (1.0, 2.0)

    def test_nothing_that_can_be_measured_leaves_one_block(self) -> None:
        options = replace(QUICK, skip=tuple(LINE.shas[:-1]), confirm=0)
        search = World(["c63"], shift=5.0).carry_out(Search.begin(LINE, options))
        assert found(search) == LINE.shas

    def test_a_commit_without_a_place_is_refused(self) -> None:
        with pytest.raises(InvalidValueError, match="no place") as caught:
            Search.begin(LINE, QUICK).observe("elsewhere", [1.0])
        assert "good" in str(caught.value.hint)

    def test_a_visit_that_nobody_asked_for_counts(self) -> None:
        search = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK))
        more = search.observe("c50", World(["c50"]).values("c50", 4))
        assert more.belief.culprit[51:].sum() < 0.01


class TestPrior:
    def test_history_moves_the_first_probe(self) -> None:
        prior = {f"c{n}": 1.0 for n in range(8, 12)}
        search = begun(World(below(LINE, "c9")), Search.begin(LINE, QUICK, prior=prior))
        probe = search.next_probe()
        assert probe is not None
        assert probe.commit in {"c9", "c10"}

    def test_history_that_is_wrong_does_not_hide_the_culprit(self) -> None:
        prior = {f"c{n}": 1.0 for n in range(8, 12)}
        search = World(below(LINE, "c50"), shift=5.0).carry_out(Search.begin(LINE, QUICK, prior=prior))
        assert found(search) == ("c50",)

    @pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
    def test_weights_that_are_none_are_refused(self, weight: float) -> None:
        with pytest.raises(InvalidValueError, match="weights"):
            Search.begin(LINE, QUICK, prior={"c3": weight})

    def test_a_prior_without_weight_is_an_even_one(self) -> None:
        assert Search.begin(LINE, QUICK, prior={"unknown": 3.0}).prior == Search.begin(LINE, QUICK).prior

    def test_recorded_runs_save_measurements(self) -> None:
        slow = below(LINE, "c20")

        def spent(seed: int, *recorded: Recorded) -> int:
            world = World(slow, shift=2.0, seed=seed)
            return world.carry_out(Search.begin(LINE, QUICK, recorded=recorded)).spent.measurements

        def run(commit: str, seed: int) -> Recorded:
            return Recorded(commit, tuple(World(slow, shift=2.0, seed=99 + seed).values(commit, 4)), 0.002)

        without = sum(spent(seed) for seed in range(6))
        assert sum(spent(seed, run("c16", seed), run("c24", seed)) for seed in range(6)) < without - 6 * 4

    def test_levels_known_from_history_need_no_reproducing(self) -> None:
        world = World(below(LINE, "c20"), shift=3.0)
        runs = [Recorded(end, (value,)) for end in ("good", "c63") for value in world.values(end, 60)]
        options = replace(QUICK, reproduce=False, end_share=0.0, checks=0, confirm=0)
        search = world.carry_out(Search.begin(LINE, options, recorded=runs))
        assert found(search) == ("c20",)
        assert search.spent.measurements < 25
        assert not {"good", "c63"} & search.spent.commits

    def test_a_share_of_a_difference_that_was_never_measured_is_not_told(self) -> None:
        world = World(LINE.shas, shift=3.0)
        runs = [Recorded(end, (value,)) for end in ("good", "c63") for value in world.values(end, 60)]
        options = replace(QUICK, reproduce=False, end_share=0.0, checks=0)
        search = world.carry_out(Search.begin(LINE, options, recorded=runs))
        assert found(search) == ("c0",)
        assert search.confirmation is not None
        assert search.explained is None

    @pytest.mark.parametrize("recorded", [(), (Recorded("good", (1.0,)),)])
    def test_levels_that_nobody_recorded_must_be_reproduced(self, recorded: tuple[Recorded, ...]) -> None:
        with pytest.raises(InvalidValueError, match="both ends"):
            Search.begin(LINE, replace(QUICK, reproduce=False), recorded=recorded)

    def test_recorded_runs_of_the_ends_tell_nothing_about_whether_it_reproduces(self) -> None:
        runs = [Recorded("good", (1.0, 1.01)), Recorded("c63", (5.0, 5.01))] * 20
        assert Search.begin(LINE, QUICK, recorded=runs).phase is Phase.REPRODUCE

    @pytest.mark.parametrize(
        ("values", "apart"), [((), 0.0), ((math.nan,), 0.0), ((1.0,), -0.1), ((1.0,), math.inf)]
    )
    def test_recorded_runs_without_values_are_refused(self, values: tuple[float, ...], apart: float) -> None:
        with pytest.raises(InvalidValueError, match="finite values"):
            Recorded("c3", values, apart)


class TestNonMonotone:
    SLOW = frozenset(f"c{n}" for n in (*range(10, 45), *range(55, 64)))

    def test_slow_fast_and_slow_again_is_said(self) -> None:
        search = World(self.SLOW, shift=4.0).carry_out(Search.begin(LINE, QUICK))
        assert search.outcome is Outcome.NON_MONOTONE

    def test_it_is_said_once_the_odds_are_a_thousand_to_one(self) -> None:
        world, search = World(self.SLOW, shift=2.0, seed=1), Search.begin(LINE, QUICK)
        seen = []
        while (probe := search.next_probe()) is not None:
            search = world.answer(search, probe)
            seen.append(search.belief.free_log_odds)
            assert (search.outcome is Outcome.NON_MONOTONE) == (seen[-1] > math.log(1000.0))
        assert search.outcome is Outcome.NON_MONOTONE
        assert max(seen[:-1]) > 0.0

    def test_the_part_that_ends_in_bad_is_searched_with_what_is_known(self) -> None:
        world = World(self.SLOW, shift=4.0)
        search = world.carry_out(Search.begin(LINE, QUICK))
        assert search.part in {f"c{n}" for n in range(45, 55)}
        part = search.narrowed()
        assert part.earlier == ("good",)
        assert part.spent.measurements == search.spent.measurements
        assert part.phase is Phase.REPRODUCE
        done = world.carry_out(part)
        assert found(done) == ("c55",)

    def test_its_good_end_has_to_show_that_it_is_fast_where_the_levels_of_the_range_were_known(self) -> None:
        world = World(self.SLOW, shift=4.0)
        runs = [Recorded(end, (value,)) for end in ("good", "c63") for value in world.values(end, 60)]
        known = replace(QUICK, reproduce=False, end_share=0.0)
        search = world.carry_out(Search.begin(LINE, known, recorded=runs))
        assert search.narrowed().phase is Phase.REPRODUCE

    def test_there_is_no_part_where_nothing_is_known_to_be_fast_again(self) -> None:
        search = Search.begin(LINE, QUICK)
        assert search.part is None
        with pytest.raises(InvalidValueError, match="fast again"):
            search.narrowed()

    def test_a_culprit_that_stays_is_checked_and_not_suspected(self) -> None:
        search = World(below(LINE, "c10"), shift=4.0).carry_out(Search.begin(LINE, QUICK))
        checks = [v.sides[0].commit for v in search.visits if v.phase is Phase.CHECK]
        assert len(set(checks)) == 2
        assert found(search) == ("c10",)


class TestBase:
    EDGES = {"fork": "root", "good": "fork", "x": "fork", "y": "x", "bad": "y"}  # noqa: RUF012

    def test_a_change_on_the_side_of_good_is_told_from_one_in_the_range(self) -> None:
        within = graph(self.EDGES, base="fork")
        search = World(["fork", "x", "y", "bad"], shift=5.0).carry_out(Search.begin(within, QUICK))
        assert search.outcome is Outcome.BASE
        assert search.block.commits == ("fork",)

    def test_a_fast_base_leaves_the_range(self) -> None:
        within = graph(self.EDGES, base="fork")
        assert found(World(["y", "bad"], shift=5.0).carry_out(Search.begin(within, QUICK))) == ("y",)


class TestConfirming:
    def test_five_fresh_processes_of_culprit_and_parent_make_the_effect(self) -> None:
        search = World(below(LINE, "c20"), shift=5.0).carry_out(Search.begin(LINE, QUICK))
        told, last = search.confirmation, search.visits[-1]
        assert last.phase is Phase.CONFIRM
        assert told is not None
        assert (told.before, told.after) == ("c19", "c20")
        assert told.after_values == last.side("c20").values  # type: ignore[union-attr]
        assert len(told.before_values) == len(told.after_values) == 5
        assert told.interval.contains(0.05)

    def test_a_culprit_explains_the_whole_difference(self) -> None:
        search = World(below(LINE, "c20"), shift=20.0).carry_out(Search.begin(LINE, QUICK))
        assert search.explained == pytest.approx(1.0, abs=0.15)

    def test_one_culprit_of_two_explains_a_part_of_the_difference(self) -> None:
        class Twice(World):
            def values(self, commit: str, count: int) -> list[float]:
                once_more = math.exp(UNIT * 8.0 * (LINE.places.get(commit, -1) >= 40))
                return [v * once_more for v in super().values(commit, count)]

        search = Twice(below(LINE, "c20"), shift=24.0).carry_out(Search.begin(LINE, QUICK))
        assert found(search) == ("c20",)
        assert search.explained == pytest.approx(0.75, abs=0.12)

    def test_readings_of_the_search_are_no_part_of_the_effect(self) -> None:
        world = World(below(LINE, "c20"), shift=5.0)
        search = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CONFIRM)
        assert search.confirmation is None
        search = search.observe("c20", [4.0] * 5, beside=("c19", [2.0] * 5))
        assert search.confirmation is not None
        assert search.confirmation.effect == pytest.approx(math.log(2.0))

    def test_a_culprit_that_is_not_confirmed_is_searched_for_again(self) -> None:
        world = World(below(LINE, "c20"), shift=3.0)
        search = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CONFIRM)
        search = search.observe("c20", world.values("c19", 5), beside=("c19", world.values("c19", 5)))
        assert search.outcome is Outcome.RUNNING
        assert search.phase is Phase.SEARCH

    def test_a_part_of_it_is_not_enough(self) -> None:
        world = World(below(LINE, "c20"), shift=5.0)
        search = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CONFIRM)
        search = search.observe("c20", world.values("c20", 2), beside=("c19", world.values("c19", 5)))
        assert search.outcome is Outcome.RUNNING
        assert found(world.carry_out(search)) == ("c20",)

    def test_what_cannot_be_confirmed_is_named_all_the_same(self) -> None:
        world = World(below(LINE, "c20"), shift=5.0)
        search = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CONFIRM)
        for _ in range(2):
            beside = ("c19", Failure(FailureKind.TIMEOUT))
            search = world.until(search, lambda s: s.outcome is Outcome.FOUND or s.phase is Phase.CONFIRM)
            if search.outcome is Outcome.RUNNING:
                search = search.observe("c20", world.values("c20", 1), beside=beside)
        assert world.carry_out(search).outcome is Outcome.FOUND


class TestBudget:
    @pytest.mark.parametrize("budget", [1, 5, 16, 23, 31, 40])
    def test_no_more_is_measured_than_the_budget_allows(self, budget: int) -> None:
        search = World(below(LINE, "c20"), shift=2.0).carry_out(
            Search.begin(LINE, replace(QUICK, measurements=budget))
        )
        assert search.outcome is Outcome.BUDGET
        assert search.spent.measurements == budget

    def test_a_spent_budget_leaves_the_credible_set(self) -> None:
        search = World(below(LINE, "c20"), shift=3.0).carry_out(
            Search.begin(LINE, replace(QUICK, measurements=25))
        )
        credible = search.credible()
        assert sum(b.probability for b in credible) >= 0.99
        assert "c20" in {sha for b in credible for sha in b.commits}
        assert len(search.credible(0.5)) < len(credible) < 64

    def test_a_culprit_found_as_the_budget_ends_is_named(self) -> None:
        world = World(below(LINE, "c20"), shift=5.0)
        free = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CONFIRM)
        options = replace(QUICK, measurements=free.spent.measurements)
        search = World(below(LINE, "c20"), shift=5.0).carry_out(Search.begin(LINE, options))
        assert found(search) == ("c20",)
        assert search.confirmation is None

    def test_a_budget_too_small_to_confirm_is_not_spent_on_half_of_it(self) -> None:
        world = World(below(LINE, "c20"), shift=5.0)
        free = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.CONFIRM)
        options = replace(QUICK, measurements=free.spent.measurements + 9)
        search = World(below(LINE, "c20"), shift=5.0).carry_out(Search.begin(LINE, options))
        assert found(search) == ("c20",)
        assert search.spent.measurements == free.spent.measurements

    def test_time_ends_a_search_too(self) -> None:
        search = Search.begin(LINE, replace(QUICK, seconds=60.0))
        world = World(below(LINE, "c20"), shift=1.0)
        while (probe := search.next_probe()) is not None:
            beside = None
            if probe.beside is not None:
                beside = (probe.beside, world.values(probe.beside, probe.beside_processes))
            values = world.values(probe.commit, probe.processes)
            search = search.observe(probe.commit, values, beside=beside, seconds=1.0 * len(probe.order))
        assert search.outcome is Outcome.BUDGET
        assert 59.0 <= search.spent.seconds <= 60.0

    def test_a_time_that_allows_next_to_nothing_is_not_spent_many_times_over(self) -> None:
        search, world = Search.begin(LINE, replace(QUICK, seconds=3.5)), World(below(LINE, "c20"))
        while (probe := search.next_probe()) is not None:
            beside = None
            if probe.beside is not None:
                beside = (probe.beside, world.values(probe.beside, probe.beside_processes))
            values = world.values(probe.commit, probe.processes)
            search = search.observe(probe.commit, values, beside=beside, seconds=1.0 * len(probe.order))
        assert search.outcome is Outcome.BUDGET
        assert search.spent.seconds <= 3.5

    def test_dear_builds_that_were_timed_make_larger_batches(self) -> None:
        def processes(build_seconds: float) -> int:
            search, world = Search.begin(LINE), World(below(LINE, "c20"), shift=1.2, seed=2)
            while search.phase is Phase.REPRODUCE:
                probe = search.next_probe()
                assert probe is not None
                assert probe.beside is not None
                search = search.observe(
                    probe.commit,
                    world.values(probe.commit, probe.processes),
                    beside=(probe.beside, world.values(probe.beside, probe.beside_processes)),
                    seconds=len(probe.order) + build_seconds,
                    build_seconds=build_seconds,
                )
            probe = search.next_probe()
            assert probe is not None
            return probe.processes

        assert processes(0.0) == 1
        assert processes(60.0) == 5


class TestDeterminism:
    def test_the_same_readings_give_the_same_probes(self) -> None:
        def log(seed: int) -> list[object]:
            world, search, probes = World(below(LINE, "c20"), shift=2.0), Search.begin(LINE, QUICK, seed=seed), []
            while (probe := search.next_probe()) is not None:
                probes.append(probe)
                search = world.answer(search, probe)
            return probes

        assert log(1) == log(1)
        assert log(1) != log(2)

    def test_asking_twice_gives_the_same_probe(self) -> None:
        search = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK))
        assert search.next_probe() == search.next_probe()

    def test_a_state_does_not_change_when_it_observes(self) -> None:
        search = Search.begin(LINE, QUICK)
        search.observe("c31", [1.0])
        assert search == Search.begin(LINE, QUICK)

    def test_the_posterior_names_every_commit(self) -> None:
        posterior = begun(World(below(LINE, "c20")), Search.begin(LINE, QUICK)).posterior()
        assert list(posterior) == list(LINE.shas)
        assert sum(posterior.values()) == pytest.approx(1.0)

    def test_a_negative_seed_is_refused(self) -> None:
        with pytest.raises(InvalidValueError, match="seed"):
            Search.begin(LINE, QUICK, seed=-1)

    @pytest.mark.parametrize("end", ["good", "c63"])
    def test_an_end_cannot_be_skipped(self, end: str) -> None:
        with pytest.raises(InvalidValueError, match="cannot be skipped"):
            Search.begin(LINE, SearchSettings(skip=(end,)))
