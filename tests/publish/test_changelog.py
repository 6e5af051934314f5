"""The changes page, its feed and its JSON, over a real store and repository."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from perftrack.app.project import Project
from perftrack.app.publish import StoreSource, build
from perftrack.core.changes.chronicle import Chapter
from perftrack.core.model import Interval
from perftrack.publish.changelog import change_list, changes_json, changes_page
from perftrack.publish.changes import ChangeSearch
from perftrack.publish.feed import NAMESPACE, feed
from perftrack.publish.gather import History, read_history
from perftrack.publish.lines import all_lines
from perftrack.publish.overview import overview_page
from perftrack.publish.watched import watched_lanes
from tests.stored import Stored, made, noisy

COMMITS, AT = 60, 36
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """Two cases that one commit made slower, one that another made faster, and one that stayed."""
    found = made(tmp_path_factory.mktemp("changelog") / "p", "silence-days = 0\n")
    found.commits(COMMITS, {AT: {"requirements.txt": "numpy\n"}})
    series = {
        "gemm": noisy(COMMITS, (AT, 1.08)),
        HOSTILE: noisy(COMMITS, (AT, 1.06), seed=2),
        "copy": noisy(COMMITS, (20, 0.9), seed=3),
        "idle": noisy(COMMITS, seed=4),
    }
    found.record_all(series)
    return found


@pytest.fixture(scope="module")
def told(stored: Stored):  # type: ignore[no-untyped-def]
    source = StoreSource(Project.find(stored.repo.root))
    history = read_history(source)
    lines = all_lines(history, source)
    found = ChangeSearch(lines, None).found()
    return history, tuple(source.chapters(watched_lanes(history, lines, found, source.line(), source.threshold())))


def test_the_site_tells_the_changes_that_detect_does(stored: Stored, told) -> None:  # type: ignore[no-untyped-def]
    history, chapters = told
    answer = stored.call("detect", "--json").document
    events = change_list(history, chapters)["events"]
    assert [e["likely"][0] for e in events] == [e["most_likely"] for e in answer["events"]]
    assert [{c["id"] for c in e["changes"]} for e in events] == [set(e["changes"]) for e in answer["events"]]
    known = {c["id"]: c for c in answer["changes"]}
    for change in (c for e in events for c in e["changes"]):
        assert change["p"] == pytest.approx(known[change["id"]]["p_value"], rel=5e-3)
        assert change["standing"] == known[change["id"]]["standing"]


def test_an_event_has_its_range_its_causes_and_a_state(told) -> None:  # type: ignore[no-untyped-def]
    history, (newest, oldest) = told
    event = change_list(history, [newest])["events"][0]
    assert event["commits"][-1][0] in {c.sha for c in newest.commits}
    assert len(event["commits"]) == event["count"]
    assert any("requirements.txt" in hint for hint in event["hints"])
    assert (newest.state, newest.worse, newest.better) == ("confirmed", 2, 0)
    assert (oldest.worse, oldest.better) == (0, 1)
    assert changes_page(history, (newest, oldest), None).events == 2


def test_the_overview_begins_with_what_changed_lately(told) -> None:  # type: ignore[no-untyped-def]
    history, chapters = told
    page = overview_page(history, None, chapters)
    assert page.standing == 2
    first = page.lately[0]
    assert first.page == f"changes.html#id={chapters[0].id}"
    assert re.fullmatch(r"\+\d[\d.]* %", first.size)
    assert first.others == 1
    assert "requirements.txt" in first.cause


def test_json_for_others_names_lanes_by_id(told) -> None:  # type: ignore[no-untyped-def]
    history, chapters = told
    listed = change_list(history, chapters)["events"]
    document = json.loads(changes_json(history, listed))
    lanes = {lane.id for lane in history.lanes}
    assert document["format"] == 1
    assert all(c["lane"] in lanes for e in document["events"] for c in e["changes"])
    assert [set(e) for e in document["events"]] == [{*e, "page"} for e in listed]


def with_numbers(chapter: Chapter, **numbers: object) -> Chapter:
    first = chapter.changes[0]
    place = replace(first.place, change=replace(first.change, **numbers))  # type: ignore[arg-type]
    return replace(chapter, changes=(replace(first, place=place),))


def exported(history: History, chapter: Chapter) -> dict[str, object]:
    document = json.loads(changes_json(history, change_list(history, [chapter])["events"]))
    return document["events"][0]["changes"][0]  # type: ignore[no-any-return]


def test_numbers_have_the_digits_that_mean_something(told) -> None:  # type: ignore[no-untyped-def]
    history, chapters = told
    numbers = {"before": 1.23456789e-4, "after": 2.34567891e-4, "ratio": 1.9, "p_value": 1.23456789e-300}
    change = exported(history, with_numbers(chapters[0], interval=Interval(1.8, 2.0), **numbers))
    assert [change[key] for key in ("before", "after", "p")] == [1.23457e-4, 2.34568e-4, 1.23e-300]
    assert [change[key] for key in ("change", "lo", "hi")] == [0.641854, 0.587787, 0.693147]


def test_what_is_not_finite_is_null(told) -> None:  # type: ignore[no-untyped-def]
    history, chapters = told
    change = exported(
        history, with_numbers(chapters[0], after=math.inf, ratio=math.inf, interval=Interval(1.8, math.inf))
    )
    assert (change["after"], change["change"], change["hi"]) == (None, None, None)


def entries(history: History, chapters, base_url: str | None) -> list[ElementTree.Element]:  # type: ignore[no-untyped-def]
    root = ElementTree.fromstring(feed(history, chapters, base_url))
    return root.findall(f"{{{NAMESPACE}}}entry")


def test_the_feed_has_an_entry_an_event_with_an_id_that_stays(told) -> None:  # type: ignore[no-untyped-def]
    history, chapters = told
    here, there = entries(history, chapters, None), entries(history, chapters, "https://example.org/perf")
    ids = [e.findtext(f"{{{NAMESPACE}}}id") for e in here]
    assert ids == [e.findtext(f"{{{NAMESPACE}}}id") for e in there]
    assert len(set(ids)) == 2
    assert here[0].findtext(f"{{{NAMESPACE}}}title", "").startswith("regression: ")
    link = there[0].find(f"{{{NAMESPACE}}}link")
    assert link is not None
    assert link.attrib["href"] == f"https://example.org/perf/changes.html#id={chapters[0].id}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", here[0].findtext(f"{{{NAMESPACE}}}updated", ""))


def test_a_feed_of_no_events_is_valid_and_empty(told) -> None:  # type: ignore[no-untyped-def]
    history, _ = told
    assert entries(history, (), None) == []


def test_the_built_site_has_all_of_it_and_escapes_names(stored: Stored, tmp_path: Path) -> None:
    build(Project.find(stored.repo.root), tmp_path / "site", None)
    for name in ("changes.html", "changes.xml", "json/changes.json", "json/latest.json", "data/changes.js"):
        assert (tmp_path / "site" / name).is_file()
    for name in ("index.html", "changes.html", "changes.xml"):
        assert HOSTILE not in (tmp_path / "site" / name).read_text()
