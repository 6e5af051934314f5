from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.fingerprint import (
    UNKNOWN,
    EnvironmentFingerprint,
    FieldValue,
    Role,
    decode_value,
    differences,
    encode_value,
    make_policy,
)
from perftrack.errors import InvalidValueError

REGISTRY = {i.name: i for i in EnvironmentFingerprint.fields()}
KEYS = [n for n, i in REGISTRY.items() if i.role is Role.KEY and n not in {"policy", "device_kind"}]
CONTEXT = [n for n, i in REGISTRY.items() if i.role is Role.CONTEXT]
BASE = EnvironmentFingerprint(device_kind="cuda", gpu_name="Example 1", ecc=True, sm_count=132, host="a")

values = st.one_of(
    st.none(),
    st.just(UNKNOWN),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
environments = st.builds(
    lambda given: EnvironmentFingerprint(device_kind="cpu", **given),
    st.dictionaries(st.sampled_from(KEYS + CONTEXT), values, max_size=6),
)


class TestRegistry:
    def test_has_one_row_per_field_in_order(self) -> None:
        assert list(REGISTRY) == [f.name for f in fields(EnvironmentFingerprint)]

    def test_every_row_says_what_it_is_and_why(self) -> None:
        assert all(i.label and i.why for i in REGISTRY.values())

    def test_labels_name_one_field_each(self) -> None:
        assert len({i.label for i in REGISTRY.values()}) == len(REGISTRY)

    @pytest.mark.parametrize(
        ("name", "value", "shown"),
        [
            ("power_limit_w", None, "absent"),
            ("power_limit_w", UNKNOWN, "unknown"),
            ("power_limit_w", 0, "0 W"),
            ("power_limit_w", 700.0, "700 W"),
            ("ecc", True, "on"),
            ("ecc", False, "off"),
            ("gpu_name", "Example 1", "Example 1"),
        ],
    )
    def test_shows_a_value_for_people(self, name: str, value: FieldValue, shown: str) -> None:
        assert REGISTRY[name].show(value) == shown


class TestEmptiness:
    """Absent, unknown and zero are three things."""

    @pytest.mark.parametrize("name", KEYS)
    def test_each_is_another_environment(self, name: str) -> None:
        kinds = [replace(BASE, **{name: v}) for v in (None, UNKNOWN, 0, False, "", "unknown", "None")]
        assert len({k.key_id for k in kinds}) == len(kinds)

    def test_unknown_equals_itself(self) -> None:
        assert replace(BASE, ecc=UNKNOWN).matches(replace(BASE, ecc=UNKNOWN))

    def test_unknown_key_fields_are_listed_and_absent_or_context_ones_are_not(self) -> None:
        env = replace(BASE, ecc=UNKNOWN, driver_version=UNKNOWN, torch_version=None, host=UNKNOWN)
        assert env.unknown_key_fields == ("ecc", "driver_version")

    def test_unknown_reads_as_such(self) -> None:
        assert repr(UNKNOWN) == "UNKNOWN"


class TestIdentity:
    @pytest.mark.parametrize("name", [*KEYS, "device_kind"])
    def test_every_key_field_changes_the_key(self, name: str) -> None:
        assert not BASE.matches(replace(BASE, **{name: "another"}))

    @pytest.mark.parametrize("name", CONTEXT)
    def test_no_context_field_changes_the_key(self, name: str) -> None:
        other = replace(BASE, **{name: "another"})
        assert BASE.matches(other)
        assert BASE.id != other.id

    def test_whole_numbers_are_the_same_number(self) -> None:
        assert replace(BASE, power_limit_w=700).matches(replace(BASE, power_limit_w=700.0))

    def test_switches_are_no_numbers(self) -> None:
        assert not replace(BASE, ecc=1).matches(replace(BASE, ecc=True))

    @given(environments, environments)
    def test_matching_is_having_no_refusing_difference(
        self, a: EnvironmentFingerprint, b: EnvironmentFingerprint
    ) -> None:
        assert a.matches(b) is not any(d.refuses for d in differences(a, b))
        assert a.matches(b) is b.matches(a)

    def test_ids_are_those_of_every_version_and_machine(self) -> None:
        assert (BASE.key_id, BASE.id) == ("4789de3a9ae39a9a", "eb279079a87dd807")

    def test_a_field_that_is_absent_on_both_sides_is_not_part_of_an_id(self) -> None:
        assert len(BASE.to_dict()) == 5


class TestDifferences:
    def test_key_fields_come_first_with_both_values(self) -> None:
        found = differences(BASE, replace(BASE, host="b", sm_count=114, gpu_name=None))
        assert [(d.field.name, d.refuses) for d in found] == [
            ("gpu_name", True),
            ("sm_count", True),
            ("host", False),
        ]
        assert [str(d) for d in found] == ["GPU: Example 1 → absent", "SM count: 132 → 114", "host: a → b"]

    def test_of_an_environment_with_itself_are_none(self) -> None:
        assert differences(BASE, BASE) == ()


class TestPolicy:
    def test_moves_a_key_field_to_context(self) -> None:
        policy = make_policy(context=["driver_version"])
        a = replace(BASE, policy=policy, driver_version="550")
        assert a.matches(replace(a, driver_version="560"))
        (found,) = differences(a, replace(a, driver_version="560"))
        assert not found.refuses

    def test_moves_a_context_field_to_the_key(self) -> None:
        a = replace(BASE, policy=make_policy(key=["host"]))
        assert not a.matches(replace(a, host="b"))
        assert differences(a, replace(a, host="b"))[0].refuses

    def test_role_follows_it(self) -> None:
        moved = replace(BASE, policy=make_policy(key=["host"], context=["ecc"]))
        assert [moved.role(REGISTRY[n]) for n in ("host", "ecc", "gpu_name")] == ["key", "context", "key"]

    def test_unknown_fields_follow_it(self) -> None:
        moved = replace(BASE, policy=make_policy(context=["ecc"]), ecc=UNKNOWN)
        assert moved.unknown_key_fields == ()

    def test_environments_under_different_ones_do_not_match(self) -> None:
        moved = replace(BASE, policy=make_policy(context=["driver_version"]))
        assert not BASE.matches(moved)
        assert [d.field.name for d in differences(BASE, moved) if d.refuses] == ["policy"]

    def test_a_field_is_key_where_either_side_says_so(self) -> None:
        moved = replace(BASE, policy=make_policy(context=["ecc"]), ecc=False)
        assert {d.field.name for d in differences(BASE, moved) if d.refuses} == {"ecc", "policy"}

    def test_that_moves_nothing_is_none(self) -> None:
        assert make_policy() is None
        assert make_policy(key=["gpu_name"], context=["host"]) is None

    def test_is_the_same_text_in_any_order(self) -> None:
        text = make_policy(key=["host", "os"], context=["ecc", "gpu_name"])
        assert text == make_policy(key=["os", "host"], context=["gpu_name", "ecc"])
        assert text == "key:host key:os context:ecc context:gpu_name"

    def test_names_every_field_that_does_not_exist(self) -> None:
        with pytest.raises(InvalidValueError, match="colour, policy") as caught:
            make_policy(key=["colour"], context=["policy"])
        assert caught.value.hint == "perftrack env lists them"

    def test_refuses_a_field_that_is_asked_to_be_both(self) -> None:
        with pytest.raises(InvalidValueError, match="both key and context: ecc"):
            make_policy(key=["ecc"], context=["ecc"])


class TestSerialisation:
    @given(environments)
    def test_round_trips_through_json(self, env: EnvironmentFingerprint) -> None:
        back = EnvironmentFingerprint.from_dict(json.loads(json.dumps(env.to_dict())))
        assert back == env
        assert (back.id, back.key_id) == (env.id, env.key_id)

    def test_leaves_absent_fields_out_and_marks_unknown_ones(self) -> None:
        env = EnvironmentFingerprint(device_kind="cpu", ecc=UNKNOWN, sm_count=0)
        assert env.to_dict() == {"device_kind": "cpu", "ecc": {"unknown": True}, "sm_count": 0}

    @given(values)
    def test_values_round_trip(self, value: FieldValue) -> None:
        assert decode_value(encode_value(value)) == value

    @pytest.mark.parametrize("value", [[1], {"unknown": False}, {"a": 1}, (1, 2)])
    def test_refuses_what_is_no_scalar(self, value: object) -> None:
        with pytest.raises(InvalidValueError, match="not a fingerprint value"):
            EnvironmentFingerprint.from_dict({"ecc": value})

    def test_refuses_fields_of_another_version(self) -> None:
        with pytest.raises(InvalidValueError, match="colour, shape"):
            EnvironmentFingerprint.from_dict({"shape": 1, "colour": 2, "ecc": True})

    @pytest.mark.parametrize("policy", ["ecc", "neither:ecc"])
    def test_refuses_a_policy_that_is_none(self, policy: str) -> None:
        with pytest.raises(InvalidValueError, match="policy"):
            EnvironmentFingerprint.from_dict({"policy": policy})

    def test_refuses_a_device_kind_that_is_no_text(self) -> None:
        with pytest.raises(InvalidValueError, match="device kind"):
            EnvironmentFingerprint.from_dict({"device_kind": 3})
