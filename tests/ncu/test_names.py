from __future__ import annotations

import dataclasses

import pytest

from perftrack.core.launches.launch import LaunchSummary
from perftrack.ncu.kinds import Kind, fits
from perftrack.ncu.names import FIELDS, LIMITS, Source, stored_unit

SOURCES = [(field, source) for field, sources in (FIELDS | LIMITS).items() for source in sources]


def test_every_row_of_the_table_is_a_field_of_a_summary() -> None:
    assert FIELDS.keys() <= {f.name for f in dataclasses.fields(LaunchSummary)}


@pytest.mark.parametrize(("field", "source"), SOURCES)
def test_every_name_says_where_it_was_seen_and_labels_say_their_section(field: str, source: Source) -> None:
    assert source.seen.startswith("details" if source.sections else "raw")
    assert all(("__" in m or m == "inst_executed") is not bool(source.sections) for m in source.metrics)


@pytest.mark.parametrize("field", FIELDS)
def test_no_name_stands_twice_in_a_row(field: str) -> None:
    names = [(source.metrics, source.sections) for source in FIELDS[field]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Kind.TIME, ["s"], ["", "%", "cycle", "byte/s"]),
        (Kind.BYTES, ["byte", "byte/block"], ["", "byte/s", "sector", "%"]),
        (Kind.RATE, ["byte/s"], ["byte", "%", ""]),
        (Kind.PERCENT, ["%", ""], ["byte/s", "s", "warp"]),
        (Kind.FREQUENCY, ["Hz"], ["cycle", "s", ""]),
        (Kind.CYCLES, ["cycle"], ["Hz", "s", ""]),
        (
            Kind.COUNT,
            ["", "inst", "warp", "block", "register/thread", "sector", "inst/cycle"],
            ["byte", "s", "%", "Hz", "cycle", "byte/s", "sector/s", "byte/cycle"],
        ),
    ],
)
def test_a_unit_is_of_one_kind(kind: Kind, good: list[str], bad: list[str]) -> None:
    assert [fits(kind, unit) for unit in (*good, *bad)] == [True] * len(good) + [False] * len(bad)


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("gpu__time_duration.sum", "ns"),
        ("dram__bytes_op_read.sum", "byte"),
        ("gpc__cycles_elapsed.avg.per_second", "hz"),
        ("smsp__cycles_elapsed.avg", "cycle"),
        ("launch__registers_per_thread", ""),
        ("sm__pipe_alu_cycles_active.avg", ""),
    ],
)
def test_what_reports_store_has_the_profilers_base_unit(metric: str, unit: str) -> None:
    assert stored_unit(metric) == unit


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (FIELDS["duration_s"][0], "gpu__time_duration.sum"),
        (FIELDS["dram_read_bytes"][2], "dram__sectors_read.sum × 32"),
        (
            FIELDS["local_bytes"][0],
            "(l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum + l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum) × 32",
        ),
        (FIELDS["shared_bytes"][1], "Static Shared Memory Per Block + Dynamic Shared Memory Per Block"),
    ],
)
def test_a_source_is_named_as_it_is_put_together(source: Source, title: str) -> None:
    assert source.title == title
