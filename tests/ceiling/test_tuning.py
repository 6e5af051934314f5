from __future__ import annotations

import dataclasses

import pytest

from perftrack.ceiling.tuning import Tuning, Warmup, knobs, parse_tuning, shown
from perftrack.core.ceiling import Definition
from perftrack.errors import UsageError


def refusal(*pairs: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_tuning(pairs)
    return caught.value


def test_nothing_given_is_the_default() -> None:
    assert parse_tuning([]) == Tuning()
    assert Tuning().changed() == ()


def test_values_get_their_types() -> None:
    tuning = parse_tuning(["confirm_reps=7", "soak_s=1.5", "refine=false", "warmup=fixed", " lock_reps = 3 "])
    assert (tuning.confirm_reps, tuning.soak_s, tuning.refine, tuning.warmup) == (7, 1.5, False, Warmup.FIXED)
    assert tuning.lock_reps == 3


@pytest.mark.parametrize("text", ["true", "TRUE", "1"])
def test_truth_may_be_written_in_three_ways(text: str) -> None:
    assert parse_tuning([f"scout_only={text}"]).scout_only


def test_an_unknown_name_is_refused_with_the_nearest_ones() -> None:
    error = refusal("confirm_rep=5")
    assert "'confirm_rep'" in error.message
    assert error.hint is not None
    assert error.hint.startswith("did you mean confirm_reps")


def test_a_name_like_no_other_is_refused_with_all_of_them() -> None:
    hint = refusal("qqqq=1").hint
    assert hint is not None
    assert all(knob.name in hint for knob in knobs())


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("max_size=1e5", "a whole number from 1024 to 131072"),
        ("max_size=12", "a whole number from 1024 to 131072"),
        ("scout_s=fast", "a number from 0.001 to 10"),
        ("scout_s=nan", "a number from 0.001 to 10"),
        ("soak_s=inf", "a number from 0 to 3600"),
        ("soak_s=-1", "a number from 0 to 3600"),
        ("refine=maybe", "true or false"),
        ("warmup=hot", "adaptive or fixed"),
        ("confirm_reps=", "a whole number from 1 to 100"),
    ],
)
def test_a_wrong_value_is_refused_by_name_with_what_was_expected(pair: str, expected: str) -> None:
    error = refusal(pair)
    assert f"--tune {pair}" in error.message
    assert error.message.endswith(f"expected {expected}")
    assert "the default is" in (error.hint or "")


def test_a_pair_without_a_value_is_refused() -> None:
    assert "expected NAME=VALUE" in refusal("confirm_reps").message


def test_a_name_given_twice_is_refused() -> None:
    assert "confirm_reps is given twice" in refusal("confirm_reps=3", "confirm_reps=4").message


def test_a_warmup_longer_than_its_limit_is_refused() -> None:
    assert "warmup_min_s=100 is more than warmup_max_s=30" in refusal("warmup_min_s=100").message


def test_control_characters_in_a_value_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in refusal("soak_s=\x1b[31m").message


@pytest.mark.parametrize("knob", knobs(), ids=lambda k: k.name)
def test_every_default_is_a_value_that_the_option_takes(knob: object) -> None:
    name, default = knob.name, knob.default  # type: ignore[attr-defined]
    assert getattr(parse_tuning([f"{name}={shown(default)}"]), name) == default


def test_every_field_is_a_knob_with_a_meaning() -> None:
    assert [k.name for k in knobs()] == [f.name for f in dataclasses.fields(Tuning)]
    assert all(k.meaning.doc for k in knobs())
    assert all(k.meaning.least < k.meaning.most < float("inf") for k in knobs() if k.type in {int, float})


def test_a_knob_that_changes_what_is_measured_changes_the_protocol_of_its_kind_only() -> None:
    tuning = parse_tuning(["boost_idle_s=0.5", "promote_top=3"])
    assert tuning.protocol(Definition.MAMF) == "v1/mamf-median5/boost_idle_s=0.5"
    assert tuning.protocol(Definition.MSMF) == "v1/msmf-repeats"
    assert tuning.protocol(Definition.COPY_DEVICE) == "v1/copy-device"


def test_changed_names_what_is_not_default() -> None:
    assert parse_tuning(["refine=0", "confirm_reps=5"]).changed() == (("refine", False),)
