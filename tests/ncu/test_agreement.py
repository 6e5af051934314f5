"""One table of values for every file of the recorded profiles: each gives them to the precision that it prints.

The program launches four kernels twice. `BASIC` is one profile of it, exact out of its report; its CSV pages print
parts of that. `FULL` is another profile, as printed in base units with two decimals. Profiles that were printed
while they were taken are further ones, so that only what does not vary is theirs too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from perftrack.core.launches.launch import Bound, LaunchSummary
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.raw import FileKind
from perftrack.ncu.read import read
from tests.ncu.needs import reports

DATA = Path(__file__).parents[1] / "data" / "h200" / "ncu"
COPY, FLOATS = "stream_copy(const float4 *, float4 *, int)", "void fma_chain<float, 512>(T1 *, T1, T1)"
DOUBLES, CHASE = "void fma_chain<double, 64>(T1 *, T1, T1)", "pointer_chase(const int *, int *, int)"
KERNELS = (COPY, FLOATS, DOUBLES, CHASE)
GRIDS = ((65536, 1, 1), (16384, 1, 1), (4096, 1, 1), (1, 1, 1))
BLOCKS = ((256, 1, 1), (256, 1, 1), (256, 1, 1), (32, 1, 1))
BOUNDS = (Bound.MEMORY, Bound.COMPUTE, Bound.COMPUTE, Bound.LATENCY)
LIMITERS = ("warps", "warps", "warps", "shared memory and blocks per SM and barriers")

# fmt: off
BASIC = {
    "duration_s": (124896e-9, 137824e-9, 11104e-9, 1100256e-9, 123200e-9, 137888e-9, 11168e-9, 1106176e-9),
    "cycles": (245846, 272449, 21510, 2178403, 243249, 272550, 21543, 2190206),
    "sm_clock_hz": (
        1959812564.0532925, 1974039354.5391223, 1927503602.3054755, 1979455349.4823024,
        1968339082.7922077, 1973984320.6080296, 1919244717.0487106, 1979429584.4422586,
    ),
    "dram_clock_hz": (
        3198266290.887352, 3198494698.5527434, 3198366954.8511043, 3199352393.140021,
        3198961038.961039, 3198344550.1663184, 3186246418.3381085, 3199471572.938363,
    ),
    "dram_pct": (
        85.44266040255567, 2.531823640727722, 15.713975326945137, 0.07524433495567832,
        86.45042256051634, 2.5306901192096607, 15.68335756926374, 0.0797636680507866,
    ),
    "mem_pct": (
        85.44266040255567, 3.0488178374097528, 18.92139433051422, 0.07524433495567832,
        86.45042256051634, 3.0206990780846135, 18.897527326682223, 0.0797636680507866,
    ),
    "sm_pct": (
        16.26082622035782, 95.99993810064717, 75.39278283443619, 0.0006963834130960181,
        16.412452876918117, 95.95779402054309, 75.28320626606013, 0.0006926645659947202,
    ),
    "occupancy_achieved_pct": (
        77.8833986354305, 93.34392692582718, 84.36394124078942, 1.5625007170914678,
        77.92708802441742, 93.34271537205126, 84.2956267413207, 1.5625,
    ),
    "occupancy_theoretical_pct": (100, 100, 100, 50, 100, 100, 100, 50),
    "registers": (16, 16, 16, 22, 16, 16, 16, 22),
    "waves": (
        62.06060606060606, 15.515151515151516, 3.878787878787879, 0.00023674242424242425,
        62.06060606060606, 15.515151515151516, 3.878787878787879, 0.00023674242424242425,
    ),
    "shared_bytes": (0,) * 8,
}
FULL = {
    "duration_s": (123744e-9, 137824e-9, 11136e-9, 1100000e-9, 124352e-9, 137760e-9, 11136e-9, 1103872e-9),
    "cycles": (243746, 272461, 21467, 2177889, 245390, 272362, 21484, 2185583),
    "sm_clock_hz": (
        1961892091.74, 1973832569.07, 1917665678.88, 1979482045.45,
        1967079339.29, 1974146159.99, 1919326957.61, 1979432058.25,
    ),
    "dram_read_bytes": (268444928, 16784128, 8393216, 3984128, 268449792, 16784128, 8393216, 3983360),
    "dram_write_bytes": (244468480, 2048, 0, 0, 245022208, 512, 768, 0),
    "dram_bytes_per_s": (
        4144955779674.17, 121794288367.77, 753701149425.29, 3621934545.45,
        4129181677817.81, 121839721254.36, 753770114942.53, 3608534322.82,
    ),
    "l1_hit_pct": (0, 49.91, 49.76, 0.09, 0, 49.88, 49.86, 0.09),
    "l2_hit_pct": (51.49, 52.25, 53.22, 2.98, 50.96, 51.51, 52.24, 3.49),
    "instructions": (8388608, 137887744, 4685824, 4531, 8388608, 137887744, 4685824, 4531),
    "dram_pct": (86.15, 2.53, 15.76, 0.08, 85.84, 2.53, 15.73, 0.07),
    "sm_pct": (16.43, 95.92, 74.35, 0.00, 16.43, 95.85, 74.14, 0.00),
    "registers": BASIC["registers"],
    "occupancy_theoretical_pct": BASIC["occupancy_theoretical_pct"],
}
# fmt: on

# File → kind, the profile it is of, decimals that it prints, and for what it picks a prefix: a column, a value.
FILES = {
    "small_basic.ncu-rep": (FileKind.REPORT, BASIC, 15, ""),
    "small_basic.raw.csv": (FileKind.RAW, BASIC, 6, "column"),
    "small_basic.details.csv": (FileKind.DETAILS, BASIC, 2, "value"),
    "small_full.raw.base.csv": (FileKind.RAW, FULL, 2, ""),
    "small_full.raw.csv": (FileKind.RAW, FULL, 6, "column"),
    "small_full.details.csv": (FileKind.DETAILS, FULL, 2, "value"),
}
LIVE = {
    "live_details.csv": FileKind.DETAILS,
    "live_raw.csv": FileKind.RAW,
    "live_metrics.csv": FileKind.METRICS,
}
# Details pages have no bytes, and hit rates and instructions only in the full set.
ABSENT = {"small_full.details.csv": {"dram_read_bytes", "dram_write_bytes"}}
# Fields that are printed with a prefix, and how many of ncu's base unit are one of ours.
PREFIXED = {"duration_s": 1e9, "sm_clock_hz": 1.0, "dram_clock_hz": 1.0, "dram_bytes_per_s": 1.0}
TWO_DECIMALS = {"waves": 0.005}  # a ratio that is printed with two in every file but the report


@cache
def summaries(name: str) -> tuple[LaunchSummary, ...]:
    return tuple(launch.summary for launch in summarise_launches([read(DATA / name)]))


def precision(field: str, prefixed: float, decimals: int) -> float:
    """Half of the last digit that is printed, in the field's base unit, under the prefix that `prefixed` gets."""
    unit = PREFIXED.get(field, 1.0)
    thousands = 1000 ** math.floor(math.log(prefixed * unit, 1000)) if field in PREFIXED and prefixed else 1
    return 0.5 * 10.0**-decimals * thousands / unit


def needing(names: Iterable[str]) -> list[ParameterSet]:
    """Each file, with what reading it takes."""
    return [pytest.param(n, marks=reports if n.endswith(".ncu-rep") else ()) for n in names]


@pytest.mark.parametrize("name", needing(FILES))
def test_every_file_gives_the_tables_values_to_the_precision_that_it_prints(name: str) -> None:
    kind, table, decimals, prefix = FILES[name]
    assert read(DATA / name).kind is kind
    for field, expected in table.items():
        for summary, value in zip(summaries(name), expected, strict=True):
            got = getattr(summary, field)
            if field in ABSENT.get(name, ()):
                assert got is None
                continue
            prefixed = {"column": max(expected), "value": value, "": 0.0}[prefix]
            tolerance = precision(field, prefixed, decimals)
            if table is FULL:  # the table is rounded too
                tolerance += precision(field, 0.0, 2)
            if decimals < 15:
                tolerance = max(tolerance, TWO_DECIMALS.get(field, 0.0))
            assert got == pytest.approx(value, rel=1e-12, abs=tolerance), (name, field)


@pytest.mark.parametrize("name", needing([*FILES, *LIVE]))
def test_every_file_has_the_same_launches(name: str) -> None:
    assert [s.kernel for s in summaries(name)] == [*KERNELS, *KERNELS]
    assert [s.grid for s in summaries(name)] == [*GRIDS, *GRIDS]
    assert [s.block for s in summaries(name)] == [*BLOCKS, *BLOCKS]
    assert [s.occurrence for s in summaries(name)] == [0] * 4 + [1] * 4


@pytest.mark.parametrize("name", needing([*FILES, "live_details.csv", "live_raw.csv"]))
def test_every_set_and_page_gives_the_same_labels(name: str) -> None:
    assert [s.bound for s in summaries(name)] == [*BOUNDS, *BOUNDS]
    assert [s.occupancy_limiter for s in summaries(name)] == [*LIMITERS, *LIMITERS]
    assert {s.compute_cap for s in summaries(name)} == {"9.0"}
    assert all(s.unparsed == () and s.filled == () for s in summaries(name))


@pytest.mark.parametrize("name", LIVE)
def test_what_was_printed_while_profiling_is_of_the_same_kernels(name: str) -> None:
    assert read(DATA / name).kind is LIVE[name]
    for summary, duration in zip(summaries(name), BASIC["duration_s"], strict=True):
        assert summary.duration_s == pytest.approx(duration, rel=0.03)


def test_what_was_printed_while_profiling_is_exact() -> None:
    assert [s.duration_s for s in summaries("live_metrics.csv")[:4]] == [
        124544e-9,
        138400e-9,
        11136e-9,
        1101312e-9,
    ]
    assert [s.dram_read_bytes for s in summaries("live_metrics.csv")[:2]] == [268444160, 16785152]
    assert [s.cycles for s in summaries("live_details.csv")[:2]] == [244471, 272422]


def test_both_pages_of_a_profile_are_one_list_of_launches() -> None:
    pages = [read(DATA / f"small_full.{page}.csv") for page in ("raw", "details")]
    both = [launch.summary for launch in summarise_launches(pages)]
    assert both == list(summaries("small_full.raw.csv"))


@reports
def test_a_report_and_its_pages_are_one_list_of_launches() -> None:
    files = [read(DATA / f"small_basic.{ending}") for ending in ("ncu-rep", "raw.csv", "details.csv")]
    assert [launch.summary for launch in summarise_launches(files)] == list(summaries("small_basic.ncu-rep"))


def test_operations_and_traffic_are_those_of_the_program() -> None:
    copy, floats, doubles, chase = summaries("small_full.raw.csv")[:4]
    threads = 2**22
    # Two chains of 512 fused multiply-adds and two additions; 0.2 % more are moves that were made of halves.
    assert floats.flops == pytest.approx(threads * (2 * 512 * 2 + 2), rel=0.003)
    assert doubles.flops == pytest.approx(2**20 * (2 * 64 * 2 + 2), rel=1e-6)
    assert (copy.flops, chase.flops) == (0, 0)
    assert copy.l2_read_bytes == 2**24 * 16
    assert (copy.sectors_per_request, floats.sectors_per_request) == (16, 4)
    assert chase.sectors_per_request == pytest.approx(32, rel=0.01)
    assert copy.local_bytes == 0


def test_stalls_are_those_of_the_kernels() -> None:
    top = [s.top_stalls[0] for s in summaries("small_full.raw.csv")[:4]]
    assert [(s.reason, s.source) for s in top] == [
        ("long_scoreboard", "pcsamp"),
        ("wait", "pcsamp"),
        ("math_pipe_throttle", "pcsamp"),
        ("long_scoreboard", "pcsamp"),
    ]
    assert top[0].share_pct == pytest.approx(94.4, abs=0.05)
