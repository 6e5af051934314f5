from __future__ import annotations

import pytest

from perftrack.core.conditions import conditions_of
from tests.core.launches.builders import launch, profile

USUAL = profile(launch())


def test_profiles_taken_alike_are_comparable() -> None:
    assert conditions_of(USUAL, USUAL).comparable
    assert conditions_of(USUAL, USUAL).notes == ()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"clock_control": "base"}, "clock control differs (none against base)"),
        ({"clock_control": ""}, "clock control of candidate is not known"),
        ({"cache_control": "none"}, "cache control differs (all against none)"),
        ({"cache_control": ""}, "cache control of candidate is not known"),
    ],
)
def test_durations_are_not_compared_where_the_profilers_controls_differ(
    fields: dict[str, object], why: str
) -> None:
    assert conditions_of(USUAL, profile(launch(), **fields)).obstacles == (why,)


def test_clock_control_that_neither_side_tells_is_no_agreement() -> None:
    unknown = profile(launch(), clock_control="")
    assert conditions_of(unknown, unknown).obstacles == ("clock control of baseline and candidate is not known",)


def test_cache_control_that_neither_side_tells_is_the_default_of_both() -> None:
    unknown = profile(launch(), cache_control="")
    assert conditions_of(unknown, unknown).comparable


def test_another_device_and_another_architecture_are_told() -> None:
    other = profile(launch(device="NVIDIA A100", compute_cap="8.0"))
    conditions = conditions_of(USUAL, other)
    assert conditions.obstacles == ("device differs (NVIDIA H200 against NVIDIA A100)",)
    assert conditions.notes == ("compute capability 9.0 and 8.0: for that alone the compiler made other code",)


def test_a_device_that_a_page_does_not_name_is_not_known() -> None:
    assert conditions_of(profile(launch(device="")), USUAL).obstacles == ("device of baseline is not known",)


def test_other_releases_and_uncommitted_changes_are_noted_and_keep_nothing_apart() -> None:
    conditions = conditions_of(USUAL, profile(launch(), ncu_version="2026.1.0.0", dirty=True))
    assert conditions.comparable
    assert conditions.notes == (
        "profiled with ncu 2025.3.1.0 and 2026.1.0.0",
        "candidate has uncommitted changes",
    )
