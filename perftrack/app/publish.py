"""Build the site from the store: supplies what publish asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

from perftrack.app.ceilings import ceilings_in_force
from perftrack.app.chronicle import chapters
from perftrack.app.comparison import compare
from perftrack.app.creeping import release_of
from perftrack.app.epochs import Accepted
from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.app.silences import reporters
from perftrack.core.ceilingcase import BENCHMARK, only_ceilings
from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.chronicle import Chapter
from perftrack.core.changes.crept import Release
from perftrack.core.changes.silence import Reporter, SilenceRules
from perftrack.core.history import Lane, RunSummary
from perftrack.core.judgement import Judgement
from perftrack.core.launches.launch import Profile
from perftrack.core.model import Commit, Run
from perftrack.core.pointtable import PointTable, RunDetail
from perftrack.core.share import Ceilings, Work
from perftrack.publish.crew import Crew
from perftrack.publish.gather import Acceptances, Epochs
from perftrack.publish.gather import Project as SiteProject
from perftrack.publish.hire import hired
from perftrack.publish.runs import SAMPLED_RUNS
from perftrack.publish.site import BuildReport, build_site
from perftrack.store.garbage import no_collection
from perftrack.store.schema import migrations
from perftrack.vcs.command import asked_once


class StoreSource:
    """publish's HistorySource over a project's store and repository."""

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def _commits(self) -> tuple[Commit, ...]:
        stored = {c.sha: c for c in self._project.store.commits()}
        return tuple(stored[sha] for sha in self._project.repository.order(tuple(stored)))

    @cached_property
    def _table(self) -> PointTable:
        return self._project.store.point_table()

    @cached_property
    def _runs(self) -> tuple[RunSummary, ...]:
        return self._project.store.runs()

    def points(self) -> PointTable:
        return self._table

    def commits(self) -> Sequence[Commit]:
        return self._commits

    @cached_property
    def _reached(self) -> frozenset[str]:
        return self._project.repository.reached(c.sha for c in self._commits)

    def lost(self) -> frozenset[str]:
        return frozenset(c.sha for c in self._commits) - self._reached

    @cached_property
    def _lanes(self) -> tuple[Lane, ...]:
        return self._project.store.lanes()

    def lanes(self) -> Sequence[Lane]:
        return self._lanes

    def runs(self) -> Sequence[RunSummary]:
        return self._runs

    def details(self) -> Mapping[str, RunDetail]:
        return self._project.store.run_details()

    def run(self, run_id: str) -> Run:
        return self._project.store.run(run_id)

    def project(self) -> SiteProject:
        newest = max((r.started_at for r in self._runs), default=0.0)
        return SiteProject(
            name=self._project.root.name,
            remote_url=self._project.repository.remote_url(),
            generated_from=newest,
        )

    def ceilings(self) -> Ceilings:
        return ceilings_in_force(self._project)

    def declared_work(self) -> Mapping[tuple[str, str], Work]:
        return self._project.store.declared_work()

    def profiles(self) -> Sequence[Profile]:
        return self._project.store.newest_profiles()

    def judgements(self) -> Sequence[Judgement]:
        """The newest commit with data that HEAD reaches, against the one before it."""
        aside = only_ceilings(self._project.store.series(benchmark=BENCHMARK), self._runs)
        measured = {r.sha for r in self._runs if not r.dirty and r.id not in aside}
        known = [c for c in self._commits if c.sha in measured and c.sha in self._reached]
        if len(known) < 2:
            return ()
        found = compare(self._project, known[-2].sha, known[-1].sha, history=self._table).judgements
        del self._table  # who asked for it has a copy in another order, and it is the largest thing here
        return found

    def threshold(self) -> float:
        return self._project.config.threshold

    def chapters(self, watched: Sequence[WatchedLane]) -> Sequence[Chapter]:
        return chapters(self._project, self._order, self._lanes, watched) if watched else ()

    def release(self) -> Release | None:
        return release_of(self._project, self._order, None) if self._commits else None

    def reporters(self) -> Sequence[Reporter]:
        return reporters(self._project)

    def silence(self) -> SilenceRules:
        config = self._project.config
        return SilenceRules(config.silence_days, config.silence_commits, tuple(config.silence_ignore))

    def store_version(self) -> int:
        return migrations()[-1].version

    @cached_property
    def _order(self) -> Order:
        return Order.of(self._project)

    def line(self) -> Sequence[str]:
        return self._order.shas if self._commits else ()

    def epochs(self) -> Epochs | None:
        accepted = self._accepted
        return (lambda own, shas: accepted.starts(own.case, own.metric, shas)) if accepted.epochs else None

    def acceptances(self) -> Acceptances | None:
        accepted = self._accepted
        return (lambda own, shas: accepted.told(own.case, own.metric, shas)) if accepted.epochs else None

    @cached_property
    def _accepted(self) -> Accepted:
        return Accepted.of(self._project)


def build(
    project: Project,
    output: Path,
    base_url: str | None,
    samples: int = SAMPLED_RUNS,
    crew: Crew | None = None,
) -> BuildReport:
    """Render the store into `output`. Raises StoreMissingError without a store, PublishError.

    `crew`: who else works on it, where somebody was hired for it already.
    """
    with (
        closing(crew or hired(project.store.path)) as workers,
        project.store.snapshot(),
        asked_once(),
        no_collection(),
    ):
        report = build_site(StoreSource(project), output, base_url=base_url, samples=samples, crew=workers)
    project.repository.ensure_ignored(output)
    return report
