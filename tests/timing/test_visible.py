"""CUDA_VISIBLE_DEVICES in all its forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.errors import DeviceError
from perftrack.timing.visible import Form, Selector, choose, match_uuid, parse_visible, slice_of

UUIDS = ["GPU-b1d9e0c2-1111-2222-3333-444455556666", "GPU-b1d9ffff-aaaa-bbbb-cccc-ddddeeeeffff"]


def shown(value: str | None) -> list[str] | None:
    selectors = parse_visible(value)
    return None if selectors is None else [s.text for s in selectors]


@pytest.mark.parametrize(
    ("value", "visible"),
    [
        (None, None),
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
        ("void", []),
        ("0", ["0"]),
        ("0,1,2", ["0", "1", "2"]),
        ("2,0", ["2", "0"]),
        (" 1 , 0 ", ["1", "0"]),
        ("01", ["1"]),
        ("1,-1,0", ["1"]),
        ("1,x,0", ["1"]),
        ("1,,0", ["1"]),
        (",1", []),
        ("0,0", []),
        ("1,2,1", []),
        ("1st,2nd", ["1", "2"]),
        (UUIDS[0], [UUIDS[0]]),
        ("GPU-b1d9e0c2", ["GPU-b1d9e0c2"]),
        (f"{UUIDS[1]},{UUIDS[0]}", [UUIDS[1], UUIDS[0]]),
        (f"{UUIDS[0]},{UUIDS[0]}", []),
        (f"{UUIDS[0]},1", [UUIDS[0]]),
        (f"1,{UUIDS[0]}", ["1"]),
        ("MIG-0c0c0c0c-1111-2222-3333-444455556666", ["MIG-0c0c0c0c-1111-2222-3333-444455556666"]),
        (f"MIG-{UUIDS[0]}/1/0", [f"MIG-{UUIDS[0]}/1/0"]),
    ],
)
def test_forms(value: str | None, visible: list[str] | None) -> None:
    assert shown(value) == visible


@given(st.lists(st.integers(0, 63), max_size=8, unique=True))
def test_a_list_of_positions_is_itself(positions: list[int]) -> None:
    selectors = parse_visible(",".join(map(str, positions)))
    assert selectors is not None
    assert [s.position for s in selectors] == positions


@given(
    st.lists(st.integers(0, 63), min_size=1, max_size=6, unique=True), st.sampled_from(["", "-1", "x", "GPU-1"])
)
def test_the_list_ends_at_the_first_bad_entry(positions: list[int], bad: str) -> None:
    good = ",".join(map(str, positions))
    assert parse_visible(f"{good},{bad},99") == parse_visible(good)


@given(st.lists(st.integers(0, 63), min_size=1, max_size=6, unique=True), st.data())
def test_a_repeated_entry_hides_everything(positions: list[int], data: st.DataObject) -> None:
    again = data.draw(st.sampled_from(positions))
    assert parse_visible(",".join(map(str, [*positions, again]))) == ()


@given(st.text())
def test_any_text_is_parsed(value: str) -> None:
    selectors = parse_visible(value)
    assert selectors is not None
    assert len({s.form for s in selectors}) <= 1


@given(st.permutations(UUIDS), st.integers(min_value=9, max_value=len(UUIDS[0])))
def test_a_unique_beginning_finds_its_card_in_any_order(uuids: list[str], length: int) -> None:
    selector = Selector(Form.UUID, UUIDS[0][:length])
    assert uuids[match_uuid(selector, uuids)] == UUIDS[0]


def test_case_does_not_matter_in_uuids() -> None:
    assert match_uuid(Selector(Form.UUID, "GPU-B1D9FFFF"), UUIDS) == 1


@pytest.mark.parametrize(("text", "what"), [("GPU-b1d9", "several cards"), ("GPU-0", "no card")])
def test_a_beginning_of_several_or_none_is_refused(text: str, what: str) -> None:
    with pytest.raises(DeviceError, match=what):
        match_uuid(Selector(Form.UUID, text), UUIDS)


def test_choose_takes_the_process_s_own_number() -> None:
    selectors = parse_visible("3,1")
    chosen = choose(selectors, 1)
    assert chosen is not None and chosen.position == 1
    assert choose(None, 5) is None


def test_choose_refuses_a_number_beyond_the_visible_cards() -> None:
    with pytest.raises(DeviceError, match=r"sees 0 card\(s\)"):
        choose((), 0)


def test_the_older_form_of_slices_is_taken_apart() -> None:
    assert slice_of(Selector(Form.MIG, f"MIG-{UUIDS[0]}/3/1")) == (UUIDS[0], 3, 1)
    assert slice_of(Selector(Form.MIG, "MIG-0c0c0c0c")) is None
