from __future__ import annotations

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.raw import FileKind, RawLaunch, Reading
from tests.ncu.launches import counter, raw, reading

SPEED = "GPU Speed Of Light Throughput"


def details(*launches: RawLaunch, name: str = "details.csv") -> Reading:
    return reading(*launches, name=name, kind=FileKind.DETAILS)


def test_what_one_page_lacks_the_other_fills() -> None:
    one = reading(raw(counter("gpu__time_duration.sum", 1.2345e-4)))
    other = details(raw(counter("Duration", 1.23e-4, "s", SPEED), counter("DRAM Throughput", 80.0, "%", SPEED)))
    (launch,) = summarise_launches([one, other])
    assert (launch.summary.duration_s, launch.summary.dram_pct) == (1.2345e-4, 80.0)
    assert {c.name for c in launch.counters} == {"gpu__time_duration.sum", "Duration", "DRAM Throughput"}


def test_the_order_of_the_files_does_not_matter_to_the_values() -> None:
    one = reading(raw(counter("gpu__time_duration.sum", 1.2345e-4)))
    other = details(raw(counter("Duration", 1.23e-4, "s", SPEED)))
    assert summarise_launches([one, other])[0].summary == summarise_launches([other, one])[0].summary


def test_a_launch_of_one_file_alone_stays() -> None:
    launches = summarise_launches([reading(raw(), raw(number="1", kernel="b")), details(raw())])
    assert [launch.summary.kernel for launch in launches] == ["copy(float *)", "b"]


def test_spellings_of_a_name_do_not_part_a_launch() -> None:
    pages = reading(raw(kernel="f<(int)4>(T1*)")), details(raw(kernel="f<4>(T1 *)"))
    assert len(summarise_launches(pages)) == 1


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (raw(kernel="scale(float *)"), "launch 0 is copy in raw.csv and scale in details.csv"),
        (raw(grid=(2, 1, 1)), r"launch 0 is of grid \(64, 1, 1\)"),
        (
            raw(counter("Duration", 1.25e-4, "s", SPEED)),
            "duration_s of launch 0 .* is 0.00012 in raw.csv",
        ),
        (raw(counter("Registers Per Thread", 33, "", "Launch Statistics")), "registers of launch 0"),
        (raw(number="7"), "details.csv has no launch in common with raw.csv"),
    ],
)
def test_pages_of_different_profiles_are_refused(other: RawLaunch, why: str) -> None:
    one = raw(counter("gpu__time_duration.sum", 1.2e-4), counter("launch__registers_per_thread", 32))
    with pytest.raises(ProfileError, match=why) as caught:
        summarise_launches([reading(one), details(other)])
    assert "one profile" in (caught.value.hint or "")


def test_pages_may_differ_by_what_they_print() -> None:
    one = raw(counter("gpu__time_duration.sum", 1.2345e-4))
    assert summarise_launches([reading(one), details(raw(counter("Duration", 1.23e-4, "s", SPEED)))])


def test_launches_of_several_processes_may_have_the_same_id() -> None:
    files = reading(raw(process="1")), reading(raw(process="2"), name="other.csv")
    assert [launch.summary.occurrence for launch in summarise_launches(files)] == [0, 1]


def test_a_page_without_processes_belongs_to_the_one_process() -> None:
    assert len(summarise_launches([reading(raw(process="843")), details(raw())])) == 1


def test_no_file_is_no_launch() -> None:
    assert summarise_launches([]) == ()


def test_launches_of_one_file_are_never_one() -> None:
    assert len(summarise_launches([reading(raw(process="843"), raw(kernel="b"))])) == 2
