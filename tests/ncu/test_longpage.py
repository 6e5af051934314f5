"""Details pages and metric selections: one row per launch and metric."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu.notation import Mark, read_cell
from perftrack.ncu.raw import FileKind
from tests.ncu.texts import (
    DURATION,
    LAUNCH,
    MEMORY,
    METRIC,
    READ,
    RULE,
    SELECTION,
    SPEED,
    details,
    launch,
    only,
    plain,
    reading,
    remark,
    row,
    selection,
    value,
)  # fmt: skip

TIME = (SPEED, "Duration", "us", "1.50")


def test_a_selection_has_its_metrics_under_their_own_names() -> None:
    found = reading(selection([[(DURATION, "us", "124.54"), (READ, "Mbyte", "268.44")]]))
    assert found.kind is FileKind.METRICS
    assert list(found.launches[0].counters) == [
        Counter(DURATION, 124.54e-6, "s"),
        Counter(READ, 268440000.0, "byte"),
    ]


def test_a_details_page_has_its_metrics_under_label_and_section() -> None:
    found = reading(details([[TIME, (MEMORY, "Memory Throughput", "Gbyte/s", "763.25")]]))
    assert found.kind is FileKind.DETAILS
    assert list(found.launches[0].counters) == [
        Counter("Duration", 1.5e-6, "s", SPEED),
        Counter("Memory Throughput", 763.25e9, "byte/s", MEMORY),
    ]


def test_a_label_in_two_sections_is_two_counters() -> None:
    one = only(
        details([[(SPEED, "Memory Throughput", "%", "43.5"), (MEMORY, "Memory Throughput", "Gbyte/s", "7.25")]])
    )
    assert value(one, "Memory Throughput", SPEED) == 43.5
    assert value(one, "Memory Throughput", MEMORY) == 7.25e9


def test_rows_may_have_fewer_cells_than_titles() -> None:
    text = details([[TIME]])
    titles, cells = text.splitlines()[0].count(","), text.splitlines()[1].count('","')
    assert cells < titles
    assert value(only(text), "Duration") == 1.5e-6


def test_remarks_of_rules_are_no_metrics() -> None:
    remarks = remark(0, 'Look at the "Memory" section, (50%).') + row((*launch(0), SPEED, "", "", ""))
    assert len(only(details([[TIME]]) + remarks).counters) == 1


def test_a_remark_may_have_line_breaks_and_rows_go_on_after_it() -> None:
    after = row((*launch(0), SPEED, "SM Frequency", "cycle/nsecond", "1.25"), end=",\n")
    one = only(details([[TIME]]) + remark(0, 'two\nlines, "quoted"\n') + after)
    assert value(one, "SM Frequency") == 1.25e9


def test_the_unit_of_a_metric_may_change_between_launches() -> None:
    printed = ("us", "124.54"), ("ms", "1.10"), ("ns", "9.75")
    found = reading(selection([[(DURATION, *one)] for one in printed]))
    assert [value(one, DURATION) for one in found.launches] == [124.54e-6, 1.1e-3, 9.75e-9]


def test_a_label_of_a_body_item_tells_its_metrics_from_those_above() -> None:
    titles = row((*LAUNCH, "Section Name", "Body Item Label", *METRIC[1:]))
    rows = row((*launch(0), SPEED, "", "Duration", "us", "1.50")) + row(
        (*launch(0), SPEED, "Breakdown", "Duration", "us", "2.25")
    )
    one = only(titles + rows)
    assert value(one, "Duration", SPEED) == 1.5e-6
    assert value(one, "Duration", f"{SPEED}: Breakdown") == 2.25e-6


def test_a_metric_named_after_its_label_is_known_by_its_own_name() -> None:
    one = only(details([[(SPEED, f"Duration ({DURATION})", "us", "1.50")]]))
    assert list(one.counters) == [Counter(DURATION, 1.5e-6, "s")]


def test_a_metric_in_two_sections_with_one_value_is_one_counter() -> None:
    one = only(details([[(SPEED, READ, "byte", "7"), (MEMORY, READ, "byte", "7"), TIME]]))
    assert value(one, READ) == 7.0


def test_a_name_with_several_values_in_one_section_says_nothing_and_is_listed() -> None:
    one = only(details([[("Tables", "Requests", "", "1"), ("Tables", "Requests", "", "2"), TIME]]))
    assert value(one, "Requests") is None
    assert one.unparsed == ("Requests (Tables): 2 different values under one name",)
    assert value(one, "Duration") == 1.5e-6


def test_missing_values_are_no_counters() -> None:
    missing = (DURATION, "us", "n/a"), (READ, "byte", "(!) nan"), ("a__b", "", ""), ("e__f", "", "no data")
    one = only(selection([[*missing, ("c__d", "", "1")]]))
    assert [counter.name for counter in one.counters] == ["c__d"]


def test_columns_are_found_by_title_wherever_they_stand() -> None:
    titles = ("Metric Value", "Metric Unit", "Kernel Name", "New Column", "ID", "Metric Name")
    one = only(row(titles) + row(("124.54", "us", "copy()", "x", "0", DURATION)))
    assert (one.kernel, value(one, DURATION)) == ("copy()", 124.54e-6)


def test_titles_are_known_in_any_case_and_without_quotes() -> None:
    text = plain(("id", "kernel name", "metric name", "metric unit", "metric value"))
    assert value(only(text + plain(("0", "copy()", DURATION, "ns", "1,000"))), DURATION) == 1e-6


def test_cells_may_be_divided_by_semicolons() -> None:
    text = selection([[(DURATION, "us", "124,54")]]).replace('","', '";"')
    assert value(only(text), DURATION) == 124.54e-6


def test_rows_of_launches_may_be_mixed() -> None:
    text = selection([[(DURATION, "us", f"{i}.25"), (READ, "byte", str(i))] for i in (1, 2)])
    head, a, b, c, d = text.splitlines(keepends=True)
    found = reading(head + d + a + c + b)
    assert [(one.id, value(one, DURATION), value(one, READ)) for one in found.launches] == [
        ("0", 1.25e-6, 1.0),
        ("1", 2.25e-6, 2.0),
    ]


def test_many_rows_of_one_launch_are_all_read() -> None:
    one = only(selection([[(f"a__{i}", "", str(i)) for i in range(3000)]]))
    assert [counter.value for counter in one.counters] == [float(i) for i in range(3000)]


def test_many_launches_of_one_layout_are_all_read() -> None:
    rows = [[(DURATION, "us", f"{i}.25"), (READ, "byte", str(i)), ("a__b", "", "")] for i in range(700)]
    found = reading(selection(rows))
    assert [value(one, DURATION) for one in found.launches] == [(i + 0.25) / 1e6 for i in range(700)]
    assert [value(one, READ) for one in found.launches] == [float(i) for i in range(700)]


def test_a_kernel_name_with_quotes_and_line_breaks_is_kept() -> None:
    name = 'k<"a,b">(\nint)'
    found = reading(selection([[(DURATION, "us", "1.25"), (READ, "byte", "1")]] * 2, kernel=name))
    assert [(one.kernel, value(one, READ)) for one in found.launches] == [(name, 1.0)] * 2


@pytest.mark.parametrize("missing", ["Metric Unit", "Metric Value", "Kernel Name", "ID"])
def test_a_table_without_one_of_its_columns_is_refused_by_what_it_lacks(missing: str) -> None:
    whole = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
    titles = [title for title in whole if title != missing]
    with pytest.raises(ProfileError, match=rf"it\.csv:1: .*{missing.lower()}"):
        reading(row(titles) + row("0" for _ in titles))


def test_a_row_that_is_cut_off_is_refused_at_its_line() -> None:
    text = selection([[(DURATION, "us", "124.54"), (READ, "byte", "1")]])
    lines = text.splitlines(keepends=True)
    with pytest.raises(ProfileError, match=r"it\.csv:2: a row .*cut off"):
        reading(lines[0] + lines[1][:-9] + "\n" + lines[2])


def test_a_value_that_is_cut_off_after_its_comma_is_refused() -> None:
    text = details([[TIME]])
    with pytest.raises(ProfileError, match=r"it\.csv:2: a row of 15 cells"):
        reading(text[: text.rindex('"1.50"')])


def test_a_row_without_an_id_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:2: a row without the id of its launch"):
        reading(row((*LAUNCH, *METRIC, *RULE)) + row((*launch(""), *TIME), end=",\n"))


def test_what_an_unquoted_cell_hides_is_not_taken_for_another_launch() -> None:
    """A row that only begins like those of the launch before is read for itself."""
    lines = selection([[(DURATION, "us", "1.25"), (READ, "byte", "1")]]).splitlines(keepends=True)
    odd = lines[1].replace('"copy(float *)"', "copy2").replace('"0"', '"7"', 1)
    found = reading("".join((*lines, odd)))
    assert [(one.id, one.kernel) for one in found.launches] == [("0", "copy(float *)"), ("7", "copy2")]


def test_selections_and_sections_in_one_table_make_a_details_page() -> None:
    rows = row((*launch(0), SELECTION, READ, "byte", "7"), end=",\n")
    found = reading(details([[TIME]]) + rows)
    assert found.kind is FileKind.DETAILS
    assert value(found.launches[0], READ) == 7.0


CELLS = st.sampled_from(["1.50", "12", "7", 'a "b" c', '"', "", "n/a", "two\nlines", "x", "1,024.5", "it,em"])


@given(st.lists(st.lists(CELLS, min_size=4, max_size=4), min_size=2, max_size=5), st.data())
def test_rows_told_by_their_bytes_are_read_as_records_are(launches: list[list[str]], data: st.DataObject) -> None:
    text = row((*LAUNCH, *METRIC, *RULE))
    for number, cells in enumerate([["1.50"] * 4, *launches]):
        for name, cell in zip("abcd", cells, strict=True):
            end = data.draw(st.sampled_from(["\n", ",\n", ",\n" + remark(number, 'a "remark"')]))
            text += row((*launch(number), SELECTION, f"{name}__x", "inst", cell), end=end)
    found = {one.id: {c.name: c.value for c in one.counters} for one in reading(text).launches}
    for number, cells in enumerate(launches, start=1):
        expected = {f"{name}__x": read_cell(cell, Mark.POINT) for name, cell in zip("abcd", cells, strict=True)}
        assert found.get(str(number), {}) == {name: value for name, value in expected.items() if value is not None}


@pytest.mark.parametrize("decides", ["56,06", "5,06", "1.234.567"])
def test_a_cell_of_any_launch_decides_for_the_file(decides: str) -> None:
    launches = [["12", "13"], ["12", "1.234"], ["5", decides]]
    found = reading(selection([[("a__x", "us", a), ("b__x", "us", b)] for a, b in launches])).launches
    assert value(found[1], "b__x") == 1234.0e-6


def test_a_conflict_is_told_by_the_same_cells_each_time() -> None:
    cells = ["12", *(f"{i}{i}.5" for i in range(9, 1, -1)), *(f"{i}.5" for i in range(9, 0, -1)), "1,5"]
    with pytest.raises(
        ProfileError, match=r"it\.csv:20: '1,5' and '1\.5' \(line 19\) use different decimal marks"
    ):
        reading(selection([[("a__x", "us", cell)] for cell in cells]))


def test_lists_of_the_wiring_say_nothing_about_the_decimal_mark() -> None:
    one = only(selection([[("nvlink__peers", "", "0,1"), ("a__x", "", "56.06")]]))
    assert (value(one, "nvlink__peers"), value(one, "a__x")) == ("0,1", 56.06)
