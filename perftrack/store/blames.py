"""Searches as rows: what they came to, and the stored runs that they begin with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from perftrack.core.model import Commit, Direction, Scalar
from perftrack.core.search.blame import Blame
from perftrack.core.search.pastrun import PastRun
from perftrack.core.search.visits import Outcome
from perftrack.store import blame_queries as queries
from perftrack.store import connection, naming
from perftrack.store.database import Store
from perftrack.store.queries import INSERT_COMMITS, SET_TEXTS, TEXT_MACRO
from perftrack.store.records import interval
from perftrack.store.rows import commit_columns
from perftrack.store.texts import Texts, canonical_json, check_text

Row = Sequence[Any]


def add_blame(store: Store, blame: Blame, commits: Iterable[Commit] = ()) -> bool:
    """Store what a search came to, with the commits that it names. Returns and raises as Store.add_run does."""
    with store._refusing_bad_values("search"):
        texts = Texts()
        columns = commit_columns(commits, texts)
        all_texts = canonical_json(texts.all())
        values = _row(blame)
    with connection.writing(store.path, store.wait_s) as db:
        if db.execute(queries.HAS_BLAME, [blame.id]).fetchall():
            return False
        with store._refusing_bad_values("search"):
            db.execute(SET_TEXTS, [all_texts])
            db.execute(TEXT_MACRO)
            db.register("incoming_commits", columns)
            db.execute(INSERT_COMMITS)
            db.execute(queries.INSERT_BLAME, values)
        return True


def read_blames(store: Store, case: str | None = None) -> tuple[Blame, ...]:
    """What searches came to, of one case by id or of all; newest first. Raises as Store's readers do."""
    with store._reading(case) as db:
        return tuple(_blame(r) for r in db.execute(queries.BLAMES, {"case": case}).fetchall())


def past_runs(store: Store, case: str, metric: str) -> tuple[PastRun, ...]:
    """Every clean run of a case's metric that verdicts may rest on, oldest first. Raises as Store's readers do."""
    with store._reading(case, metric) as db:
        cases = naming.renames_in(db, store.renames).case_ids(case)
        rows = db.execute(queries.PAST_RUNS, {"cases": list(cases), "metric": metric}).fetchall()
        return tuple(
            PastRun(run_id, sha, lane, code, started_at, value, within, tuple(values))
            for run_id, sha, lane, code, started_at, value, within, values in rows
        )


def _row(blame: Blame) -> dict[str, Scalar | list[str]]:
    row: dict[str, Scalar | list[str]] = {
        "blame_id": blame.id,
        "case_id": blame.case_id,
        "metric": blame.metric,
        "unit": blame.unit,
        "direction": blame.direction.value,
        "good": blame.good,
        "bad": blame.bad,
        "outcome": blame.outcome.value,
        "commits": list(blame.commits),
        "probability": float(blame.probability),
        "confidence": float(blame.confidence),
        "is_merge": blame.merge,
        "before_sha": blame.before,
        "after_sha": blame.after,
        "effect": blame.effect,
        "interval_lo": blame.interval.lo if blame.interval else None,
        "interval_hi": blame.interval.hi if blame.interval else None,
        "p_value": blame.p_value,
        "is_log": blame.logs,
        "explained": blame.explained,
        "posterior": canonical_json([[sha, float(p)] for sha, p in blame.posterior]),
        "earlier": list(blame.earlier),
        "measurements": blame.measurements,
        "builds": blame.builds,
        "seconds": float(blame.seconds),
        "seed": blame.seed,
        "lane_id": blame.lane,
        "finished_at_s": float(blame.finished_at),
    }
    for value in row.values():
        if isinstance(value, str):
            check_text(value)
    return row


def _blame(row: Row) -> Blame:
    (case_id, metric, unit, direction, good, bad, outcome, commits, probability, confidence) = row[:10]
    (merge, before, after, effect, lo, hi, p_value, logs, explained, posterior, earlier) = row[10:21]
    measurements, builds, seconds, seed, lane, finished_at = row[21:]
    return Blame(
        case_id=case_id,
        metric=metric,
        unit=unit,
        direction=Direction(direction),
        good=good,
        bad=bad,
        outcome=Outcome(outcome),
        commits=tuple(commits),
        probability=probability,
        confidence=confidence,
        merge=merge,
        before=before,
        after=after,
        effect=effect,
        interval=interval(lo, hi),
        p_value=p_value,
        logs=logs,
        explained=explained,
        posterior=tuple((str(sha), float(p)) for sha, p in json.loads(posterior)),
        earlier=tuple(earlier),
        measurements=measurements,
        builds=builds,
        seconds=seconds,
        seed=seed,
        lane=lane,
        finished_at=finished_at,
    )
