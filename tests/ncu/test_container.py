from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perftrack.errors import ProfileError
from perftrack.ncu.container import Container, read_container
from perftrack.ncu.report import read_report
from tests.ncu.needs import skip_module_without_reports
from tests.ncu.reports import (
    METRICS,
    RECORDED,
    block,
    dim3,
    message,
    metric,
    number,
    recorded_blocks,
    report,
    result,
    sized,
    small_report,
    source,
)

skip_module_without_reports()

DATA = RECORDED.read_bytes()
WHOLE = read_report(RECORDED, "small")
NAMES = ["gpu__time_duration.sum", "launch__registers_per_thread"]


def contained(data: bytes) -> Container:
    return read_container(io.BytesIO(data), len(data), "made.ncu-rep", lambda _: True)


def refused(data: bytes) -> str:
    with pytest.raises(ProfileError) as caught:
        contained(data)
    assert caught.value.message.startswith("made.ncu-rep")
    assert caught.value.hint
    return caught.value.message


def test_a_launch_has_its_name_shape_and_values() -> None:
    (launch,) = contained(small_report(grid=(3, 4, 5), block=(6, 7, 8))).results
    assert (launch.kernel, launch.mangled) == ("copy(const float4 *, float4 *, int)", "_Z4copyPK6float4PS_i")
    assert (launch.grid, launch.block) == ((3, 4, 5), (6, 7, 8))
    assert launch.values == METRICS
    assert launch.held == 3


def test_only_wanted_metrics_are_decoded_and_all_are_counted() -> None:
    data = small_report()
    (launch,) = read_container(io.BytesIO(data), len(data), "made", lambda n: n.startswith("launch")).results
    assert launch.values == {"launch__registers_per_thread": 16.0}
    assert launch.held == 3


def test_names_of_later_blocks_continue_those_before() -> None:
    first = block([result({0: 1.0})], names=["first"])
    second = block([result({0: 2.0, 1: 3.0})], names=["second"])
    assert [r.values for r in contained(report(first, second)).results] == [
        {"first": 1.0},
        {"first": 2.0, "second": 3.0},
    ]


def test_every_kind_of_value_is_read() -> None:
    kinds = [
        number(1, 0) + message(2, message(1, "text")),
        number(1, 1) + message(2, b"\x15\x00\x00\xc0\x3f"),
        number(1, 2) + message(2, number(4, 2**32 - 1)),
        number(1, 3) + message(2, number(5, 2**53)),
    ]
    data = report(block([result(kinds)], names=list("abcd")))
    assert contained(data).results[0].values == {"a": "text", "b": 1.5, "c": 2.0**32 - 1, "d": 2.0**53}


def test_a_kernel_that_was_renamed_has_both_names() -> None:
    (launch,) = contained(small_report(more=message(31, "my copy"))).results
    assert (launch.kernel, launch.renamed) == ("copy(const float4 *, float4 *, int)", "my copy")


def test_versions_command_and_processes_are_told() -> None:
    held = contained(DATA)
    assert held.version == 7
    assert held.versions["Nsight Compute Target"].startswith("2025.3.1.0 ")
    assert "--clock-control none" in held.command
    assert {r.process for r in held.results} == {"843"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "does not begin with NVR"),
        (b"NVR", "does not begin with NVR"),
        (b'"ID","Kernel Name"\n', "does not begin with NVR"),
        (b"NVR\0", "the file ends 4 bytes too early"),
        (b"NVR\0\xff\xff\xff\xff", "the file ends 4294967295 bytes too early"),
        (report(b"\x05\0\0\0"), "the file ends 5 bytes too early"),
        (report(sized(number(2, 1) + number(5, 0))), "1 entries in 0 bytes"),
        (report(sized(number(2, 1) + number(5, 4)) + b"\xff\0\0\0"), "an entry of 255 bytes where 0 are left"),
        (report(sized(number(5, 3)) + b"abc"), "3 bytes that belong to no entry"),
        (report(sized(b"\x0f")), "wire type 7"),
        (report(sized(b"\x00\x00")), "field number 0"),
        (report(sized(b"\x08" + b"\xff" * 11)), "a number of more than 10 bytes"),
        (report(sized(b"\x08\xff")), "a number cut off"),
        (report(block([result({0: 1.0})])), "runs over its end, or has no name"),
        (report(block([result({0: 1.0, 1: 1.0})], names=["one"])), "runs over its end, or has no name"),
        (
            report(block([result([metric(0, 1.0), metric(0, 2.0)])], names=["one"])),
            "twice in a launch, 1.0 and 2.0",
        ),
        (report(block([result([b""])], names=["one"])), "runs over its end, or has no name"),
        (report(block([result([number(4, 0) + message(2, b"")])], names=["one"])), "or has no name"),
        (report(block([result({0: 1.0}, kernel="", mangled="")], names=["one"])), "a launch with an empty name"),
        (report(block([result({0: 1.0}, grid=(0, 1, 1))], names=["one"])), r"a launch of shape \(0, 1, 1\)"),
        (report(block([number(1, 1)])), "a launch without name or shape"),
        (report(block([result({0: 1.0}, kernel=b"\xff\xfe")], names=["one"])), "text that is not UTF-8"),  # type: ignore[arg-type]
        (report(block([result([number(1, 0) + message(2, number(9, 1))])], names=["one"])), "no known type"),
    ],
)
def test_what_is_no_report_is_refused_with_its_place(data: bytes, why: str) -> None:
    import re

    assert re.search(why, refused(data))


def test_a_header_that_claims_more_than_the_file_is_not_believed() -> None:
    huge = report(sized(number(2, 2**28) + number(5, 2**31)))
    assert "too early" in refused(huge)


def _same_as_whole(data: bytes) -> None:
    """The right values, of as many launches as there are, or a refusal that names the file."""
    try:
        reading = read_report(data, "cut.ncu-rep")
    except ProfileError as error:
        assert error.message.startswith("cut.ncu-rep")
        assert error.hint
        return
    assert reading.launches
    assert reading.launches == WHOLE.launches[: len(reading.launches)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(DATA) - 1))
def test_a_report_cut_off_anywhere_is_refused_or_right(end: int) -> None:
    _same_as_whole(DATA[:end])


@pytest.mark.parametrize("end", recorded_blocks())
def test_a_report_cut_off_between_blocks_has_the_launches_before(end: int) -> None:
    _same_as_whole(DATA[:end])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    for one in (data, b"NVR\0" + data, DATA[:136] + data, b"\x28\xb5\x2f\xfd" + data):
        with pytest.raises(ProfileError):
            read_report(one, "noise")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.integers(1, 255)), min_size=1, max_size=4))
@example([(240, 128)])  # the place of the code's sections, past what an index can be
def test_flipped_bytes_raise_nothing_else_and_lose_no_launch_in_silence(flips: list[tuple[int, int]]) -> None:
    data = bytearray(DATA)
    for at, mask in flips:
        data[at] ^= mask
    try:
        reading = read_report(bytes(data), "flipped.ncu-rep")
    except ProfileError as error:
        assert error.message.startswith("flipped.ncu-rep")
        return
    # No checksum protects a number; what a number is of, and how many launches there are, does not change unseen.
    assert len(reading.launches) + len(reading.warnings) >= len(WHOLE.launches)
    assert all(launch.kernel and launch.grid and launch.block for launch in reading.launches)


def test_a_module_in_several_parts_has_the_code_of_the_one_that_has_it() -> None:
    from tests.ncu.test_cubin import module

    code = module({"_Z4copyPK6float4PS_i": b"instructions!"})
    parts = [source(code), number(1, 77) + number(5, 9)]
    held = contained(report(block(sources=parts), block([result({0: 1.0})], names=["one"])))
    assert len(held.code_of(held.results[0])) == 20


def test_a_metric_that_stands_twice_with_one_value_is_one() -> None:
    data = report(block([result([metric(0, 1.0), metric(1, 2.0), metric(0, 1.0)])], names=["one", "two"]))
    assert contained(data).results[0].values == {"one": 1.0, "two": 2.0}


def test_modules_of_several_processes_do_not_mix() -> None:
    from tests.ncu.test_cubin import module

    blocks = []
    for process, code in ((1, b"aaaa"), (2, b"bbbb")):
        blocks.append(block(sources=[source(module({"_Z4copyPK6float4PS_i": code}))], process=process))
        blocks.append(block([result({0: 1.0})], names=["one"] if process == 1 else (), process=process))
    held = contained(report(*blocks))
    assert [r.process for r in held.results] == ["1", "2"]
    assert len({held.code_of(r) for r in held.results}) == 2


def test_a_launch_of_an_unknown_module_has_no_code() -> None:
    held = contained(report(block([result({0: 1.0}, source=5)], names=["one"])))
    assert held.code_of(held.results[0]) == ""


def test_a_shape_that_is_a_number_is_refused() -> None:
    whole = result({0: 1.0})
    broken = whole.replace(dim3(10, (64, 1, 1)), number(10, 64))
    assert "a shape that is none" in refused(report(block([broken], names=["one"])))
