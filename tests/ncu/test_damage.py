"""Files that were damaged in every way that was thought of: their own values, or a refusal with file and line."""

from __future__ import annotations

import io
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu.raw import Reading
from perftrack.ncu.read import read
from perftrack.ncu.source import is_report
from tests.ncu.texts import (
    DATA,
    DURATION,
    MEMORY,
    READ,
    SPEED,
    details,
    everything,
    per_kernel,
    raw,
    remark,
    selection,
    transposed,
    viewer,
)  # fmt: skip

NAMED = re.compile(r"it\.csv:\d+: .", re.DOTALL)
METRICS = ((DURATION, "us"), (READ, "Mbyte"), ("launch__waves_per_multiprocessor", ""))
CELLS = (("124.54", "268.44", "1,234,567"), ("9.50", "n/a", "12"), ("1.00", "2", "3"))
SHOWN = ((SPEED, "Duration", "us", "1.50"), (MEMORY, "L2 Hit Rate", "%", "45.25"))
KERNELS = ((SPEED, "Duration", "us", "1.50", "3.50", "2.25"), ("", READ, "byte", "1", "9", "5"))
PAGES = {
    "selection": selection([[(*m, c) for m, c in zip(METRICS, cells, strict=True)] for cells in CELLS]),
    "raw": raw(METRICS, CELLS),
    "details": details([SHOWN] * 3) + remark(),
    "per kernel": per_kernel(KERNELS),
    "viewer": viewer([f"{DURATION} [usecond]", "a__b"], [["117.344,06", "56,06"], ["1.024,50", "7"]]),
    "transposed": transposed([(f"{DURATION} [ms]", ["3.66", "4.75"]), ("a__b [inst]", ["68,38,625", "12"])], 2),
}
QUOTED = ("selection", "raw", "details", "per kernel")  # pages that the command line writes
NOISE = (
    "", "==PROF== Disconnected from process 480", "==WARNING== Note: something", "tensor([[ 1.0000, 2.5000],",
    "Traceback (most recent call last):", '  File "a.py", line 3, in f', "epoch 1, loss 0,25", '"quoted output"',
    '"', '"a","b","c"', "[1, 2, 3]", "100%|####| 5/5 [00:01<00:00]",
)  # fmt: skip
Key = tuple[str, str, str, str]


def outcome(data: bytes) -> Reading | None:
    """The reading, or None for a refusal that names file and line and says what to do. Anything else fails."""
    try:
        return read(io.BytesIO(data), "it.csv")
    except ProfileError as error:
        assert NAMED.match(error.message), error.message
        assert error.hint
        return None


def values(found: Reading) -> dict[Key, Counter]:
    known = everything(found)
    assert any(isinstance(counter.value, float) for counter in known.values())
    return known


WHOLE = {page: values(read(io.BytesIO(text.encode()), "it.csv")) for page, text in PAGES.items()}


@pytest.mark.parametrize("page", QUOTED)
def test_cut_off_at_any_byte_a_page_gives_its_own_values_or_is_refused(page: str) -> None:
    data = PAGES[page].encode()
    for end in range(len(data)):
        found = outcome(data[:end])
        assert found is None or values(found).items() <= WHOLE[page].items(), data[:end][-40:]


@pytest.mark.parametrize("page", ["viewer", "transposed"])
def test_cut_off_at_any_byte_an_export_of_the_viewer_says_so_where_nothing_shows_it(page: str) -> None:
    data = PAGES[page].encode()
    for end in range(len(data)):
        found = outcome(data[:end])
        if found is not None and not any("may be cut off" in warning for warning in found.warnings):
            assert values(found).items() <= WHOLE[page].items(), data[:end][-40:]


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(PAGES)))
def test_shuffled_rows_give_the_values_of_the_page_or_a_refusal(data: st.DataObject, page: str) -> None:
    lines = data.draw(st.permutations(PAGES[page].splitlines()))
    found = outcome("\n".join([*lines, ""]).encode())
    assert found is None or values(found) == WHOLE[page]


@settings(max_examples=40)
@given(st.data(), st.sampled_from(sorted(set(PAGES) - {"transposed"})))
def test_rows_shuffled_under_their_titles_give_the_values_of_the_page(data: st.DataObject, page: str) -> None:
    head, *rows = PAGES[page].splitlines()
    found = outcome("\n".join([head, *data.draw(st.permutations(rows)), ""]).encode())
    assert found is not None
    assert values(found) == WHOLE[page]


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(PAGES)))
def test_titles_repeated_anywhere_give_the_values_of_the_page_or_a_refusal(data: st.DataObject, page: str) -> None:
    lines = PAGES[page].splitlines()
    lines.insert(data.draw(st.integers(0, len(lines))), lines[0])
    found = outcome("\n".join([*lines, ""]).encode())
    assert found is None or values(found) == WHOLE[page]


@settings(max_examples=60)
@given(st.data(), st.sampled_from(QUOTED))
def test_output_between_rows_leaves_the_values_of_the_page(data: st.DataObject, page: str) -> None:
    lines = PAGES[page].splitlines()
    for text in data.draw(st.lists(st.sampled_from(NOISE), min_size=1, max_size=5)):
        lines.insert(data.draw(st.integers(0, len(lines))), text)
    found = outcome("\n".join([*lines, ""]).encode())
    assert found is None or values(found) == WHOLE[page]


@settings(max_examples=40)
@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters='"\n'), max_size=60))
def test_any_line_of_output_leaves_the_values_of_the_page(text: str) -> None:
    head, *rows = PAGES["raw"].splitlines()
    for lines in ([text, head, *rows], [head, text, *rows], [head, *rows, text]):
        found = outcome("\n".join([*lines, ""]).encode())
        assert found is None or values(found) == WHOLE["raw"]


@settings(max_examples=100)
@given(st.binary(max_size=300).filter(lambda data: not is_report(data)))  # those have no lines to name
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    assert outcome(data) is None


@settings(max_examples=100)
@given(st.data(), st.sampled_from(sorted(PAGES)))
def test_bytes_that_were_changed_never_end_in_a_traceback(data: st.DataObject, page: str) -> None:
    out = bytearray(PAGES[page].encode())
    for at in data.draw(st.lists(st.integers(0, len(out) - 1), min_size=1, max_size=6)):
        out[at] = data.draw(st.integers(0, 255))
    found = outcome(bytes(out))
    if found is not None:
        values(found)


def test_a_recorded_page_cut_off_in_its_last_rows_is_refused_or_right() -> None:
    for name in ("live_metrics.csv", "live_details.csv"):
        data = (DATA / name).read_bytes()
        known = values(read(io.BytesIO(data), "it.csv"))
        for end in range(len(data) - 150, len(data)):
            found = outcome(data[:end])
            assert found is None or values(found).items() <= known.items()


@pytest.mark.parametrize(
    "line",
    [b'"' + b"x" * 99, b'"0","' + b"y" * 50, b"ID,1", b'"a\nb', b"(((" * 25, b'"0","1","2"', b",,,,,,", b"== =="],
)
def test_very_many_odd_lines_take_no_longer_than_their_number(line: bytes) -> None:
    head, *rows = PAGES["selection"].encode().splitlines()
    begin = time.process_time()
    outcome(b"\n".join([head, rows[0], *[line] * 20_000, *rows[1:]]))
    outcome(b"\n".join([line] * 20_000))
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("page", QUOTED)
def test_without_its_start_a_page_is_refused_or_loses_no_more_than_the_process(page: str) -> None:
    data = PAGES[page].encode()
    whole = set(WHOLE[page].values())
    for start in range(1, len(data)):
        found = outcome(data[start:])
        assert found is None or set(values(found).values()) <= whole, data[start:][:40]
