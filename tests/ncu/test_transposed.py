"""The viewer's raw page with rows and columns exchanged."""

from __future__ import annotations

import random

import pytest

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu.raw import FileKind
from tests.ncu.texts import DURATION, only, plain, reading, transposed, value

CYCLES = "gpc__cycles_elapsed.max"
METRICS = [(f"{DURATION} [ms]", ["3.66", "4.75"]), (f"{CYCLES} [cycle]", ["68,38,625", "n/a"])]


def test_a_column_is_a_launch_and_a_row_a_metric() -> None:
    found = reading(transposed(METRICS, 2))
    assert found.kind is FileKind.TRANSPOSED
    assert [list(one.counters) for one in found.launches] == [
        [Counter(DURATION, 3.66e-3, "s"), Counter(CYCLES, 6838625.0, "cycle")],
        [Counter(DURATION, 4.75e-3, "s")],
    ]


def test_the_rows_of_identity_are_no_metrics() -> None:
    one = only(transposed([(f"{DURATION} [ms]", ["3.66"])]))
    assert (one.id, one.process, one.kernel) == ("0", "480", "copy(float *, float *)")
    assert (one.grid, one.block, one.device) == ((64, 2, 1), (256, 1, 1), "NVIDIA Example GPU")
    assert [counter.name for counter in one.counters] == [DURATION]


def test_a_cell_with_instances_alone_is_missing() -> None:
    metrics = (f"{DURATION} [ms]", ["3.66"]), ("a__b [%]", ["{2040}"]), ("c__d [%]", ["4.36 {2040}"])
    one = only(transposed(metrics))
    assert (value(one, "a__b"), value(one, "c__d")) == (None, 4.36)


def test_lists_of_metrics_are_text() -> None:
    one = only(transposed([(f"{DURATION} [ms]", ["3.66"]), ("group:memory__table", ["a__b,c__d"])]))
    assert value(one, "group:memory__table") == "a__b,c__d"


def test_a_table_that_another_program_exchanged_has_its_units_in_a_column() -> None:
    rows = ("ID", "", "0", "1"), ("Kernel Name", "", "a()", "b()"), (DURATION, "us", "1.5", "2.5")
    found = reading("".join(map(plain, rows)))
    assert [(one.kernel, value(one, DURATION)) for one in found.launches] == [("a()", 1.5e-6), ("b()", 2.5e-6)]


def test_rows_may_stand_in_any_order() -> None:
    lines = transposed(METRICS, 2).splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    found = reading("".join(lines))
    assert [(one.id, one.process, value(one, DURATION)) for one in found.launches] == [
        ("0", "480", 3.66e-3),
        ("1", "480", 4.75e-3),
    ]


def test_output_before_it_does_no_harm() -> None:
    assert value(reading("hello\nID,5\n" + transposed(METRICS, 2)).launches[1], DURATION) == 4.75e-3


def test_a_row_that_is_cut_off_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:\d+: a row of 1 cells where 2 columns begin at line 1"):
        reading(transposed([(f"{DURATION} [ms]", ["3.66"])]) + "gpc__cycles_elapsed.m")


def test_a_metric_with_two_values_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:14: .* is also in line 13, with different values"):
        reading(transposed([(f"{DURATION} [ms]", ["3.66"]), (f"{DURATION} [ms]", ["3.75"])]))


def test_a_row_of_ids_alone_is_no_table() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:1: "):
        reading("ID,0\nsome,thing\n")


def test_launches_without_a_metric_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:1: a table of launches without any metric"):
        reading(transposed([("Estimated Speedup [%]", ["3.5"])]))
