"""Slow creep as the site tells it: the same lanes that `detect` names."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from perftrack.core.changes.crept import Release
from perftrack.core.changes.watch import watch
from perftrack.publish.changelog import changes_json
from perftrack.publish.changes import Found
from perftrack.publish.creeping import creep_lines
from perftrack.publish.feed import NAMESPACE, feed
from perftrack.publish.gather import History, read_history
from perftrack.publish.lines import SeriesLine, all_lines
from perftrack.publish.pages import CreepLine
from tests.publish.synthetic import Shape, SyntheticHistory

Looked = tuple[History, list[SeriesLine], list[Found]]
STEPS = {40: 1.012, 50: 1.013, 60: 1.012}
SHAPES = [
    Shape("crept", (), 7.3e-5, 0.006, steps=STEPS),
    Shape("stayed", (), 2e-4, 0.006),
    Shape("stepped", (), 3e-4, 0.006, steps={50: 1.2}),
]


class Released(SyntheticHistory):
    def __init__(self) -> None:
        super().__init__(72, SHAPES, upgrade=None)

    def release(self) -> Release | None:
        return Release("v2", self.commits()[34].sha, 34)


@pytest.fixture(scope="module")
def looked() -> Looked:
    source = Released()
    history = read_history(source)
    lines = list(all_lines(history, source))
    found = [watch(own.values.tolist(), own.trusted.tolist(), own.epochs) for own in lines]
    # As where each step is too small to be seen at all.
    return (
        history,
        lines,
        [
            () if history.series[own.series].case.benchmark == "crept" else seen
            for own, seen in zip(lines, found, strict=True)
        ],
    )


def told(looked: Looked, release: Release | None) -> tuple[CreepLine, ...]:
    source = Released()
    return creep_lines(*looked, source.line(), source.threshold(), release)


def test_steps_that_no_alert_tells_are_creep_with_size_and_span(looked: Looked) -> None:
    (line,) = told(looked, Released().release())
    assert (line.case, line.release, line.commits) == ("crept", "v2", 37)
    assert line.change == pytest.approx(np.log(np.prod(list(STEPS.values()))), abs=0.012)
    assert line.size.startswith("+3")
    assert line.lo < line.change < line.hi


def test_without_a_release_nothing_is_looked_for(looked: Looked) -> None:
    assert told(looked, None) == ()


def test_the_json_has_it_with_a_lane_s_id_and_numbers(looked: Looked) -> None:
    lines = told(looked, Released().release())
    document = json.loads(changes_json(looked[0], (), lines))
    (creep,) = document["creeps"]
    assert creep["lane"] == looked[0].lanes[0].id
    assert creep["change_interval"][0] < creep["change"] < creep["change_interval"][1]
    assert creep["change"] == float(f"{lines[0].change:.6g}") and creep["p_value"] == float(f"{lines[0].p:.3g}")
    assert creep["page"].startswith("benchmarks/crept-")


def test_another_release_has_other_names(looked: Looked) -> None:
    release = Released().release()
    assert release is not None
    (one,) = told(looked, release)
    (two,) = told(looked, replace(release, sha="b" * 40))
    assert one.id != two.id


def test_the_feed_has_it_under_an_id_that_stays_and_links_to_the_trend(looked: Looked) -> None:
    (line,) = told(looked, Released().release())
    root = ElementTree.fromstring(feed(looked[0], (), "https://example.org/perf", (line,)))
    (entry,) = root.iter(f"{{{NAMESPACE}}}entry")
    assert entry.findtext(f"{{{NAMESPACE}}}id", "").endswith(f":{line.id}")
    assert entry.findtext(f"{{{NAMESPACE}}}title") == f"crept in: {line.title} {line.size} since v2"
    link = entry.find(f"{{{NAMESPACE}}}link")
    assert link is not None and link.attrib["href"] == f"https://example.org/perf/{line.page}"
    assert root.findtext(f"{{{NAMESPACE}}}updated") == entry.findtext(f"{{{NAMESPACE}}}updated")
