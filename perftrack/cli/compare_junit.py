"""A comparison as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

import platform
import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from perftrack.app.comparison import Comparison
from perftrack.cli.compare_view import change, change_interval, headline, value_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.errors import PerftrackError

# What XML 1.0 cannot hold, however it is written.
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LAST_SECOND = 253_402_300_799  # of the year 9999: a commit may claim any time at all
# Elements by verdict: a regression is what a gate is for, and without a verdict nothing was tested.
_ELEMENTS = {
    Verdict.REGRESSION: "failure",
    Verdict.FAILED: "error",
    Verdict.INCONCLUSIVE: "skipped",
    Verdict.NOT_COMPARABLE: "skipped",
}


def write_junit(comparison: Comparison, path: Path) -> None:
    """A test suite with a test case for each metric of each case. Raises PerftrackError for an unwritable file."""
    document = junit(comparison)
    try:
        with path.open("wb") as file:
            try:
                file.write(document)
                file.flush()
            except OSError:
                if path.is_file():
                    path.unlink()  # half a report is none
                raise
    except OSError as error:
        raise PerftrackError(
            f"{path}: cannot write the JUnit file: {error.strerror}", "Give another --junit."
        ) from error


def junit(comparison: Comparison) -> bytes:
    """The document, in the form that Ant's schema and Jenkins' have in common."""
    kinds = [_ELEMENTS.get(j.verdict) for j in comparison.judgements]
    taken = min(max(comparison.candidate.commit.commit_time, 0), _LAST_SECOND)
    counts = {
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
    }
    whole = ET.Element("testsuites")
    suite = ET.SubElement(
        whole,
        "testsuite",
        {
            "name": "perftrack",
            "package": "perftrack",
            "id": "0",
            "timestamp": datetime.fromtimestamp(taken, UTC).strftime("%Y-%m-%dT%H:%M:%S"),
            "hostname": _text(platform.node() or "localhost"),
            **counts,
            "skipped": str(kinds.count("skipped")),
            "time": "0",
        },
    )
    properties = ET.SubElement(suite, "properties")
    for name, side in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        ET.SubElement(properties, "property", {"name": name, "value": side.commit.sha})
    for judged in comparison.judgements:
        _test_case(suite, judged)
    ET.SubElement(suite, "system-out").text = headline(comparison)
    ET.SubElement(suite, "system-err").text = ""
    ET.indent(whole)
    text: str = ET.tostring(whole, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _test_case(suite: ET.Element, judged: Judgement) -> None:
    subject = judged.subject
    case = ET.SubElement(
        suite,
        "testcase",
        {
            "name": _text(f"{subject.case.id} {subject.metric}"),
            "classname": _text(f"perftrack.{subject.case.benchmark}"),
            "time": "0",
        },
    )
    element = _ELEMENTS.get(judged.verdict)
    if element is None:
        return
    why = "; ".join(r.message for r in judged.reasons)
    inside = ET.SubElement(case, element, {"message": _text(f"{judged.verdict.value}: {why}")})
    if element == "skipped":
        return
    inside.set("type", judged.verdict.value)
    values = f"{value_of(judged.baseline)} → {value_of(judged.candidate)}"
    inside.text = _text(f"{values}\nchange {change(judged)} ({change_interval(judged)})\n{why}\n{subject.source}")


def _text(text: str) -> str:
    """Text with what XML cannot hold spelled out."""
    return _IMPOSSIBLE.sub(lambda m: m[0].encode("unicode_escape", "surrogatepass").decode(), text)
