from __future__ import annotations

import math
from collections import Counter as Tally
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.launches.launch import Bound, Counter, Launch
from perftrack.ncu.raw import RawLaunch
from perftrack.ncu.summary import Equal, bound, is_needed, summarise
from tests.ncu.launches import counter, raw, summary

SPEED, OLD_SPEED = "GPU Speed Of Light Throughput", "GPU Speed Of Light"
MEMORY, LAUNCH, OCCUPANCY = "Memory Workload Analysis", "Launch Statistics", "Occupancy"


def test_raw_metrics_fill_their_fields_and_nothing_is_called_filled() -> None:
    s = summary(
        counter("gpu__time_duration.sum", 1.5e-4),
        counter("gpc__cycles_elapsed.max", 3e5),
        counter("dram__bytes_read.sum", 2e8),
        counter("dram__bytes_write.sum", 1e8),
        counter("dram__bytes.sum.per_second", 2e12, "byte/s"),
        counter("launch__registers_per_thread", 64, "register/thread"),
        counter("lts__t_sector_hit_rate.pct", 51.5),
    )
    assert (s.duration_s, s.cycles, s.registers, s.l2_hit_pct) == (1.5e-4, 3e5, 64, 51.5)
    assert (s.dram_read_bytes, s.dram_write_bytes, s.dram_bytes_per_s) == (2e8, 1e8, 2e12)
    assert s.filled == ()
    assert s.unparsed == ()


def test_labels_of_the_details_page_fill_their_fields_and_are_usual_there() -> None:
    s = summary(
        counter("Duration", 1e-4, "s", SPEED),
        counter("Memory Throughput", 85.0, "%", SPEED),
        counter("Memory Throughput", 4.1e12, "byte/s", MEMORY),
        counter("DRAM Throughput", 86.0, "%", SPEED),
        counter("Static Shared Memory Per Block", 1024, "byte/block", LAUNCH),
        counter("Dynamic Shared Memory Per Block", 512, "byte/block", LAUNCH),
        counter("Achieved Occupancy", 77.8, "%", OCCUPANCY),
    )
    assert (s.duration_s, s.mem_pct, s.dram_pct, s.dram_bytes_per_s) == (1e-4, 85.0, 86.0, 4.1e12)
    assert (s.shared_bytes, s.occupancy_achieved_pct) == (1536, 77.8)
    assert s.filled == ()


@pytest.mark.parametrize(
    ("given", "field", "value", "title"),
    [
        (counter("SOL FB", 46.5, "%", OLD_SPEED), "dram_pct", 46.5, "SOL FB"),
        (counter("SOL DRAM", 46.5, "%", OLD_SPEED), "dram_pct", 46.5, "SOL DRAM"),
        (counter("SM [%]", 22.5, "%", OLD_SPEED), "sm_pct", 22.5, "SM [%]"),
        (counter("Compute (SM) [%]", 22.5, "%", OLD_SPEED), "sm_pct", 22.5, "Compute (SM) [%]"),
        (counter("Memory [%]", 46.5, "%", OLD_SPEED), "mem_pct", 46.5, "Memory [%]"),
        (counter("Memory Frequency", 7.7e8, "Hz", OLD_SPEED), "dram_clock_hz", 7.7e8, "Memory Frequency"),
        (counter("dram__bytes_op_read.sum", 7.0), "dram_read_bytes", 7.0, "dram__bytes_op_read.sum"),
        (counter("dram__bytes_op_write.sum", 7.0), "dram_write_bytes", 7.0, "dram__bytes_op_write.sum"),
        (counter("dram__sectors_read.sum", 3, "sector"), "dram_read_bytes", 96, "dram__sectors_read.sum × 32"),
        (
            counter("dram__sectors_op_write.sum", 3, "sector"),
            "dram_write_bytes",
            96,
            "dram__sectors_op_write.sum × 32",
        ),
        (
            counter("dram__throughput.avg.pct_of_peak_sustained_elapsed", 9.0),
            "dram_pct",
            9.0,
            "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        ),
        (
            counter("lts__t_sectors_op_read.sum", 2, "sector"),
            "l2_read_bytes",
            64,
            "lts__t_sectors_op_read.sum × 32",
        ),
        (counter("sm__inst_executed.sum", 5, "inst"), "instructions", 5, "sm__inst_executed.sum"),
    ],
)
def test_names_of_other_releases_fill_a_field_and_are_told(
    given: Counter, field: str, value: float, title: str
) -> None:
    s = summary(given)
    assert getattr(s, field) == value
    assert s.filled == ((field, title),)


def test_the_usual_name_goes_before_another() -> None:
    s = summary(counter("dram__sectors_read.sum", 3, "sector"), counter("dram__bytes_read.sum", 100.0))
    assert s.dram_read_bytes == 100.0
    assert s.filled == ()


def test_a_metric_selection_has_raw_names_in_a_section() -> None:
    s = summary(counter("gpu__time_duration.sum", 1e-4, "s", "Command line profiler metrics"))
    assert s.duration_s == 1e-4


def test_a_label_in_a_renamed_section_counts_where_it_is_the_only_one_of_its_kind() -> None:
    assert summary(counter("Duration", 1e-4, "s", "Speed")).duration_s == 1e-4
    two = summary(counter("Duration", 1e-4, "s", "Speed"), counter("Duration", 2e-4, "s", "Other"))
    assert two.duration_s is None


def test_the_percentage_of_a_basic_profile_is_no_byte_rate_and_no_problem() -> None:
    s = summary(counter("Memory Throughput", 85.0, "%", SPEED))
    assert s.dram_bytes_per_s is None
    assert s.unparsed == ()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            counter("Memory Throughput", 85.0, "%", MEMORY),
            "dram_bytes_per_s: 85 in '%' (Memory Throughput) is not a byte rate",
        ),
        (
            counter("gpu__time_duration.sum", 5.0, "cycle"),
            "duration_s: 5 in 'cycle' (gpu__time_duration.sum) is not a time",
        ),
        (
            counter("gpu__time_duration.sum", 5.0, ""),
            "duration_s: 5 without a unit (gpu__time_duration.sum) is not a time",
        ),
        (
            counter("launch__registers_per_thread", 5.0, "byte"),
            "registers: 5 in 'byte' (launch__registers_per_thread) is not a count",
        ),
        (
            counter("dram__bytes_read.sum", "many", "byte"),
            "dram_read_bytes: 'many' (dram__bytes_read.sum) is no number",
        ),
    ],
)
def test_a_value_of_the_wrong_kind_is_missing_and_listed(given: Counter, problem: str) -> None:
    s = summary(given)
    assert s.unparsed == (problem,)
    assert getattr(s, problem.split(":", maxsplit=1)[0]) is None


def test_what_the_reader_could_not_read_stays_listed() -> None:
    assert summary(unparsed=("grid: 'x' is no shape",)).unparsed == ("grid: 'x' is no shape",)


def test_a_percentage_may_come_without_its_sign() -> None:
    assert summary(counter("lts__t_sector_hit_rate.pct", 50.0, "")).l2_hit_pct == 50.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_missing(value: float) -> None:
    assert summary(counter("gpu__time_duration.sum", value)).duration_s is None


def test_a_launch_without_counters_has_no_zeros() -> None:
    s = summary()
    numbers = [getattr(s, name) for name in ("duration_s", "dram_read_bytes", "registers", "flops", "local_bytes")]
    assert numbers == [None] * 5
    assert (s.occupancy_limiter, s.bound, s.top_stalls) == (None, Bound.UNKNOWN, ())


def test_a_byte_rate_that_is_missing_is_that_of_bytes_and_time() -> None:
    moved = counter("dram__bytes_read.sum", 3e8), counter("dram__bytes_write.sum", 1e8)
    s = summary(*moved, counter("gpu__time_duration.sum", 1e-4))
    assert s.dram_bytes_per_s == 4e12
    assert s.filled == (("dram_bytes_per_s", "(dram_read_bytes + dram_write_bytes) / duration_s"),)


def test_bytes_read_alone_make_no_byte_rate() -> None:
    assert (
        summary(counter("dram__bytes_read.sum", 3e8), counter("gpu__time_duration.sum", 1e-4)).dram_bytes_per_s
        is None
    )


def test_sectors_per_request_needs_requests() -> None:
    sectors = counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 64, "sector")
    requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    assert summary(sectors, counter(requests, 2, "request")).sectors_per_request == 32
    assert summary(sectors, counter(requests, 0, "request")).sectors_per_request is None


def test_local_bytes_are_the_sectors_of_loads_and_stores() -> None:
    load, store = (f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st"))
    assert summary(counter(load, 2, "sector"), counter(store, 3, "sector")).local_bytes == 160
    assert summary(counter(load, 0, "sector"), counter(store, 0, "sector")).local_bytes == 0
    assert summary(counter(load, 2, "sector")).local_bytes is None


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"registers": 5, "shared_mem": 8, "warps": 8, "blocks": 32}, "registers"),
        ({"registers": 8, "shared_mem": 4, "warps": 4, "blocks": 32}, "shared memory and warps"),
        ({"blocks": 16, "warps": 64}, "blocks per SM"),
        ({"barriers": 2, "warps": 64}, "barriers"),
        ({}, None),
    ],
)
def test_the_limiter_is_what_allows_the_fewest_blocks_and_ties_are_named(
    limits: dict[str, int], text: str | None
) -> None:
    counters = [counter(f"launch__occupancy_limit_{name}", value, "block") for name, value in limits.items()]
    assert summary(*counters).occupancy_limiter == text


def test_the_limiter_of_a_details_page_is_by_its_labels() -> None:
    s = summary(
        counter("Block Limit SM", 32, "block", OCCUPANCY), counter("Block Limit Warps", 8, "block", OCCUPANCY)
    )
    assert s.occupancy_limiter == "warps"


@pytest.mark.parametrize(
    ("memory", "compute", "label"),
    [
        (60.0, 10.0, Bound.MEMORY),
        (60.0, 60.0, Bound.MEMORY),
        (10.0, 60.0, Bound.COMPUTE),
        (59.9, 10.0, Bound.MIXED),
        (40.0, 39.9, Bound.MIXED),
        (39.9, 39.9, Bound.LATENCY),
        (0.0, 0.0, Bound.LATENCY),
        (None, None, Bound.UNKNOWN),
        (80.0, None, Bound.MEMORY),
        (None, 80.0, Bound.COMPUTE),
        (20.0, None, Bound.UNKNOWN),
        (None, 20.0, Bound.UNKNOWN),
    ],
)
def test_bound_labels(memory: float | None, compute: float | None, label: Bound) -> None:
    assert bound(memory, compute) is label


def test_the_bound_is_by_dram_and_by_all_memory_where_dram_is_not_told() -> None:
    sm = counter("sm__throughput.avg.pct_of_peak_sustained_elapsed", 10.0)
    dram = counter("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 20.0)
    memory = counter("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 90.0)
    assert summary(sm, dram, memory).bound is Bound.LATENCY
    assert summary(sm, memory).bound is Bound.MEMORY


def test_shape_and_capability_come_from_counters_where_the_file_has_no_columns() -> None:
    sizes = [counter(f"launch__grid_dim_{axis}", size) for axis, size in zip("xyz", (8, 4, 2), strict=True)]
    cap = [counter(f"device__attribute_compute_capability_{part}", v) for part, v in (("major", 9), ("minor", 0))]
    s = summary(*sizes, *cap, counter("device__attribute_display_name", "NVIDIA H200"), grid=None, block=None)
    assert (s.grid, s.block, s.compute_cap, s.device) == ((8, 4, 2), None, "9.0", "NVIDIA H200")


@pytest.mark.parametrize(("column", "name"), [("0", ""), ("", ""), ("NVIDIA H200", "NVIDIA H200")])
def test_a_device_is_its_name_and_not_its_number(column: str, name: str) -> None:
    assert summary(device=column).device == name


def numbered(launches: Iterable[RawLaunch]) -> list[Launch]:
    seen: Tally[Equal] = Tally()
    return [summarise(launch, seen=seen) for launch in launches]


def test_launches_are_numbered_among_their_equals() -> None:
    kernels = ["a", "b", "a", "a", "b"]
    launches = numbered(raw(kernel=k, number=str(i)) for i, k in enumerate(kernels))
    assert [launch.summary.occurrence for launch in launches] == [0, 0, 1, 2, 1]
    assert len({launch.summary.identity for launch in launches}) == 5


def test_another_shape_or_range_is_another_launch() -> None:
    different = [raw(), raw(grid=(1, 1, 1)), raw(block=(1, 1, 1)), raw(nvtx="step")]
    assert [n.summary.occurrence for n in numbered(different)] == [0, 0, 0, 0]


def test_one_spelling_of_a_name_is_kept() -> None:
    assert (
        summary(kernel="void f<float, (int)512>(T1*)").kernel == summary(kernel="void f<float, 512>(T1 *)").kernel
    )


@given(
    st.lists(
        st.builds(
            Counter,
            st.sampled_from(
                [
                    "gpu__time_duration.sum",
                    "Duration",
                    "Memory Throughput",
                    "smsp__pcsamp_warps_issue_stalled_wait",
                    "x",
                ]
            ),
            st.one_of(st.floats(), st.text(max_size=5)),
            st.sampled_from(["s", "%", "byte/s", "", "warp"]),
            st.sampled_from(["", SPEED, MEMORY, "Other"]),
        ),
        max_size=12,
    )
)
def test_any_counters_make_a_summary_of_finite_numbers(counters: list[Counter]) -> None:
    s = summary(*counters)
    for value in (s.duration_s, s.mem_pct, s.dram_bytes_per_s):
        assert value is None or math.isfinite(value)


def test_what_a_summary_is_made_of_is_needed_and_little_else() -> None:
    for name in (
        "gpu__time_duration.sum",
        "smsp__pcsamp_warps_issue_stalled_wait",
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "device__attribute_display_name",
    ):
        assert is_needed(name)
    assert not is_needed("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (counter("gpu__time_duration.sum", -1.5e-4), "duration_s"),
        (counter("dram__bytes_read.sum", -1.0), "dram_read_bytes"),
        (counter("gpc__cycles_elapsed.max", -3.0), "cycles"),
        (counter("lts__t_sector_hit_rate.pct", -5.0), "l2_hit_pct"),
    ],
)
def test_a_negative_value_is_no_measurement_and_said_to_be_none(given: Counter, field: str) -> None:
    s = summary(given)
    assert getattr(s, field) is None
    assert any(field in text and "is negative" in text for text in s.unparsed)
