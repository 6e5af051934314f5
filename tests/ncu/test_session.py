from __future__ import annotations

import pytest

from perftrack.ncu.container import Container
from perftrack.ncu.report import read_report
from perftrack.ncu.session import Session, session_of
from tests.ncu.needs import skip_module_without_reports
from tests.ncu.reports import small_report

skip_module_without_reports()


def told(command: str = "", version: str = "2025.3.1.0 (build 1)", mode: str = "") -> Session:
    return session_of(Container(versions={"Nsight Compute Target": version}, command=command, clock_mode=mode))


@pytest.mark.parametrize(
    ("command", "mode"),
    [
        ("ncu --clock-control none ./app", "none"),
        ("ncu --clock-control=boost ./app", "boost"),
        ("ncu --set full ./app", "base"),
        ("ncu --clock-control base ./app --clock-control none", "base"),
        ('ncu --clock-control none ./app "unclosed', "none"),
        ("ncu ./app --clock-control", "base"),
    ],
)
def test_clock_control_is_that_of_the_command_line(command: str, mode: str) -> None:
    assert told(command).clock_control == mode


@pytest.mark.parametrize(
    ("version", "mode"), [("2025.4.0.0", "base"), ("2026.1.0.0", "boost"), ("2027.2.0.0", "boost"), ("", "")]
)
def test_clock_control_that_is_not_given_is_the_releases_default(version: str, mode: str) -> None:
    assert told("ncu ./app", version).clock_control == mode


def test_without_a_command_line_clock_control_is_not_guessed() -> None:
    assert told().clock_control == ""


def test_clock_control_of_the_viewer_is_taken() -> None:
    assert told(mode="None").clock_control == "none"


def test_launches_that_asked_for_no_fixed_clocks_tell_it() -> None:
    assert read_report(small_report(command="", clocks=(0, 0)), "made").clock_control == "none"


def test_clocks_that_could_not_be_fixed_are_a_warning() -> None:
    reading = read_report(small_report(command="ncu ./app", clocks=(1, 0)), "made")
    assert reading.clock_control == "none"
    assert reading.warnings == ("clocks were to be fixed and could not be: durations vary with the clock",)


def test_clocks_that_were_fixed_are_no_warning() -> None:
    reading = read_report(small_report(command="ncu ./app", clocks=(1, 1)), "made")
    assert (reading.clock_control, reading.warnings) == ("base", ())


def test_cache_control_is_the_default_unless_given() -> None:
    assert told("ncu ./app").cache_control == "all"
    assert told("ncu --cache-control none ./app").cache_control == "none"
    assert told().cache_control == ""


@pytest.mark.parametrize(
    ("command", "collection"),
    [
        ("ncu ./app", "basic"),
        ("ncu --set full ./app", "full"),
        ("ncu --set basic --metrics a.sum,b.sum ./app", "basic + metrics a.sum,b.sum"),
        ("ncu --section SpeedOfLight --section Occupancy ./app", "section SpeedOfLight + section Occupancy"),
        ("", ""),
    ],
)
def test_what_was_collected_is_told(command: str, collection: str) -> None:
    assert told(command).collection == collection
