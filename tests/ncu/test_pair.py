"""What is said of two profiles of one program, of which one was made worse in known ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perftrack.core.launches.diff import PairDiff, diff_profiles
from perftrack.core.launches.findings import FindingCode, Origin
from perftrack.core.launches.launch import Launch, Profile
from perftrack.core.launches.match import Likeness
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.read import read
from tests.ncu.needs import skip_module_without_reports

skip_module_without_reports()

DATA = Path(__file__).parents[1] / "data" / "h200" / "ncu"


def profile(name: str, **fields: str) -> Profile:
    taken = read(DATA / name)
    told = {"clock_control": taken.clock_control, "cache_control": taken.cache_control}
    return replace(Profile("a" * 40, "case", 1.0, summarise_launches([taken])), **(told | fields))  # type: ignore[arg-type]


BETTER, WORSE = profile("pair_better.ncu-rep"), profile("pair_worse.ncu-rep")


@pytest.fixture(scope="module")
def pairs() -> dict[str, PairDiff]:
    diff = diff_profiles(BETTER, WORSE)
    assert (diff.added, diff.removed, diff.conditions.comparable) == ((), (), True)
    assert {p.pair.likeness for p in diff.pairs} == {Likeness.IDENTITY}
    return {p.pair.candidate.summary.kernel.split("(")[0]: p for p in diff.pairs}


def first(diff: PairDiff) -> FindingCode:
    """What explains the most, behind the word that the code changed."""
    return next(f.code for f in diff.findings if f.code is not FindingCode.CODE_CHANGED)


def test_strided_loads_are_named(pairs: dict[str, PairDiff]) -> None:
    assert pairs["scale"].headline.message.startswith("duration 50.94 µs → 289.3 µs (+468 %)")
    assert first(pairs["scale"]) is FindingCode.COALESCING
    message = next(f.message for f in pairs["scale"].findings if f.code is FindingCode.COALESCING)
    assert message.startswith("sectors per request of global loads 4 → 32: less coalesced")


def test_more_work_is_named_and_the_registers_that_it_takes(pairs: dict[str, PairDiff]) -> None:
    assert first(pairs["heavy"]) is FindingCode.INSTRUCTIONS
    message = next(f.message for f in pairs["heavy"].findings if f.code is FindingCode.REGISTERS)
    assert message == (
        "registers a thread 26 → 64 (+146 %), so theoretical occupancy 100 % → 50 %, limited by registers"
    )


def test_an_array_in_local_memory_is_named(pairs: dict[str, PairDiff]) -> None:
    assert first(pairs["table"]) is FindingCode.LOCAL_MEMORY


def test_the_kernel_that_nobody_touched_is_said_to_be_the_same(pairs: dict[str, PairDiff]) -> None:
    assert [f.code for f in pairs["same"].findings] == [FindingCode.SAME_CODE]
    assert "equal launches differ by" in pairs["same"].headline.message


def test_the_other_way_round_the_same_causes_are_named(pairs: dict[str, PairDiff]) -> None:
    for back in diff_profiles(WORSE, BETTER).pairs:
        kernel = back.pair.candidate.summary.kernel.split("(")[0]
        assert first(back) is first(pairs[kernel])


def test_launches_carry_the_ranges_that_they_stood_in() -> None:
    assert [launch.summary.nvtx for launch in BETTER.launches] == [
        "outer/inner: 1",
        "outer,loader@fill",
        "outer,started",
        "",
    ]


def test_a_replayed_range_is_one_launch_without_a_shape() -> None:
    (one,) = summarise_launches([read(DATA / "range.ncu-rep")])
    assert (one.summary.kernel, one.summary.grid) == ("range", None)
    assert one.summary.duration_s == 353280e-9


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("small_basic.ncu-rep", "live_raw.csv"),
        ("live_raw.csv", "small_full.raw.csv"),
        ("small_full.details.csv", "live_details.csv"),
        ("small_basic.ncu-rep", "small_full.raw.base.csv"),
    ],
)
def test_profiles_of_the_same_program_differ_in_nothing(before: str, after: str) -> None:
    diff = diff_profiles(profile(before), profile(after))
    assert len(diff.pairs) == 8
    told = {f.code for p in diff.pairs for f in p.findings}
    assert told <= {FindingCode.SAME_CODE, FindingCode.NOT_BOTH}


def test_equal_code_at_another_clock_is_the_environment() -> None:
    base = profile("pair_better.ncu-rep", clock_control="base")
    slow = replace(base, launches=tuple(_slowed(launch) for launch in base.launches))
    for pair in diff_profiles(BETTER, slow).pairs:
        assert {f.origin for f in pair.findings} == {Origin.ENVIRONMENT}
        assert [f.code for f in pair.findings] == [FindingCode.SAME_CODE, FindingCode.CLOCK]
        assert "clock control differs" in pair.headline.message


def _slowed(launch: Launch) -> Launch:
    summary = launch.summary
    assert summary.sm_clock_hz is not None
    assert summary.duration_s is not None
    slower = replace(summary, sm_clock_hz=0.75 * summary.sm_clock_hz, duration_s=summary.duration_s / 0.75)
    return replace(launch, summary=slower)
