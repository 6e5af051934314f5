"""Every sample of a run as it is stored, for other programs: gzipped JSON that its page leads to."""

from __future__ import annotations

import gzip
from collections.abc import Mapping

from perftrack.core.model import Measurement, Run
from perftrack.publish.encode import json_bytes

FORMAT = 1


def raw_samples(run: Run, run_id: str, project: str) -> bytes:
    """`json/samples/RUN.json.gz`, documented in the README. Values in the unit of the metric, nothing rounded.

    The same run gives the same bytes.
    """
    document = {
        "format": FORMAT,
        "project": project,
        "run": run_id,
        "commit": run.sha,
        "recorded_at": run.started_at,
        "results": [_result(m) for m in run.measurements if m.processes],
    }
    return gzip.compress(json_bytes(document), 6, mtime=0)


def _result(measured: Measurement) -> Mapping[str, object]:
    return {
        "benchmark": measured.case.benchmark,
        "params": dict(measured.case.params),
        "metric": measured.metric,
        "unit": measured.unit,
        "status": measured.status.value,
        "tier": measured.tier.value,
        "processes": [
            {"process": p.index, "inner_reps": p.inner_reps, "windows": [w.samples for w in p.windows]}
            for p in measured.processes
        ],
    }
