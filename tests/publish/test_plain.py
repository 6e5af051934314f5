from __future__ import annotations

import json

from perftrack.publish.gather import read_history
from perftrack.publish.overview import grid_rows
from perftrack.publish.plain import latest_json
from tests.publish.synthetic import SyntheticHistory

HISTORY = read_history(SyntheticHistory(20))
ROWS = grid_rows(HISTORY)
DOCUMENT = json.loads(latest_json(HISTORY, ROWS))


def test_every_row_of_the_grid_is_a_result() -> None:
    assert DOCUMENT["format"] == 1
    assert [(r["benchmark"], r["params"], r["metric"]) for r in DOCUMENT["results"]] == [
        (r.name, r.params, r.metric) for r in ROWS
    ]


def test_a_result_says_what_was_measured_where_and_of_which_commit() -> None:
    found = next(r for r in DOCUMENT["results"] if r["benchmark"] == "softmax")
    commits = {c.sha for c in HISTORY.commits}
    assert found["commit"] in commits
    assert found["unit"] == "s"
    assert found["interval"][0] <= found["value"] <= found["interval"][1]
    assert found["lane"] in {lane.id for lane in HISTORY.lanes}
    assert found["page"].startswith("benchmarks/softmax")


def test_a_failure_has_no_value() -> None:
    failed = [r for r in DOCUMENT["results"] if r["status"] == "failed"]
    assert failed
    assert all(r["value"] is None and r["interval"] is None for r in failed)
