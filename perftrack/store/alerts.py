"""Alerts in the store, and who recorded what a series is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perftrack.core.changes.alert import Alert
from perftrack.store import alert_queries as queries
from perftrack.store import connection, naming
from perftrack.store.database import Store
from perftrack.store.texts import check_text


@dataclass(frozen=True, slots=True)
class Origin:
    """What a run's measurements of one lane were taken with."""

    fingerprint_id: str
    perftrack_version: str


@dataclass(frozen=True, slots=True)
class Source:
    """Who recorded: a host and an environment, in how many runs, the last of which began at `last_at`.

    `fingerprint_id` is empty for what was recorded without an environment, such as failures.
    """

    host: str
    fingerprint_id: str
    runs: int
    last_at: float


def read_alerts(store: Store) -> tuple[Alert, ...]:
    """What was reported, oldest first, of cases under their present names. Raises as Store's readers do."""
    with store._reading() as db:
        renames = naming.renames_in(db, store.renames)
        found = [Alert(*row) for row in db.execute(queries.ALERTS).fetchall()]
        return tuple(replace(a, subject=renames.case_id(a.subject)) if a.metric else a for a in found)


def add_alerts(store: Store, alerts: Sequence[Alert], now: float) -> None:
    """Remember alerts as reported `now`, in unix seconds; all or none. One that is there stays as it is."""
    rows = [_row(alert) for alert in alerts]
    with store._refusing_bad_values("alert"):
        for row in rows:
            for text in row:
                check_text(text)
    with connection.writing(store.path, store.wait_s) as db:
        known = set(db.execute(queries.KNOWN_IDS).fetchall())
        for row in rows:
            if row[:2] not in known:
                db.execute(queries.INSERT_ALERT, [*row, now])
                known.add(row[:2])


def read_origins(store: Store, runs: Sequence[str]) -> dict[tuple[str, str], Origin]:
    """By run id and lane, what was measured there with. Raises as Store's readers do."""
    with store._reading(*runs) as db:
        rows = db.execute(queries.ORIGINS, {"runs": list(runs)}).fetchall()
        return {(run, lane): Origin(fingerprint, version) for run, lane, fingerprint, version in rows}


def read_sources(store: Store) -> tuple[Source, ...]:
    """Every host and environment that recorded. Raises as Store's readers do."""
    with store._reading() as db:
        return tuple(Source(*row) for row in db.execute(queries.SOURCES).fetchall())


def _row(alert: Alert) -> tuple[str, ...]:
    return (
        alert.id,
        alert.kind,
        alert.subject,
        alert.metric,
        alert.lane,
        alert.direction,
        alert.first_sha,
        alert.last_sha,
        alert.most_likely_sha,
    )
