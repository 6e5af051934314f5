from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import Evidence, MeasurementTier
from perftrack.core.tiers import (
    HW_SLOWDOWN,
    POWER_CAP,
    TIER_A_PROCESSES,
    TIER_A_RANGE_MHZ,
    TIER_C_CV_PCT,
    Exclusivity,
    TierEvidence,
    assign_tier,
    judge_tier,
    throttle_faults,
)

A, B, C = MeasurementTier.A, MeasurementTier.B, MeasurementTier.C
QUIET = Evidence(clock_mhz=(1500.0, 1500.0, 1515.0), event_reasons=0, throttle_s=0.0)
BEST = TierEvidence(locked=True, windows=(QUIET,) * 3, processes=3, exclusivity=Exclusivity.EXCLUSIVE)


def with_window(**fields: object) -> TierEvidence:
    return replace(BEST, windows=(QUIET, replace(QUIET, **fields)))  # type: ignore[arg-type]


def judged(evidence: TierEvidence) -> tuple[MeasurementTier, list[str]]:
    tier, reasons = judge_tier(evidence)
    return tier, [r.code for r in reasons]


def test_the_best_evidence_earns_an_a_and_says_why() -> None:
    tier, (why,) = judge_tier(BEST)
    assert (tier, why.code) == (A, "clocks-locked")
    assert why.message == "clocks locked and verified: range 15 MHz over all windows"


STEPS: dict[str, tuple[TierEvidence, MeasurementTier, list[str]]] = {
    "floating clocks": (replace(BEST, locked=False), B, ["clocks-floating"]),
    "no clock evidence": (replace(BEST, windows=()), B, ["no-clock-evidence"]),
    "a window without clock evidence": (with_window(clock_mhz=()), B, ["no-clock-evidence"]),
    "locked clocks that moved": (with_window(clock_mhz=(1500.0, 1516.0)), B, ["clock-range"]),
    "locked clocks that moved between windows": (with_window(clock_mhz=(1530.0,)), B, ["clock-range"]),
    "power cap": (with_window(event_reasons=POWER_CAP), B, ["power-capped"]),
    "an unknown event reason": (with_window(event_reasons=0x400), B, ["unknown-event-reasons"]),
    "too few processes": (replace(BEST, processes=TIER_A_PROCESSES - 1), B, ["few-processes"]),
    "unknown company": (replace(BEST, exclusivity=Exclusivity.UNKNOWN), B, ["exclusivity-unknown"]),
    "an unknown key field": (replace(BEST, unknown_key_fields=("ecc",)), B, ["unknown-key-field"]),
    "uncommitted changes": (replace(BEST, dirty=True), B, ["dirty-tree"]),
    "software thermal slowdown": (with_window(event_reasons=0x20), C, ["throttled"]),
    "hardware thermal slowdown": (with_window(event_reasons=0x40), C, ["throttled"]),
    "power brake": (with_window(event_reasons=0x80), C, ["throttled"]),
    "a throttle counter that grew": (with_window(throttle_s=0.01), C, ["throttled"]),
    "an unstable clock": (with_window(clock_mhz=(1500.0, 1200.0)), C, ["clock-unstable"]),
    "a clock that the power cap moves": (
        with_window(clock_mhz=(1980.0, 1500.0), event_reasons=0x4),
        B,
        ["clock-range", "power-capped"],
    ),
    "company": (replace(BEST, exclusivity=Exclusivity.SHARED), C, ["device-shared"]),
}


@pytest.mark.parametrize("name", STEPS)
def test_step_down(name: str) -> None:
    evidence, tier, codes = STEPS[name]
    assert judged(evidence) == (tier, codes)


def test_all_steps_to_b_are_named_at_once() -> None:
    worst = TierEvidence(
        locked=False,
        windows=(replace(QUIET, event_reasons=POWER_CAP | 0x800),),
        processes=1,
        exclusivity=Exclusivity.UNKNOWN,
        unknown_key_fields=("ecc", "driver_version"),
        dirty=True,
    )
    assert judged(worst) == (
        B,
        [
            "clocks-floating",
            "power-capped",
            "unknown-event-reasons",
            "few-processes",
            "exclusivity-unknown",
            "unknown-key-field",
            "dirty-tree",
        ],
    )


def test_all_steps_to_c_are_named_at_once() -> None:
    window = replace(QUIET, clock_mhz=(100.0, 900.0), event_reasons=0x40)
    worst = replace(BEST, windows=(window,), exclusivity=Exclusivity.SHARED)
    assert judged(worst) == (C, ["throttled", "clock-unstable", "device-shared"])


def test_idle_application_clock_sync_and_display_bits_are_no_fault() -> None:
    assert judged(with_window(event_reasons=0x1 | 0x2 | 0x10 | 0x100))[0] is A


def test_unread_event_reasons_are_not_taken_for_a_fault() -> None:
    assert judged(with_window(event_reasons=None, throttle_s=None))[0] is A


def test_clocks_that_differ_between_windows_are_the_intervals_business_not_cs() -> None:
    slow = replace(QUIET, clock_mhz=(900.0, 900.0))
    assert judged(replace(BEST, locked=False, windows=(QUIET, slow)))[0] is B


def test_a_clock_that_moved_is_shown_with_its_limit() -> None:
    _, (why,) = judge_tier(with_window(clock_mhz=(1500.0, 1540.0)))
    assert why.message == "locked clocks moved by 40 MHz (limit 15 MHz)"
    _, (why,) = judge_tier(with_window(clock_mhz=(900.0, 1100.0)))
    assert why.message == "SM clock varied by 10.0 % (limit 5 %)"


def test_company_is_told_with_what_was_seen_of_it() -> None:
    seen = "30 720 MiB of its memory were in use"
    for exclusivity in (Exclusivity.SHARED, Exclusivity.UNKNOWN):
        _, (why,) = judge_tier(replace(BEST, exclusivity=exclusivity, company=seen))
        assert seen in why.message


def test_reasons_say_why_there_is_no_evidence() -> None:
    _, reasons = judge_tier(replace(BEST, windows=(), no_evidence_why="no NVML library"))
    assert reasons[0].message == "no clock evidence: no NVML library"
    _, reasons = judge_tier(with_window(clock_mhz=()))
    assert reasons[0].message == "no clock evidence: 1 of 2 windows have none"


class TestThrottleFaults:
    def test_a_single_hardware_slowdown_flicker_is_none(self) -> None:
        flicker = replace(QUIET, event_reasons=HW_SLOWDOWN)
        assert throttle_faults((flicker, QUIET)) == ()
        assert throttle_faults((flicker, QUIET, flicker)) == ("hardware slowdown",)

    def test_each_fault_is_named_once(self) -> None:
        window = replace(QUIET, event_reasons=0x20 | 0x40 | 0x80)
        assert throttle_faults((window, window)) == (
            "software thermal slowdown",
            "hardware thermal slowdown",
            "hardware power brake",
        )

    def test_counters_speak_only_where_no_bit_did(self) -> None:
        counted = replace(QUIET, throttle_s=0.25)
        assert throttle_faults((counted, counted)) == ("0.5 s on the throttle counters",)
        assert throttle_faults((replace(counted, event_reasons=0x40),)) == ("hardware thermal slowdown",)


class TestAssignTier:
    def test_steady_locked_clocks_are_an_a(self) -> None:
        assert assign_tier(True, [1500.0, 1500.0 + TIER_A_RANGE_MHZ], False) is A

    def test_a_locked_clock_that_moves_is_a_b(self) -> None:
        assert assign_tier(True, [1500.0, 1500.1 + TIER_A_RANGE_MHZ], False) is B

    def test_floating_clocks_are_a_b(self) -> None:
        assert assign_tier(False, [1500.0, 1500.0], False) is B

    def test_locked_without_evidence_is_a_b(self) -> None:
        assert assign_tier(True, [], False) is B

    def test_throttling_is_a_c(self) -> None:
        assert assign_tier(True, [1500.0, 1500.0], True) is C

    def test_variation_above_the_limit_is_a_c_even_when_locked(self) -> None:
        spread = TIER_C_CV_PCT / 100
        assert assign_tier(True, [1000 * (1 - spread * 1.01), 1000 * (1 + spread * 1.01)], False) is C
        assert assign_tier(False, [1000 * (1 - spread * 0.99), 1000 * (1 + spread * 0.99)], False) is B

    def test_one_reading_of_zero_does_not_vary(self) -> None:
        assert assign_tier(False, [0.0, 0.0], False) is B

    @given(st.lists(st.floats(100, 3000), max_size=8), st.booleans(), st.booleans())
    def test_locking_never_lowers_and_throttling_never_raises(
        self, clocks: list[float], locked: bool, throttled: bool
    ) -> None:
        tier = assign_tier(locked, clocks, throttled)
        assert assign_tier(True, clocks, throttled).rank <= tier.rank
        assert assign_tier(locked, clocks, True).rank >= tier.rank
