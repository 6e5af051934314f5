from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.conditions import conditions_of
from perftrack.core.launches.diff import diff_profiles, explain, headline, same_launch
from perftrack.core.launches.findings import FindingCode, Origin
from perftrack.core.launches.launch import Bound
from tests.core.launches.builders import USUAL, findings, launch, pair, profile, stall

SAME = conditions_of(profile(launch()), profile(launch()))
SLOWER: dict[str, object] = {"cycles": 336_000.0, "duration_s": 171e-6}


def first(baseline: dict[str, object] | None = None, **candidate: object) -> FindingCode:
    return next(iter(findings(baseline, **(SLOWER | candidate))))


def test_equal_launches_differ_in_nothing() -> None:
    assert explain(pair()) == ()


def test_more_registers_that_cost_occupancy_are_told_in_one_sentence() -> None:
    before = {"registers": 64.0, "occupancy_theoretical_pct": 50.0, "occupancy_limiter": "registers"}
    found = findings(before, registers=96.0, occupancy_theoretical_pct=33.0, **SLOWER)
    message = found[FindingCode.REGISTERS].message
    assert message == (
        "registers a thread 64 → 96 (+50 %), so theoretical occupancy 50 % → 33 %, limited by registers"
    )
    assert [(d.field, d.baseline, d.candidate) for d in found[FindingCode.REGISTERS].deltas] == [
        ("registers", 64.0, 96.0),
        ("occupancy_theoretical_pct", 50.0, 33.0),
    ]
    assert FindingCode.OCCUPANCY not in found
    assert first(before, registers=96.0, occupancy_theoretical_pct=33.0) is FindingCode.REGISTERS


def test_registers_that_cost_nothing_are_told_and_explain_nothing() -> None:
    found = findings(registers=20.0)
    assert (
        found[FindingCode.REGISTERS].message
        == "registers a thread 16 → 20 (+25 %); theoretical occupancy stays 100 %"
    )
    assert found[FindingCode.REGISTERS].weight == 0


def test_occupancy_that_another_resource_took_is_not_put_down_to_registers() -> None:
    found = findings(
        registers=18.0, shared_bytes=65536.0, occupancy_theoretical_pct=25.0, occupancy_limiter="shared memory"
    )
    assert "occupancy" not in found[FindingCode.REGISTERS].message
    assert found[FindingCode.SHARED_MEMORY].message.endswith(
        "theoretical occupancy 100 % → 25 %, limited by shared memory"
    )


def test_occupancy_that_rose_names_what_limited_it() -> None:
    before = {"registers": 96.0, "occupancy_theoretical_pct": 33.0, "occupancy_limiter": "registers"}
    found = findings(before, registers=32.0, occupancy_theoretical_pct=100.0, occupancy_limiter="warps")
    assert found[FindingCode.REGISTERS].message.endswith("33 % → 100 %, no longer limited by registers")
    assert found[FindingCode.REGISTERS].weight < 0


def test_lower_occupancy_without_a_resource_is_told_by_itself() -> None:
    found = findings(occupancy_theoretical_pct=50.0, occupancy_limiter="barriers")
    assert found[FindingCode.OCCUPANCY].message == "theoretical occupancy 100 % → 50 %, limited by barriers"


def test_achieved_occupancy_alone_is_a_symptom() -> None:
    found = findings(occupancy_achieved_pct=40.0)
    assert found[FindingCode.OCCUPANCY].origin is Origin.SYMPTOM
    assert "of 100 % possible on both sides" in found[FindingCode.OCCUPANCY].message


def test_more_bytes_at_an_equal_rate() -> None:
    found = findings(dram_read_bytes=463e6, **SLOWER)
    message = found[FindingCode.DRAM_BYTES].message
    assert message == "DRAM bytes 513.0 Mbyte → 708.0 Mbyte (+38 %) at equal rate (4.140 Tbyte/s)"
    assert first(dram_read_bytes=463e6) is FindingCode.DRAM_BYTES


def test_more_bytes_at_another_rate() -> None:
    message = findings(dram_read_bytes=463e6, dram_bytes_per_s=2.9e12)[FindingCode.DRAM_BYTES].message
    assert message.endswith("at another rate: 4.140 Tbyte/s → 2.900 Tbyte/s (-30 %)")


def test_the_same_bytes_more_slowly_are_a_symptom() -> None:
    found = findings(dram_bytes_per_s=2.9e12, **SLOWER)
    assert FindingCode.DRAM_BYTES not in found
    assert found[FindingCode.DRAM_RATE].origin is Origin.SYMPTOM
    assert found[FindingCode.DRAM_RATE].weight > 0


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0.0, 1.2e9, "local-memory traffic appeared: 0 byte → 1.200 Gbyte"),
        (1.2e9, 0.0, "local-memory traffic is gone: 1.200 Gbyte → 0 byte"),
        (1.2e9, 2.4e9, "local-memory traffic 1.200 Gbyte → 2.400 Gbyte (+100 %)"),
    ],
)
def test_spills_are_told(before: float, after: float, words: str) -> None:
    found = findings({"local_bytes": before}, local_bytes=after)
    assert found[FindingCode.LOCAL_MEMORY].message.startswith(words)
    assert (found[FindingCode.LOCAL_MEMORY].weight > 0) is (after > before)


def test_a_fallen_hit_rate_is_told() -> None:
    found = findings({"l2_hit_pct": 85.0}, l2_hit_pct=40.0)
    assert found[FindingCode.L2_HITS].message == "L2 hit rate fell: 85 % → 40 %"
    assert found[FindingCode.L2_HITS].weight > 0


def test_strided_loads_are_named_before_what_they_lead_to() -> None:
    strided = {
        "sectors_per_request": 32.0,
        "l2_read_bytes": 2144e6,
        "l2_hit_pct": 20.0,
        "dram_bytes_per_s": 3.9e12,
    }
    found = findings({"sectors_per_request": 4.0}, **strided, **SLOWER)
    message = found[FindingCode.COALESCING].message
    assert message.startswith("sectors per request of global loads 4 → 32: less coalesced")
    assert next(iter(found)) is FindingCode.COALESCING


def test_more_instructions_count_by_how_busy_the_sms_were() -> None:
    busy = findings({"sm_pct": 95.0}, instructions=16_777_216.0)[FindingCode.INSTRUCTIONS]
    idle = findings({"sm_pct": 20.0}, instructions=16_777_216.0)[FindingCode.INSTRUCTIONS]
    assert busy.message == "instructions executed 8,388,608 → 16,777,216 (+100 %)"
    assert busy.weight > 4 * idle.weight > 0


def test_operations_explain_little_that_instructions_do_not() -> None:
    both = findings({"flops": 1e9}, flops=2e9, instructions=16_777_216.0)
    assert (
        both[FindingCode.OPERATIONS].message == "floating-point operations 1,000,000,000 → 2,000,000,000 (+100 %)"
    )
    alone = findings({"flops": 1e9, "instructions": None}, flops=2e9)
    assert alone[FindingCode.OPERATIONS].weight == 2 * both[FindingCode.OPERATIONS].weight


def test_traffic_that_split_requests_account_for_is_put_down_to_them() -> None:
    split = findings({"sectors_per_request": 4.0}, sectors_per_request=32.0, dram_read_bytes=268e6 * 8)
    whole = findings(dram_read_bytes=268e6 * 8)
    assert split[FindingCode.DRAM_BYTES].weight == 0 < whole[FindingCode.DRAM_BYTES].weight


def test_one_instruction_more_is_a_difference() -> None:
    assert FindingCode.INSTRUCTIONS in findings(instructions=8_388_609.0)


def test_a_smaller_grid_that_leaves_sms_idle_is_told() -> None:
    found = findings(grid=(64, 1, 1), waves=0.06, **SLOWER)
    message = found[FindingCode.LAUNCH_SHAPE].message
    assert message == (
        "grid (65536, 1, 1) → (64, 1, 1); waves per SM 62 → 0.06; too few blocks to fill the device once"
    )
    assert found[FindingCode.LAUNCH_SHAPE].weight > 2


def test_a_block_size_that_costs_occupancy_is_told_with_the_shape() -> None:
    found = findings(block=(96, 1, 1), occupancy_theoretical_pct=75.0, occupancy_limiter="blocks per SM")
    assert found[FindingCode.LAUNCH_SHAPE].message.endswith("occupancy 100 % → 75 %, limited by blocks per SM")
    assert FindingCode.OCCUPANCY not in found


def test_the_same_cycles_at_a_lower_clock_are_the_environment() -> None:
    found = findings(sm_clock_hz=1.41e9, duration_s=172e-6)
    clock = found[FindingCode.CLOCK]
    assert clock.origin is Origin.ENVIRONMENT
    assert clock.message == (
        "SM clock 1.960 GHz → 1.410 GHz (-28 %) at the same cycles (244,000 → 244,000 (+0 %)): "
        "the environment, not the code"
    )
    assert next(iter(found)) is FindingCode.CLOCK


def test_a_lower_clock_with_more_cycles_is_not_all_of_it() -> None:
    assert "not the code" not in findings(sm_clock_hz=1.41e9, cycles=400e3)[FindingCode.CLOCK].message


def test_a_bound_that_changed_is_told() -> None:
    found = findings(bound=Bound.LATENCY, dram_pct=30.0)
    assert found[FindingCode.BOUND].message == (
        "memory-bound → latency-bound: DRAM 86 % → 30 % and SMs 16 % → 16 % of peak"
    )


def test_a_bound_that_a_side_does_not_know_is_no_change() -> None:
    assert FindingCode.BOUND not in findings(bound=Bound.UNKNOWN)


def test_a_stall_reason_that_grew_is_told_in_words() -> None:
    before = {"top_stalls": (stall("wait", 60), stall("long_scoreboard", 30))}
    found = findings(before, top_stalls=(stall("long_scoreboard", 70), stall("wait", 20)))
    assert found[FindingCode.STALLS].message == (
        "warps stall more on long_scoreboard (global or local memory): 30 % → 70 % of all stalls"
    )


@pytest.mark.parametrize(
    "after",
    [
        (stall("long_scoreboard", 36), stall("wait", 54)),
        (stall("long_scoreboard", 70, "ratio"), stall("wait", 20, "ratio")),
        (),
    ],
)
def test_stalls_that_moved_little_or_were_counted_otherwise_are_not(after: tuple[object, ...]) -> None:
    before = {"top_stalls": (stall("wait", 60), stall("long_scoreboard", 30))}
    assert FindingCode.STALLS not in findings(before, top_stalls=after)


def test_equal_code_is_never_blamed() -> None:
    changed = {
        "instructions": 9e6, "dram_read_bytes": 463e6, "l2_hit_pct": 20.0, "sm_clock_hz": 1.5e9, "flops": 5.0,
        "local_bytes": 64.0, "sectors_per_request": 30.0, "occupancy_achieved_pct": 20.0,
    }  # fmt: skip
    found = findings({"code_hash": "c0de"}, **changed, **SLOWER)
    assert next(iter(found)) is FindingCode.SAME_CODE
    assert Origin.CODE not in {f.origin for f in found.values()}
    assert found[FindingCode.INSTRUCTIONS].message.endswith("by the same code: its input differs")


def test_equal_code_in_another_shape_is_said_to_be_that() -> None:
    found = findings({"code_hash": "c0de"}, grid=(64, 1, 1))
    assert found[FindingCode.SAME_CODE].message.endswith("launched with another shape")


def test_code_that_changed_is_said_to_have() -> None:
    found = findings({"code_hash": "c0de"}, code_hash="beef", registers=18.0)
    assert found[FindingCode.CODE_CHANGED].message == "the machine code changed (c0de → beef)"


def test_code_that_a_side_does_not_know_is_neither() -> None:
    assert findings(code_hash="beef") == {}


@pytest.mark.parametrize(
    ("baseline", "candidate", "same"),
    [
        ({"code_hash": "a"}, {"code_hash": "a"}, True),
        ({"code_hash": "a"}, {"code_hash": "b"}, False),
        ({"code_hash": ""}, {"code_hash": ""}, False),
        ({"code_hash": "a"}, {"code_hash": "a", "grid": (1, 1, 1)}, False),
        ({"code_hash": "a", "grid": None}, {"code_hash": "a", "grid": None}, False),
    ],
)
def test_a_launch_is_the_same_only_by_code_and_shape(
    baseline: dict[str, object], candidate: dict[str, object], same: bool
) -> None:
    assert same_launch(launch(**baseline).summary, launch(**candidate).summary) is same


def test_what_explains_comes_before_what_works_against_it_and_what_explains_nothing() -> None:
    codes = list(findings({"sm_pct": 90.0}, dram_read_bytes=463e6, instructions=4e6, registers=18.0, **SLOWER))
    assert codes == [FindingCode.DRAM_BYTES, FindingCode.INSTRUCTIONS, FindingCode.REGISTERS]


def test_for_a_faster_candidate_what_saves_time_comes_first() -> None:
    codes = list(findings(dram_read_bytes=463e6, instructions=4e6, sm_pct=90.0, cycles=150e3, duration_s=77e-6))
    assert codes[0] is FindingCode.INSTRUCTIONS


def test_what_only_one_side_has_is_said_to_be_missing() -> None:
    found = findings(dram_read_bytes=None, instructions=None)
    assert found[FindingCode.NOT_BOTH].message == "not in both profiles: instructions executed, DRAM bytes"


def test_a_value_of_one_side_alone_is_never_a_change() -> None:
    nothing = dict.fromkeys(k for k, v in USUAL.items() if isinstance(v, float))
    assert set(findings(**nothing)) == {FindingCode.NOT_BOTH}
    assert set(findings(nothing)) == {FindingCode.NOT_BOTH}


def test_the_headline_is_the_duration_where_it_can_be_compared() -> None:
    told = headline(pair(**SLOWER), SAME)
    assert told.code is FindingCode.DURATION
    assert told.message == "duration 124.0 µs → 171.0 µs (+38 %); cycles 244,000 → 336,000 (+38 %)"


def test_a_difference_within_the_profilers_noise_is_said_to_be_that() -> None:
    told = headline(pair(duration_s=125e-6, cycles=246e3), SAME).message
    assert told == (
        "duration 124.0 µs → 125.0 µs (+0.81 %: equal launches differ by ±5 %); "
        "cycles 244,000 → 246,000 (+0.82 %: equal launches differ by ±3 %)"
    )


def test_durations_of_other_conditions_are_not_compared_and_cycles_are() -> None:
    conditions = conditions_of(profile(launch()), profile(launch(), clock_control="base"))
    told = headline(pair(**SLOWER), conditions)
    assert told.code is FindingCode.NO_DURATION
    assert told.message == (
        "cycles 244,000 → 336,000 (+38 %); durations are not compared: clock control differs (none against base)"
    )


def test_without_conditions_durations_are_not_compared() -> None:
    assert headline(pair()).code is FindingCode.NO_DURATION


def test_a_headline_without_numbers_says_so() -> None:
    assert headline(pair(cycles=None, duration_s=None), SAME).message == (
        "durations are not compared: not in both profiles"
    )


def test_profiles_are_compared_launch_by_launch() -> None:
    before = profile(launch(), launch(kernel="old()"))
    after = profile(launch(kernel="new()"), launch(registers=18.0))
    diff = diff_profiles(before, after)
    assert [p.pair.candidate.summary.registers for p in diff.pairs] == [18.0]
    assert [launch.summary.kernel for launch in (*diff.added, *diff.removed)] == ["new()", "old()"]
    assert diff.conditions.comparable


NUMBERS = [name for name, value in USUAL.items() if isinstance(value, float)]
VALUES = st.dictionaries(
    st.sampled_from(NUMBERS), st.one_of(st.none(), st.just(0.0), st.floats(0, 1e18, allow_subnormal=False))
)


@given(VALUES, VALUES, st.sampled_from(["", "c0de", "beef"]))
def test_any_two_launches_can_be_explained(before: dict[str, object], after: dict[str, object], code: str) -> None:
    one = pair(before | {"code_hash": "c0de"}, **after, code_hash=code)
    for finding in (*explain(one), headline(one, SAME)):
        assert finding.message
        assert finding.weight == finding.weight
        assert finding.origin is not Origin.CODE or code != "c0de"


@given(VALUES)
def test_a_launch_does_not_differ_from_itself(values: dict[str, object]) -> None:
    assert set(findings(values)) <= {FindingCode.NOT_BOTH}
