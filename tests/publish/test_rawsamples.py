"""Every sample of a run as other programs get it."""

from __future__ import annotations

import gzip
import json

from perftrack.publish.rawsamples import raw_samples
from tests.publish.synthetic import SyntheticHistory


def test_every_sample_is_there_as_it_is_stored() -> None:
    source = SyntheticHistory(3)
    run_id = source.runs()[1].id
    run = source.run(run_id)
    document = json.loads(gzip.decompress(raw_samples(run, run_id, "kernels")))
    assert (document["format"], document["commit"], document["run"]) == (1, run.sha, run_id)
    stored = {(m.case.benchmark, m.metric, tuple(sorted(m.case.params))): m for m in run.measurements}
    assert len(document["results"]) == len(stored)
    for result in document["results"]:
        measured = stored[result["benchmark"], result["metric"], tuple(sorted(result["params"].items()))]
        windows = [[list(w.samples) for w in p.windows] for p in measured.processes]
        assert [p["windows"] for p in result["processes"]] == windows


def test_the_same_run_gives_the_same_bytes() -> None:
    source = SyntheticHistory(2)
    run_id = source.runs()[0].id
    assert raw_samples(source.run(run_id), run_id, "k") == raw_samples(source.run(run_id), run_id, "k")
