"""The store as the rest of perftrack sees it: runs go in, values of core come out."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack.core.coverage import Covered
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, RunSummary, Series
from perftrack.core.launches.launch import LaunchSummary, Profile
from perftrack.core.model import Cache, Commit, Measurement, Run
from perftrack.core.pointtable import PointTable, RunDetail
from perftrack.core.renames import Renames
from perftrack.core.share import Work
from perftrack.errors import StoreError
from perftrack.store import (
    connection,
    coverage,
    insertion,
    naming,
    profile_queries,
    profiles,
    queries,
    records,
    rows,
    series,
    table,
)
from perftrack.store.texts import canonical_json, check_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DEFAULT_WAIT_S = 60.0
_BESIDE = (".lock", ".queue", ".wal", ".new", ".new.wal", ".tmp")


@dataclass(frozen=True, slots=True)
class Store:
    """One DuckDB file of runs. Opened for each call and closed after it, so that others can write.

    Every reading method raises StoreMissingError where there is no store, StoreVersionError for a
    file of another schema or no perftrack store, StoreLockedError where a writer holds the store
    for longer than `wait_s` seconds, and StoreError for a damaged file.

    What reads cases over runs gives them under present names: of `renames`, and of the newest run that tells.
    """

    path: Path
    wait_s: float = DEFAULT_WAIT_S
    renames: Renames = field(default_factory=Renames)

    @property
    def files(self) -> tuple[Path, ...]:
        """The store and everything that may lie beside it: locks for good, the others while it is written."""
        return (self.path, *(self.path.with_name(self.path.name + s) for s in _BESIDE))

    def add_run(self, run: Run, commits: Iterable[Commit] = ()) -> bool:
        """Store a run with the commits it belongs to, whole or not at all.

        True: stored now. False: a run with this id is stored already, and nothing changed. Samples
        must be rounded as core.identity.round_samples does, or the run reads back as another one.
        """
        with self._refusing_bad_values():
            run_id = run.id
            batch = rows.batch(run, run_id, commits)
            texts = canonical_json(batch.texts)
        with connection.writing(self.path, self.wait_s) as db:
            if db.execute(queries.HAS_RUN, [run_id]).fetchall():
                return False
            with self._refusing_bad_values():
                insertion.insert(db, batch, texts)
            return True

    def upgrade(self) -> None:
        """Bring the file to this perftrack's schema, as the next write would. Raises as reading methods do."""
        with connection.writing(self.path, self.wait_s):
            pass

    def runs(self, sha: str | None = None) -> tuple[RunSummary, ...]:
        """Stored runs, of one commit or all; newest first."""
        with self._reading(sha) as db:
            return tuple(records.summary(r) for r in db.execute(queries.RUNS, [sha]).fetchall())

    def run(self, run_id: str) -> Run:
        """A run by its id or the beginning of it. Raises StoreError where none or several fit."""
        with self._reading(run_id) as db:
            found = [r[0] for r in db.execute(queries.RUN_IDS, [run_id]).fetchall()] if run_id else []
            if len(found) == 1:
                return records.read_run(db, found[0])
        if not found:
            raise StoreError(f"no run {run_id!r} in {self.path}", "perftrack show and the site name the runs.")
        raise StoreError(f"run {run_id!r} is ambiguous: {', '.join(found[:5])}", "Give more digits of the id.")

    def latest_run(self, sha: str) -> Run | None:
        """The newest run of a commit; None where it has none."""
        with self._reading(sha) as db:
            found = db.execute(queries.RUNS, [sha]).fetchall()
            return records.read_run(db, found[0][0]) if found else None

    def measurements(self, sha: str, *, dirty: bool = False) -> tuple[Measurement, ...]:
        """The newest measurement of each case, metric and lane over a commit's runs, with samples.

        Over the runs of its own code, or with `dirty` over those that had uncommitted changes.

        A measurement without an environment is in no lane; it counts while nothing newer exists for
        its case and metric. Those of the newest run come first, in the order of the run.
        """
        with self._reading(sha) as db:
            db.execute(queries.PICK_LATEST, [sha, dirty])
            return naming.renames_in(db, self.renames).measurements(records.read_picked(db))

    def series(self, *, case: str | None = None, benchmark: str | None = None) -> tuple[Series, ...]:
        """Points over all runs, oldest first, without samples; of one case by id, one benchmark, or all.

        Unit, direction, tags, source and threshold are those of the newest measurement. Points are
        of every lane and status; join those of one lane only.
        """
        with self._reading(case, benchmark) as db:
            renames = naming.renames_in(db, self.renames)
            cases = None if case is None else renames.case_ids(case)
            benchmarks = None if benchmark is None else renames.names(benchmark)
            return renames.series(series.read_series(db, cases, benchmarks))

    def point_table(self) -> PointTable:
        """As `series` of every case, in columns."""
        with self._reading() as db:
            return table.read_table(db, naming.renames_in(db, self.renames))

    def run_details(self) -> dict[str, RunDetail]:
        """Of every run by id, what a summary and the points leave out."""
        with self._reading() as db:
            return table.read_details(db, naming.renames_in(db, self.renames))

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything inside the block from one connection: it all agrees, and writers wait."""
        with connection.holding(self.path, self.wait_s):
            yield

    def commits(self) -> tuple[Commit, ...]:
        """Commits that runs brought along, by commit time; the graph's order is the repository's to tell."""
        with self._reading() as db:
            return tuple(records.commit(r) for r in db.execute(queries.COMMITS).fetchall())

    def measured_shas(self, lanes: Collection[str] | None = None, *, clean: bool = False) -> frozenset[str]:
        """Commits with a benchmark that succeeded, in any of the lanes where some are given; ceilings are none.

        `clean`: leaving out runs that had uncommitted changes.
        """
        with self._reading() as db:
            return coverage.read_measured(db, lanes, clean=clean)

    def covered(self) -> tuple[Covered, ...]:
        """What the runs of commits' own code have, by run and environment; ceilings are not among it."""
        with self._reading() as db:
            return coverage.read_covered(db, naming.renames_in(db, self.renames))

    def lanes(self) -> tuple[Lane, ...]:
        """Lanes in order of first appearance, each with its newest environment."""
        with self._reading() as db:
            return table.read_lanes(db)

    def fingerprints(self) -> dict[str, EnvironmentFingerprint]:
        """Every environment that was ever stored, by its id."""
        with self._reading() as db:
            return records.read_fingerprints(db, queries.FINGERPRINTS)

    def case_ids(self) -> tuple[str, ...]:
        """Ids of all cases, sorted."""
        with self._reading() as db:
            renames = naming.renames_in(db, self.renames)
            return tuple(sorted({renames.case_id(r[0]) for r in db.execute(queries.CASE_IDS).fetchall()}))

    def declared_work(self) -> dict[tuple[str, str], Work]:
        """What cases declare of one call, by case id and metric: flops, bytes and the state of the cache."""
        with self._reading() as db:
            found = db.execute(queries.DECLARED_WORK).fetchall()
            names = naming.renames_in(db, self.renames).standing(row[0] for row in found)
        rows = [row for row in found if row[0] in names]
        return {(names[c], metric): Work(flops, moved, cache=Cache(how)) for c, metric, flops, moved, how in rows}

    def add_profile(self, profile: Profile, commits: Iterable[Commit] = ()) -> bool:
        """Store what a profiler said of one case of a commit. Returns as add_run does."""
        with self._refusing_bad_values("profile"):
            batch = profiles.profile_batch(profile, commits)
        with connection.writing(self.path, self.wait_s) as db, self._refusing_bad_values("profile"):
            return profiles.add_profile(db, batch)

    def profiles(self, sha: str, case: str | None = None) -> tuple[Profile, ...]:
        """Every profile of a commit, or of one case of it by id; newest first."""
        with self._reading(sha, case) as db:
            return profiles.read_profiles(db, profile_queries.PROFILES, {"sha": sha, "case": case})

    def latest_profiles(self, sha: str, *, dirty: bool = False, counters: bool = True) -> tuple[Profile, ...]:
        """The newest profile of each case of a commit, by case id; or with `dirty` of its uncommitted changes.

        Without `counters` the launches have none: they are most of a profile's bytes.
        """
        wanted = {"sha": sha, "dirty": dirty}
        with self._reading(sha) as db:
            found = profiles.read_profiles(db, profile_queries.LATEST_PROFILES, wanted, counters=counters)
            return naming.present_profiles(found, naming.renames_in(db, self.renames))

    def newest_profiles(self) -> tuple[Profile, ...]:
        """The newest profile of every case and commit, of clean trees and without counters."""
        with self._reading() as db:
            found = profiles.read_profiles(db, profile_queries.NEWEST_PROFILES, {}, counters=False)
            return naming.present_profiles(found, naming.renames_in(db, self.renames))

    def codes(self, case: str | None = None) -> dict[str, dict[str, tuple[LaunchSummary, ...]]]:
        """What ran: by case id and commit, the launches of the newest profile that is clean and whole."""
        with self._reading(case) as db:
            renames = naming.renames_in(db, self.renames)
            cases = None if case is None else renames.case_ids(case)
            return naming.present_codes(profiles.read_codes(db, cases), renames)

    def known_renames(self) -> Renames:
        """Those of `renames`, and of the newest run that tells."""
        with self._reading() as db:
            return naming.renames_in(db, self.renames)

    @contextlib.contextmanager
    def _reading(self, *names: str | None) -> Iterator[DuckDBPyConnection]:
        """A connection to ask about `names`, which come from outside and may not even be text."""
        for name in names:
            try:
                check_text(name or "")
            except ValueError as error:
                raise StoreError(f"nothing can be stored under {name!a}: {error}") from error
        with connection.reading(self.path, self.wait_s) as db:
            try:
                yield db
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise StoreError(
                    f"{self.path}: holds something that this perftrack does not understand: {error}",
                    "Upgrade with: pip install --upgrade perftrack-gpu. If that does not help, it is damaged.",
                ) from error

    @contextlib.contextmanager
    def _refusing_bad_values(self, what: str = "run") -> Iterator[None]:
        """Not-a-number, integers past 64 bits, text that is no Unicode: said as what they are."""
        try:
            yield
        except (ValueError, TypeError, OverflowError) as error:
            raise StoreError(f"the {what} cannot be stored in {self.path}: {error}") from error
