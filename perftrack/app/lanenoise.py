"""How much a lane moves with nothing changed, from its stored history up to the candidate's era."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from perftrack.app.epochs import Accepted
from perftrack.app.project import Project
from perftrack.core.history import line_of
from perftrack.core.launches.equalruns import equal_code_steps
from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.model import Measurement, Status
from perftrack.core.noise import LaneNoise, lane_noise, with_pairs
from perftrack.core.pointtable import PointTable
from perftrack.core.renames import identity
from perftrack.errors import GitError

Codes = Mapping[str, Mapping[str, Sequence[LaunchSummary]]]  # by case id and commit


class Noise:
    """Lane noise of a candidate's measurements; the history is read once, on first use, unless `table` is it.

    It is learnt from runs of the same benchmark code in the same lane, along one line of first parents, and from
    those alone that are on the candidate's side of every epoch: an accepted change begins it anew. The candidate's
    own runs are left out: the step to them is what is being judged.
    """

    def __init__(
        self, project: Project, accepted: Accepted, candidate: str, table: PointTable | None = None
    ) -> None:
        self._project = project
        self._accepted = accepted
        self._candidate = candidate
        self._table = table
        self._series: dict[tuple[object, ...], int] | None = None
        self._codes: Codes = {}
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._usable: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._within: NDArray[np.float64] = np.zeros(0)

    def of(self, measurement: Measurement) -> LaneNoise | None:
        """What is known of the measurement's lane; None where that is too little to go by."""
        table, known = self._read()
        at = known.get(identity(measurement.case, measurement.metric))
        if at is None:
            return None
        points = self._points(table, at, line_of(measurement))
        within = self._within[points]
        values = table.value[points]
        noise = lane_noise(values, within, table.processes[points])
        head = table.heads[at]
        ran = self._codes.get(head.case.id, {}) if head.metric == "time" else {}
        if not ran:
            return noise
        shas = [table.runs[run].sha for run in table.run[points].tolist()]
        return with_pairs(noise, *equal_code_steps(shas, values.tolist(), within.tolist(), ran))

    def _read(self) -> tuple[PointTable, Mapping[tuple[object, ...], int]]:
        if self._table is None:
            self._table = self._project.store.point_table()
        table = self._table
        if self._series is None:
            self._series = {identity(s.case, s.metric): at for at, s in enumerate(table.heads)}
            self._codes = self._project.store.codes()
            order = self._line()
            # Runs are in order of recording, so that a stable sort by this leaves a commit's runs in it.
            self._order = np.array([order.get(run.sha, -1) for run in table.runs], dtype=np.int64)
            usable = [not run.dirty and run.sha != self._candidate and run.sha in order for run in table.runs]
            self._usable = np.array(usable, dtype=np.bool_)
            self._within = np.nan_to_num(table.within)
        return table, self._series

    def _line(self) -> dict[str, int]:
        """Commits by position: HEAD's first parents, or the candidate's where it is on a branch of its own.

        Between lines of history levels differ by what each has changed, which is no noise.
        """
        repository = self._project.repository
        shas = repository.history("HEAD")
        if self._candidate not in shas:
            with contextlib.suppress(
                GitError
            ):  # the clone may lack the candidate: then HEAD's line is all there is
                shas = repository.history(self._candidate)
        return {sha: at for at, sha in enumerate(reversed(shas))}

    def _points(self, table: PointTable, at: int, line: tuple[str, str]) -> NDArray[np.intp]:
        own = table.span(at)
        facets = [f.status is Status.OK and (f.lane, f.code_hash) == line for f in table.facets]
        run = table.run[own]
        kept = np.array(facets, dtype=np.bool_)[table.facet[own]] & self._usable[run] & ~np.isnan(table.value[own])
        if self._accepted.epochs:
            kept &= [self._is_of_era(table, at, r) for r in run.tolist()]
        points = np.flatnonzero(kept)
        ordered: NDArray[np.intp] = points[np.argsort(self._order[run[points]], kind="stable")] + own.start
        return ordered

    def _is_of_era(self, table: PointTable, at: int, run: int) -> bool:
        head = table.heads[at]
        return self._accepted.same_era(head.case, head.metric, table.runs[run].sha, self._candidate)
