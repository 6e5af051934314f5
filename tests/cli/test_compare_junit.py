"""The verdicts as JUnit XML: the structure that Ant's schema asks for, whatever the names hold."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.cli.compare_junit import junit, write_junit
from perftrack.errors import PerftrackError
from tests.cli.comparisons import broken, comparison, counted, undecided


def suite_of(*judgements) -> ET.Element:
    whole = ET.fromstring(junit(comparison(*judgements)))
    assert whole.tag == "testsuites"
    (suite,) = whole
    return suite


def test_each_verdict_has_its_element_and_the_counts_are_theirs():
    suite = suite_of(counted("grew", 1, 2), broken("b", "lost"), undecided("u"), counted("same", 1, 1))
    found = {c.get("classname"): [e.tag for e in c] for c in suite.iter("testcase")}
    assert found == {
        "perftrack.grew": ["failure"],
        "perftrack.b": ["error"],
        "perftrack.u": ["skipped"],
        "perftrack.same": [],
    }
    counts = {k: int(suite.attrib[k]) for k in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 4, "failures": 1, "errors": 1, "skipped": 1}


def test_a_suite_has_the_parts_and_attributes_of_the_schema_in_its_order():
    suite = suite_of(counted("grew", 1, 2), broken("b", "lost"))
    assert [e.tag for e in suite] == ["properties", "testcase", "testcase", "system-out", "system-err"]
    assert set(suite.keys()) >= {
        "id",
        "package",
        "name",
        "timestamp",
        "hostname",
        "tests",
        "failures",
        "errors",
        "time",
    }
    assert datetime.strptime(suite.attrib["timestamp"], "%Y-%m-%dT%H:%M:%S")
    for case in suite.iter("testcase"):
        assert set(case.keys()) == {"name", "classname", "time"}
        assert all(e.get("type") for e in case)


def test_a_failure_says_what_changed_by_how_much_and_where():
    (failure,) = suite_of(counted("grew", 100, 150, source="benchmarks/bench_x.py:3")).iter("failure")
    assert "regression: every process of a side read the same value" in failure.attrib["message"]
    assert "+50 %" in failure.text
    assert "benchmarks/bench_x.py:3" in failure.text


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_any_name_and_message_gives_a_document_that_parses(name: str):
    suite = suite_of(counted(f"n{name}", 1, 2), broken("b", name))
    assert len(list(suite.iter("testcase"))) == 2


def test_control_characters_are_spelled_out():
    (case,) = suite_of(counted("a\x1b[31m\x00\ufffe\ud800b", 1, 2)).iter("testcase")
    assert case.attrib["name"] == "a\\x1b[31m\\x00\\ufffe\\ud800b size"


@pytest.mark.parametrize(("claimed", "year"), [(-5, "1970"), (2**62, "9999")])
def test_a_commit_that_claims_an_impossible_time_has_the_nearest_possible_one(claimed: int, year: str):
    made = comparison(counted("x", 1, 2))
    odd = replace(made.candidate, commit=replace(made.candidate.commit, commit_time=claimed))
    (suite,) = ET.fromstring(junit(replace(made, candidate=odd)))
    assert suite.attrib["timestamp"].startswith(year)


def test_a_file_that_cannot_be_written_is_an_error_with_a_hint(tmp_path: Path):
    with pytest.raises(PerftrackError, match="cannot write") as caught:
        write_junit(comparison(), tmp_path / "no" / "x.xml")
    assert "--junit" in (caught.value.hint or "")


def test_the_encoding_is_declared_and_kept(tmp_path: Path):
    write_junit(comparison(counted("größe", 1, 2)), tmp_path / "x.xml")
    text = (tmp_path / "x.xml").read_bytes()
    assert re.match(rb'<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>', text)
    assert "größe".encode() in text
