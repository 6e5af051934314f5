"""Build the site from the store: supplies what publish asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from perftrack.app.ceilings import ceilings_in_force
from perftrack.app.comparison import compare
from perftrack.app.project import Project
from perftrack.core.ceilingcase import BENCHMARK, only_ceilings
from perftrack.core.history import Lane, RunSummary, Series
from perftrack.core.judgement import Judgement
from perftrack.core.model import Commit, Run
from perftrack.core.share import Ceilings, Work
from perftrack.publish.gather import Project as SiteProject
from perftrack.publish.site import BuildReport, build_site


class StoreSource:
    """publish's HistorySource over a project's store and repository."""

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def _commits(self) -> tuple[Commit, ...]:
        stored = {c.sha: c for c in self._project.store.commits()}
        return tuple(stored[sha] for sha in self._project.repository.order(tuple(stored)))

    def series(self) -> Sequence[Series]:
        return self._project.store.series()

    def commits(self) -> Sequence[Commit]:
        return self._commits

    @cached_property
    def _reached(self) -> frozenset[str]:
        return self._project.repository.reached(c.sha for c in self._commits)

    def lost(self) -> frozenset[str]:
        return frozenset(c.sha for c in self._commits) - self._reached

    def lanes(self) -> Sequence[Lane]:
        return self._project.store.lanes()

    def runs(self) -> Sequence[RunSummary]:
        return self._project.store.runs()

    def run(self, run_id: str) -> Run:
        return self._project.store.run(run_id)

    def project(self) -> SiteProject:
        newest = max((r.started_at for r in self._project.store.runs()), default=0.0)
        return SiteProject(
            name=self._project.root.name,
            remote_url=self._project.repository.remote_url(),
            generated_from=newest,
        )

    def ceilings(self) -> Ceilings:
        return ceilings_in_force(self._project)

    def declared_work(self) -> Mapping[tuple[str, str], Work]:
        return self._project.store.declared_work()

    def judgements(self) -> Sequence[Judgement]:
        """The newest commit with data that HEAD reaches, against the one before it."""
        runs = self._project.store.runs()
        aside = only_ceilings(self._project.store.series(benchmark=BENCHMARK), runs)
        measured = {r.sha for r in runs if not r.dirty and r.id not in aside}
        known = [c for c in self._commits if c.sha in measured and c.sha in self._reached]
        if len(known) < 2:
            return ()
        return compare(self._project, known[-2].sha, known[-1].sha).judgements


def build(project: Project, output: Path, base_url: str | None) -> BuildReport:
    """Render the store into `output`. Raises StoreMissingError without a store, PublishError."""
    report = build_site(StoreSource(project), output, base_url=base_url)
    project.repository.ensure_ignored(output)
    return report
