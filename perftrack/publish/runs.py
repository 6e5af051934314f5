"""The runs: a list of all, and of each run a data file with every result of it, which one page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import RunSummary
from perftrack.core.model import Case, Run, Scalar, format_scalar
from perftrack.core.pointtable import RunDetail
from perftrack.core.units import format_duration
from perftrack.publish import addresses
from perftrack.publish.catalogue import Catalogue, facet_rows, local_codes, steps
from perftrack.publish.context import frame
from perftrack.publish.distribution import distribution
from perftrack.publish.environments import environment_section
from perftrack.publish.evidence import PointEvidence
from perftrack.publish.gather import History
from perftrack.publish.packing import PackedFile
from perftrack.publish.pages import RunPage, RunsPage

MAX_OUTPUT = 4000
_AT_ONCE = 256  # runs whose points are brought together in one go
SAMPLED_RUNS = 50  # the newest, of which the site shows samples


def run_page(history: History, base_url: str | None) -> RunPage:
    return RunPage(frame(history, addresses.RUN, "Run", "runs", base_url))


def runs_page(history: History, base_url: str | None) -> RunsPage:
    return RunsPage(frame(history, addresses.RUNS, "Runs", "runs", base_url), len(history.runs))


def run_list(history: History) -> Mapping[str, object]:
    """Columns of all runs in their order: what was measured, where, and the positions of the lanes used."""
    lanes: list[list[int]] = [[] for _ in history.runs]
    count = max(len(history.lanes), 1)
    lane = history.facets.lane[history.table.facet].astype(np.int64)
    used = np.unique(history.table.run[lane >= 0].astype(np.int64) * count + lane[lane >= 0])
    for run, slot in zip((used // count).tolist(), (used % count).tolist(), strict=True):
        lanes[run].append(slot)
    return {
        "ok": [r.ok for r in history.runs],
        "failed": [r.failed for r in history.runs],
        "skipped": [r.skipped for r in history.runs],
        "host": [r.host for r in history.runs],
        "label": [r.label for r in history.runs],
        "lanes": lanes,
    }


class RunFiles:
    """Makes the data files of runs."""

    def __init__(
        self,
        history: History,
        catalogue: Catalogue,
        evidence: PointEvidence,
        details: Mapping[str, RunDetail],
    ) -> None:
        self._history = history
        self._catalogue = catalogue
        self._evidence = evidence
        self._details = details
        table = history.table
        series = np.repeat(catalogue.number, np.diff(table.bounds)) if len(table) else np.zeros(0, dtype=np.intp)
        key = table.run.astype(np.int64) * max(len(table.heads), 1) + series
        self._order = np.argsort(key, kind="stable")
        self._series = series
        counts = np.bincount(table.run, minlength=len(history.runs))
        self._bounds = np.concatenate(([0], np.cumsum(counts))).tolist()
        self._ids: dict[int, str] = {}
        self._facets = lru_cache(maxsize=256)(lambda keys: facet_rows(history, keys))

    def files(self, sampled: frozenset[str]) -> Iterator[tuple[str, PackedFile]]:
        """Path and content of each run's file; `sampled`: ids of the runs that have a file of samples."""
        runs = self._history.runs
        for start in range(0, len(runs), _AT_ONCE):
            several = runs[start : start + _AT_ONCE]
            first = self._bounds[start]
            own = self._order[first : self._bounds[start + len(several)]]
            series = self._series[own]
            facet = self._history.table.facet[own].astype(np.int64) * 2 + self._catalogue.bounded[own]
            columns = {**self._catalogue.columns(own), **self._evidence.columns(own)}
            for at, summary in enumerate(several, start):
                mine = slice(self._bounds[at] - first, self._bounds[at + 1] - first)
                keys, codes = local_codes(facet[mine])
                document = self._document(summary, series[mine], keys, summary.id in sampled)
                given = {name: column[mine] for name, column in columns.items()}
                path = addresses.run_data(summary.id)
                yield path, PackedFile(document, {"series": steps(series[mine]), "facet": codes, **given})

    def _document(
        self, summary: RunSummary, series: NDArray[np.intp], keys: NDArray[np.int64], samples: bool
    ) -> dict[str, object]:
        """`series`: the numbers of those that it measured; `keys`: of its facets, as facet_rows takes them."""
        history = self._history
        facets, notes = self._facets(tuple(keys.tolist()))
        detail = self._details.get(summary.id, RunDetail())
        return {
            "id": summary.id,
            "duration": format_duration(summary.duration_s),
            "host": summary.host,
            "label": summary.label,
            "version": summary.perftrack_version,
            "limitations": [r.message for r in summary.limitations],
            "settings": [[n, _setting(v)] for n, v in sorted(detail.settings.items()) if v is not None],
            "environments": [
                [self._id(f), sorted(history.lane_index[lane] for lane in lanes if lane in history.lane_index)]
                for f, lanes in detail.environments
            ],
            "facets": facets,
            "notes": notes,
            "outputs": self._outputs(series, detail.outputs),
            "samples": samples,
        }

    def _id(self, fingerprint: EnvironmentFingerprint) -> str:
        """Its id, which is a hash of all of its fields and the same object's for many runs."""
        key = id(fingerprint)
        if key not in self._ids:
            self._ids[key] = fingerprint.id
        return self._ids[key]

    def _outputs(self, numbers: NDArray[np.intp], outputs: Mapping[tuple[Case, str], str]) -> dict[str, str]:
        """By number of the series, the end of what a failed case printed."""
        if not outputs:
            return {}
        found: dict[str, str] = {}
        for number in numbers.tolist():
            series = self._history.series[int(self._catalogue.order[number])]
            text = outputs.get((series.case, series.metric))
            if text:
                found[str(number)] = text[-MAX_OUTPUT:]
        return found


def environment_files(details: Mapping[str, RunDetail]) -> Iterator[tuple[str, PackedFile]]:
    """Path and content of the file of each environment that a run was in."""
    objects = {id(f): f for d in details.values() for f, _ in d.environments}
    known: dict[str, EnvironmentFingerprint] = {f.id: f for f in objects.values()}
    for id_ in sorted(known):
        section = environment_section("", known[id_], ())
        fields = [[row.label, row.why, row.key, row.values[0], row.kinds[0]] for row in section.fields]
        yield addresses.environment_data(id_), PackedFile({"fields": fields, "absent": section.absent})


def sample_file(run: Run, keys: Mapping[tuple[str, str], str]) -> PackedFile:
    """The samples of a run by key of their series; `keys`: by addresses.case_key and metric."""
    found: dict[str, object] = {}
    for m in run.measurements:
        key = keys.get((addresses.case_key(m.case), m.metric))
        thinned = distribution(m.processes) if key else None
        if key and thinned is not None:
            found[key] = thinned
    return PackedFile({"of": found})


def newest_sampled(history: History, details: Mapping[str, RunDetail], most: int) -> frozenset[str]:
    """The runs of which samples are shown: the newest by commit and recording that have any."""
    order = np.lexsort((np.arange(len(history.runs)), history.run_commit))[::-1]
    ids = (history.runs[at].id for at in order.tolist())
    return frozenset([i for i in ids if i in details and details[i].sampled][:most])


def _setting(value: Scalar) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else format_scalar(value)
