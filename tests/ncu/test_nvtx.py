from __future__ import annotations

import pytest

from perftrack.ncu.nvtx import spelled
from perftrack.ncu.report import read_report
from tests.ncu.needs import skip_module_without_reports
from tests.ncu.reports import message, number, small_report

skip_module_without_reports()

DEFAULT, OTHER = 11, 12


def domain(identifier: int, name: str) -> bytes:
    return message(1, number(1, identifier) + message(2, name))


def stack(identifier: int, *names: str) -> bytes:
    return message(2, number(1, identifier) + b"".join(message(3, message(1, name)) for name in names))


def thread(tid: int, *stacks: bytes) -> bytes:
    return message(2, number(1, tid) + b"".join(stacks))


def started(identifier: int, *names: str) -> bytes:
    ranges = (message(3, number(1, 5) + message(2, name)) for name in names)
    return message(3, number(1, identifier) + b"".join(ranges))


DOMAINS = domain(DEFAULT, "<default domain>") + domain(OTHER, "loader")


def ranges(*parts: bytes) -> str:
    state = DOMAINS + b"".join(parts) + number(4, DEFAULT)
    (launch,) = read_report(small_report(nvtx=state), "made").launches
    return launch.nvtx


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([], ""),
        ([thread(843, stack(DEFAULT, "step"))], "step"),
        ([thread(843, stack(DEFAULT, "epoch 3", "forward"))], "epoch 3/forward"),
        ([thread(843, stack(OTHER, "read"))], "loader@read"),
        ([thread(843, stack(OTHER, "read"), stack(DEFAULT, "step"))], "step,loader@read"),
        ([thread(9, stack(DEFAULT, "elsewhere")), thread(843, stack(DEFAULT, "here"))], "here"),
        ([thread(9, stack(DEFAULT, "anywhere")), number(5, 1)], "anywhere"),
        ([started(DEFAULT, "a", "b")], "a,b"),
        ([thread(843, stack(DEFAULT, "step")), started(OTHER, "io")], "step,loader@io"),
    ],
)
def test_open_ranges_are_spelled_as_the_profiler_filters_them(parts: list[bytes], text: str) -> None:
    assert ranges(*parts) == text


def test_text_with_quotes_and_other_scripts_stays() -> None:
    assert ranges(thread(843, stack(DEFAULT, 'größe "3"'))) == 'größe "3"'


def test_ranges_of_the_default_domain_have_no_prefix_by_either_name() -> None:
    assert spelled([("<default domain>", "a"), ("", "b")], []) == "a/b"


def test_launches_in_different_ranges_are_different_launches() -> None:
    one, other = (
        read_report(small_report(nvtx=DOMAINS + thread(843, stack(DEFAULT, n)) + number(4, DEFAULT)), "m")
        for n in "ab"
    )
    assert one.launches[0].nvtx != other.launches[0].nvtx
