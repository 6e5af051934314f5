from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu import package
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.raw import FileKind, RawLaunch
from perftrack.ncu.report import read_report
from tests.ncu.needs import skip_module_without_reports
from tests.ncu.reports import (
    METRICS,
    RECORDED,
    block,
    metric,
    number,
    repeated_report,
    report,
    result,
    small_report,
)

skip_module_without_reports()

COPY = "stream_copy(const float4 *, float4 *, int)"


def values(launch: RawLaunch) -> dict[str, tuple[float | str, str]]:
    return {c.name: (c.value, c.unit) for c in launch.counters}


@pytest.fixture(scope="module")
def whole() -> tuple[RawLaunch, ...]:
    return read_report(RECORDED, "small", everything=True).launches


def test_the_recorded_report_has_its_eight_launches_in_order() -> None:
    reading = read_report(RECORDED, "small")
    assert reading.kind is FileKind.REPORT
    assert [launch.id for launch in reading.launches] == [str(i) for i in range(8)]
    assert [launch.kernel for launch in reading.launches[:4]] == [
        COPY,
        "void fma_chain<float, (int)512>(T1 *, T1, T1)",
        "void fma_chain<double, (int)64>(T1 *, T1, T1)",
        "pointer_chase(const int *, int *, int)",
    ]
    assert {launch.process for launch in reading.launches} == {"843"}


def test_values_are_exact_and_in_base_units(whole: tuple[RawLaunch, ...]) -> None:
    told = values(whole[0])
    assert told["gpu__time_duration.sum"] == (124896e-9, "s")
    assert told["gpc__cycles_elapsed.avg.per_second"] == (1959812564.0532925, "Hz")
    assert told["dram__cycles_active.avg.pct_of_peak_sustained_elapsed"] == (85.44266040255567, "%")
    assert told["launch__persisting_l2_cache_size"] == (11796480.0, "byte")
    assert told["launch__registers_per_thread"] == (16.0, "register/thread")
    assert told["device__attribute_display_name"] == ("NVIDIA H200", "")


def test_an_instanced_metric_is_its_aggregate(whole: tuple[RawLaunch, ...]) -> None:
    assert values(whole[0])["derived__pct_occupancy_per_register_count"][0] == 8524.0


def test_every_value_is_what_the_package_reads(whole: tuple[RawLaunch, ...]) -> None:
    with package.opened(RECORDED, "small") as opened:
        for number_, launch in enumerate(whole):
            action = opened.action(number_)
            assert set(opened.names(action)) == {c.name for c in launch.counters}
            for counter in launch.counters:
                told = opened.value(action, counter.name)
                if opened.unit(action, counter.name) == "ns":
                    assert counter.value == pytest.approx(told / 1e9, rel=1e-15)  # type: ignore[operator]
                else:
                    assert counter.value == told


def test_without_everything_only_what_summaries_need_is_read() -> None:
    few = read_report(RECORDED, "small").launches
    assert len(few[0].counters) < 60
    assert [
        launch.summary for launch in summarise_launches([read_report(RECORDED, "small", everything=True)])
    ] == [launch.summary for launch in summarise_launches([read_report(RECORDED, "small")])]


def test_a_report_says_how_it_was_taken() -> None:
    reading = read_report(RECORDED, "small")
    assert (reading.ncu_version, reading.clock_control, reading.cache_control, reading.collection) == (
        "2025.3.1.0",
        "none",
        "all",
        "basic",
    )
    assert reading.warnings == ()


def test_equal_kernels_have_equal_code_and_others_do_not() -> None:
    codes = [launch.code_hash for launch in read_report(RECORDED, "small").launches]
    assert codes[:4] == codes[4:]
    assert len(set(codes)) == 4
    assert all(len(code) == 20 for code in codes)


def test_bytes_are_read_as_the_file_is() -> None:
    assert read_report(RECORDED.read_bytes(), "small") == read_report(RECORDED, "small")


def test_a_compressed_report_is_the_same_report(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(RECORDED.read_bytes())
    file = tmp_path / "small.ncu-repz"
    file.write_bytes(packed)
    assert read_report(file, "small") == read_report(RECORDED, "small")
    assert read_report(packed, "small") == read_report(RECORDED, "small")


@pytest.mark.parametrize("name", ["plain.ncu-repz", "packed.ncu-rep", "packed"])
def test_what_a_file_is_shows_in_its_content_not_its_name(tmp_path: Path, name: str) -> None:
    zstandard = pytest.importorskip("zstandard")
    data = RECORDED.read_bytes()
    file = tmp_path / name
    file.write_bytes(zstandard.ZstdCompressor().compress(data) if name.startswith("packed") else data)
    assert len(read_report(file, name).launches) == 8


def test_metrics_without_a_value_and_nan_are_missing() -> None:
    metrics = METRICS | {"dram__bytes_read.sum": None, "lts__t_sector_hit_rate.pct": float("nan")}
    (launch,) = read_report(small_report(metrics), "made").launches
    assert set(values(launch)) == set(METRICS)


def test_a_chip_that_the_package_does_not_know_still_has_units() -> None:
    (launch,) = read_report(small_report(METRICS | {"gpc__cycles_elapsed.max": 5.0}), "made").launches
    assert values(launch)["gpu__time_duration.sum"] == (124896e-9, "s")
    assert values(launch)["gpc__cycles_elapsed.max"] == (5.0, "cycle")


def test_a_launch_that_failed_is_named_and_the_others_stay() -> None:
    names = ["gpu__time_duration.sum"]
    reading = read_report(report(block([result({0: 1.0}), result({}, kernel="broken()")], names=names)), "made")
    assert len(reading.launches) == 1
    assert reading.warnings == ("launch 1 (broken()) has no metrics: profiling it failed",)


def test_launches_without_any_metric_are_refused() -> None:
    with pytest.raises(ProfileError, match="no launch of the report has a metric"):
        read_report(report(block([result({}), result({})])), "made")


def test_a_report_of_no_launch_is_refused() -> None:
    with pytest.raises(ProfileError, match="made: the report holds no profiled launch"):
        read_report(report(block(), block(names=["gpu__time_duration.sum"])), "made")


def test_ranges_of_launches_are_read_through_the_package() -> None:
    names = ["gpu__time_duration.sum", "device__attribute_implementation"]
    one = number(1, 1) + number(2, 2) + b"".join(_range_metric(p, v) for p, v in ((0, 5e3), (1, 384)))
    reading = read_report(report(block([result({0: 1e3, 1: 384})], names=names), block(ranges=[one])), "made")
    assert [launch.kernel for launch in reading.launches] == ["copy(const float4 *, float4 *, int)", "range"]
    assert values(reading.launches[1])["gpu__time_duration.sum"] == (5e-6, "s")


def _range_metric(place: int, value: float | int) -> bytes:
    from tests.ncu.reports import message

    return message(4, metric(place, value))


def test_a_later_format_is_left_to_the_package() -> None:
    data = report(block([result({0: 124896.0})], names=["gpu__time_duration.sum"]), version=8)
    (launch,) = read_report(data, "made").launches
    assert values(launch) == {"gpu__time_duration.sum": (124896e-9, "s")}


@pytest.mark.parametrize(
    ("method", "answer", "why"),
    [
        ("value", 1.5, "gpu__time_duration.sum of launch 0 is 1.5, not 124896.0"),
        ("kernel", "other()", r"launch 0 is 'other\(\)', not 'copy\(const float4 \*, float4 \*, int\)'"),
        ("__len__", 3, "3 launches, not 2"),
    ],
)
def test_what_the_package_reads_otherwise_is_not_reported(
    monkeypatch: pytest.MonkeyPatch, method: str, answer: object, why: str
) -> None:
    monkeypatch.setattr(package.Package, method, lambda *_: answer)
    with pytest.raises(ProfileError, match=f"made: damaged report: to NVIDIA's reader, {why}"):
        read_report(small_report(launches=2), "made")


def test_whatever_the_package_raises_is_a_damaged_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise TypeError("in method 'IAction_metric_by_name'")

    monkeypatch.setattr("ncu_report.IAction.metric_by_name", fails)
    with pytest.raises(ProfileError, match="damaged report: NVIDIA's reader cannot read a launch of it"):
        read_report(small_report(), "made")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"gone\.ncu-rep cannot be read: No such file"):
        read_report(tmp_path / "gone.ncu-rep", "gone.ncu-rep")


def test_an_ncu_rep_without_the_package_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['ncu_report'] = None\n"
        "from perftrack.ncu.report import read_report\n"
        "from perftrack.errors import ProfileError\n"
        f"try: read_report({str(RECORDED)!r}, 'small')\n"
        "except ProfileError as error: print(error.message, error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "perftrack-gpu[ncu]" in done.stdout
    assert "--page raw --csv" in done.stdout


def test_a_path_with_blanks_and_other_scripts_is_read(tmp_path: Path) -> None:
    odd = tmp_path / "a report ☃.ncu-rep"
    shutil.copyfile(RECORDED, odd)
    assert len(read_report(odd, "odd").launches) == 8


def test_a_thousand_launches_are_summarised_within_a_second(tmp_path: Path) -> None:
    file = tmp_path / "many.ncu-rep"
    file.write_bytes(repeated_report(1000))
    taken = []
    while len(taken) < 4 and min(taken, default=2.0) >= 1.0:
        start = time.process_time()
        launches = summarise_launches([read_report(file, "many")])
        taken.append(time.process_time() - start)
    assert len(launches) == 1000
    assert {launch.summary.occurrence for launch in launches} == set(range(286))
    assert min(taken) < 1.0
