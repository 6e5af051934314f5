"""Raw pages and the viewer's exports of them: one row per launch, one column per metric."""

from __future__ import annotations

import csv
import gzip
import io

import pytest

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu.raw import FileKind
from perftrack.ncu.read import read
from perftrack.ncu.units import parse_unit
from tests.ncu.texts import (
    DATA,
    DURATION,
    LAUNCH,
    PUSHED,
    READ,
    launch,
    only,
    plain,
    raw,
    reading,
    row,
    value,
    viewed,
    viewer,
)  # fmt: skip

METRICS = ((DURATION, "us"), (READ, "Mbyte"), ("launch__func_cache_config", ""))


def test_a_raw_page_has_units_in_a_row_of_their_own() -> None:
    found = reading(raw(METRICS, [("124.54", "268.44", "CachePreferNone"), ("9.50", "1,234.00", "CachePreferL1")]))
    assert found.kind is FileKind.RAW
    assert [list(one.counters) for one in found.launches] == [
        [
            Counter(DURATION, 124.54e-6, "s"),
            Counter(READ, 268440000.0, "byte"),
            Counter("launch__func_cache_config", "CachePreferNone"),
        ],
        [
            Counter(DURATION, 9.5e-6, "s"),
            Counter(READ, 1234000000.0, "byte"),
            Counter("launch__func_cache_config", "CachePreferL1"),
        ],
    ]


def test_a_name_gives_its_one_counter_and_no_other() -> None:
    counters = only(raw(METRICS, [("124.54", "n/a", "x")])).by_name()
    assert counters.named(DURATION) == (Counter(DURATION, 124.54e-6, "s"),)
    assert counters.named(READ) == () == counters.named("no__such")
    assert counters.names == tuple(name for name, _ in METRICS)


def test_several_names_at_once_give_what_each_gives() -> None:
    counters = only(raw(METRICS, [("124.54", "n/a", "x")])).by_name()
    names = (READ, DURATION, "no__such")
    found = counters.chosen(names)
    assert {name: found.get(name, ()) for name in names} == {name: counters.named(name) for name in names}


def test_launches_of_a_table_share_their_names() -> None:
    one, other = reading(raw(METRICS, [("1.5", "2", "x"), ("3.5", "4", "y")])).launches
    assert one.by_name().names is other.by_name().names


def test_the_row_of_units_may_stand_anywhere() -> None:
    titles, units, *rows = raw(METRICS, [("1.5", "2", "x"), ("3.5", "4", "y")]).splitlines(keepends=True)
    found = reading(titles + rows[1] + units + rows[0])
    assert [value(one, READ) for one in found.launches] == [2e6, 4e6]


def test_without_units_a_table_is_refused() -> None:
    titles, _, *rows = raw(METRICS, [("1.5", "2", "x")]).splitlines(keepends=True)
    with pytest.raises(ProfileError, match=r"it\.csv:1: a table without its row of units"):
        reading(titles + "".join(rows))


def test_two_rows_of_units_that_differ_are_refused() -> None:
    text = raw(METRICS, [("1.5", "2", "x")])
    other = row((*("" for _ in LAUNCH), "ms", "Mbyte", ""))
    with pytest.raises(ProfileError, match=r"it\.csv:4: a second row of units, unlike that of line 2"):
        reading(text + other)


def test_cells_with_quotes_commas_and_line_breaks_are_read() -> None:
    text = raw((*METRICS, ("a__text", "")), [("1.5", "2", "x", 'say "a,b"\nand c')], kernel='k<"q">(int)')
    one = only(text)
    assert (one.kernel, value(one, "a__text"), value(one, READ)) == ('k<"q">(int)', 'say "a,b"\nand c', 2e6)


def test_a_cell_that_begins_like_a_border_is_no_border() -> None:
    one = only(raw((("a__b", ""), ("c__d", ""), ("e__f", "")), [(',"', "", "3")]))
    assert [(c.name, c.value) for c in one.counters] == [("a__b", ',"'), ("e__f", 3.0)]


def test_instances_are_left_out_of_a_value_however_many_there_are() -> None:
    many = "6,665 (" + "; ".join("33" for _ in range(60_000)) + ")"
    assert value(only(raw((("inst__x", "inst"), (DURATION, "us")), [(many, "1.5")])), "inst__x") == 6665.0


def test_the_names_of_links_and_lists_of_metrics_are_text_even_of_digits() -> None:
    metrics = (("nvlink__destination_ports", ""), ("breakdown:a__b", ""), (DURATION, "us"))
    one = only(raw(metrics, [("0,1", "c__d,e__f", "1.5")]))
    assert value(one, "nvlink__destination_ports") == "0,1"
    assert value(one, DURATION) == 1.5e-6


def test_european_numbers_are_read_by_what_the_file_shows() -> None:
    one = only(raw(METRICS, [("117.344", "56,06", "x")]))
    assert (value(one, DURATION), value(one, READ)) == (117344e-6, 56060000.0)


def test_the_notation_shows_in_any_row_of_the_file() -> None:
    found = reading(raw(METRICS, [("117.344", "5", "x"), ("1.024", "7", "x"), ("1", "56,06", "x")]))
    assert [value(one, DURATION) for one in found.launches] == [117344e-6, 1024e-6, 1e-6]


def test_rows_in_two_notations_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:4: '56,06' and '117\.34' \(line 3\)"):
        reading(raw(METRICS, [("117.34", "5", "x"), ("56,06", "7", "x")]))


def test_a_row_of_a_launch_that_is_there_is_ignored_where_it_is_the_same() -> None:
    text = raw(METRICS, [("1.5", "2", "x")])
    assert value(only(text + text.splitlines(keepends=True)[2]), READ) == 2e6


def test_another_row_of_the_same_launch_is_refused() -> None:
    text = raw(METRICS, [("1.5", "2", "x")])
    with pytest.raises(ProfileError, match=r"it\.csv:4: launch 0 is in lines 3 and 4, with different values"):
        reading(text + row((*launch(0), "1.5", "3", "x")))


def test_a_metric_that_is_the_title_of_two_columns_is_one_counter_if_they_agree() -> None:
    one = only(raw((METRICS[0], METRICS[0]), [("1.5", "1.5")]))
    assert list(one.counters) == [Counter(DURATION, 1.5e-6, "s")]


def test_columns_of_one_title_that_differ_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:3: .*title of 2 columns with different values"):
        reading(raw((METRICS[0], METRICS[0]), [("1.5", "2.5")]))


def test_a_row_with_too_few_cells_is_refused_at_its_line() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:3: a row of 13 cells under the 14 titles of line 1"):
        reading(raw(METRICS, [("1.5", "2")]))


def test_the_device_is_called_by_its_name_where_the_page_has_it() -> None:
    one = only(raw((*METRICS, ("device__attribute_display_name", "")), [("1.5", "2", "x", "NVIDIA H200")]))
    assert (one.device, one.compute_cap) == ("NVIDIA H200", "9.0")


def test_ranges_shift_the_columns_and_name_the_launch() -> None:
    at = LAUNCH.index("Kernel Name")
    rest = ":none" * 6
    ranges = f'1  "<default domain>:step{rest}"  "<default domain>:in:ner{rest}" '
    cells = (*launch(0)[:at], ranges, *launch(0)[at:], "1.5")
    titles = (*LAUNCH[:at], PUSHED, *LAUNCH[at:], DURATION)
    one = only(row(titles) + row((*("" for _ in cells[:-1]), "us")) + row(cells))
    assert (one.nvtx, one.kernel, value(one, DURATION)) == ("step/in:ner", "copy(float *)", 1.5e-6)


def test_an_index_that_another_program_added_does_no_harm() -> None:
    lines = list(csv.reader(raw(METRICS, [("1.5", "2", "x")]).splitlines()))
    one = only("".join(plain([index, *cells]) for index, cells in zip(("", "0", "1"), lines, strict=True)))
    assert value(one, READ) == 2e6


def test_the_viewer_writes_units_behind_titles() -> None:
    found = reading(viewer([f"{DURATION} [usecond]", "inst__x"], [["117.344,06", "56"], ["1.024,50", "7 {12}"]]))
    assert found.kind is FileKind.RAW
    assert [list(one.counters) for one in found.launches] == [
        [Counter(DURATION, 0.11734406, "s"), Counter("inst__x", 56.0)],
        [Counter(DURATION, 0.0010245, "s"), Counter("inst__x", 7.0)],
    ]


def test_the_viewer_shortens_names_and_has_the_whole_one_in_another_column() -> None:
    one = only(viewer([f"{DURATION} [us]"], [["1.5"]]))
    assert (one.kernel, one.grid, one.block) == ("copy(float *, float *)", (64, 2, 1), (256, 1, 1))
    assert (one.process, one.device) == ("480", "NVIDIA Example GPU")


def test_a_file_that_ends_in_a_bare_number_says_that_it_may_be_cut_off() -> None:
    text = plain(["ID", "Function Name", f"{DURATION} [us]"]) + "0,copy,12"
    found = reading(text)
    assert found.warnings == ("line 2: the file does not end with a line feed: its last value may be cut off",)
    assert value(found.launches[0], DURATION) == 12e-6


@pytest.mark.parametrize("name", ["small_full.raw", "small_basic.raw"])
def test_every_cell_of_a_recorded_page_is_read_in_place(name: str) -> None:
    """Against the csv module, cell by cell."""
    text = (DATA / f"{name}.csv").read_text()
    titles, units, *rows = csv.reader(text.splitlines())
    found = reading(text).launches
    assert len(found) == len(rows)
    for one, cells in zip(found, rows, strict=True):
        numbers = {c.name: c.value for c in one.counters if isinstance(c.value, float)}
        for title, unit, cell in zip(titles[11:], units[11:], cells[11:], strict=True):
            digits = cell.replace(",", "")
            is_number = digits.replace(".", "", 1).isdigit() and not title.startswith("nvlink")
            if unit in {"", "%", "cycle", "inst"} and is_number:
                assert numbers[title] == float(digits), title
        assert DURATION in numbers


def test_a_compressed_page_is_refused_with_how_to_undo_it() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:1: this is compressed with gzip") as refused:
        reading(gzip.compress(raw(METRICS, [("1.5", "2", "x")]).encode()))
    assert refused.value.hint == "Decompress it: gunzip FILE"


def test_the_viewers_row_under_the_titles_is_a_launch() -> None:
    assert len(viewed(0)) == len(viewer([], []).splitlines()[0].split(",")) - 1


def precision(cell: str, unit: str) -> float:
    """Half a unit of the last digit that is printed, in base units."""
    decimals = len(cell.partition(".")[2])
    return parse_unit(unit).to_base(0.5000001 * 10.0**-decimals)


def test_base_and_scaled_units_give_the_same_values_to_the_precision_that_each_prints() -> None:
    """One profile, exported both ways: every metric of every launch."""
    names = "small_full.raw.base.csv", "small_full.raw.csv"
    base, scaled = (reading((DATA / name).read_bytes()).launches for name in names)
    pages = [list(csv.reader((DATA / name).read_text().splitlines())) for name in names]
    compared = 0
    for number, (one, other) in enumerate(zip(base, scaled, strict=True)):
        printed = [dict(zip(page[0], zip(page[1], page[2 + number], strict=True), strict=True)) for page in pages]
        theirs = {counter.name: counter for counter in other.counters}
        assert {counter.name for counter in one.counters} == theirs.keys()
        for counter in one.counters:
            same = theirs[counter.name]
            assert same.unit == counter.unit, counter.name
            if isinstance(counter.value, str):
                assert same.value == counter.value
                continue
            assert isinstance(same.value, float)
            allowed = sum(precision(page[counter.name][1], page[counter.name][0]) for page in printed)
            assert abs(same.value - counter.value) <= allowed, counter.name
            compared += 1
    assert compared > 17_000


def test_a_value_that_leaves_the_range_of_floats_in_base_units_is_text() -> None:
    titles = '"ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum"\n'
    page = titles + '"","","ns","Tbyte"\n"0","scale","5","1e300"\n'
    counters = read(io.BytesIO(page.encode())).launches[0].counters
    assert [c.value for c in counters if c.name == "dram__bytes_read.sum"] == ["1e300"]
