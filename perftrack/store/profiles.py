"""Profiles as rows, and rows as the profiles they were written from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from perftrack.core.identity import content_id
from perftrack.core.launches.launch import Bound, Counter, Dim3, Launch, LaunchSummary, Profile, Stall
from perftrack.core.model import Commit, Scalar
from perftrack.store import profile_queries as queries
from perftrack.store.queries import INSERT_COMMITS, SET_TEXTS, TEXT_MACRO
from perftrack.store.rows import Columns, commit_columns
from perftrack.store.texts import Texts, canonical_json, check_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class ProfileBatch:
    """Everything that one profile adds: its own row, tables of columns, and the texts that these point into."""

    row: Mapping[str, Scalar]
    tables: Mapping[str, Columns]
    texts: str


def profile_batch(profile: Profile, commits: Iterable[Commit]) -> ProfileBatch:
    """Raises ValueError for a value that is not finite and text that is no Unicode, OverflowError past 64 bits."""
    # Counters may be read from their file when asked for; the id is of what they are.
    launches = tuple(Launch(each.summary, tuple(each.counters)) for each in profile.launches)
    profile = replace(profile, launches=launches)
    texts = Texts()
    tables = {
        "incoming_commits": commit_columns(commits, texts),
        "incoming_launches": _launch_columns(launches, texts),
    }
    return ProfileBatch(_profile_row(profile), tables, canonical_json(texts.all()))


def add_profile(connection: DuckDBPyConnection, batch: ProfileBatch) -> bool:
    """Insert a profile; False, and nothing done, where one with its id is there."""
    profile_id = batch.row["profile_id"]
    if connection.execute(queries.HAS_PROFILE, [profile_id]).fetchall():
        return False
    connection.execute(SET_TEXTS, [batch.texts])
    connection.execute(TEXT_MACRO)
    for name, columns in batch.tables.items():
        connection.register(name, columns)
    connection.execute(INSERT_COMMITS)
    connection.execute(queries.INSERT_PROFILE, dict(batch.row))
    connection.execute(queries.INSERT_LAUNCHES, {"profile_id": profile_id})
    return True


def _profile_row(profile: Profile) -> dict[str, Scalar]:
    row: dict[str, Scalar] = {
        "profile_id": content_id(profile),
        "sha": profile.sha,
        "case_id": profile.case_id,
        "run_id": profile.run_id,
        "taken_at_s": float(profile.taken_at),
        "dirty": profile.dirty,
        "ncu_version": profile.ncu_version,
        "clock_control": profile.clock_control,
        "cache_control": profile.cache_control,
        "collection": profile.collection,
        "source": profile.source,
        "limitations": canonical_json(profile.limitations),
        "launch_count": len(profile.launches),
    }
    for value in row.values():
        if isinstance(value, str):
            check_text(value)
    return row


def _launch_columns(launches: Sequence[Launch], texts: Texts) -> Columns:
    """Launches as columns: texts are codes into `texts`, numbers NaN where there is none."""
    summaries = [launch.summary for launch in launches]
    columns: Columns = {
        "launch_no": np.arange(len(summaries), dtype=np.int32),
        "occurrence": np.array([s.occurrence for s in summaries], dtype=np.int64),
        "instances": np.array([s.instances for s in summaries], dtype=np.int64),
        **_dims("grid", [s.grid for s in summaries]),
        **_dims("block", [s.block for s in summaries]),
    }
    for name in queries.TEXTS:
        columns[name] = np.array([texts.code(getattr(s, name)) for s in summaries], dtype=np.int32)
    for name in queries.NUMBERS:
        values = [getattr(s, name) for s in summaries]
        columns[name] = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    lists: dict[str, Callable[[Launch], object]] = {
        "top_stalls": lambda x: [[s.reason, float(s.value), s.share_pct, s.source] for s in x.summary.top_stalls],
        "filled": lambda x: x.summary.filled,
        "unparsed": lambda x: x.summary.unparsed,
        "counters": lambda x: [[c.name, c.value, c.unit, c.section] for c in x.counters],
    }
    for name, values_of in lists.items():
        codes = [texts.code(canonical_json(values_of(launch))) for launch in launches]
        columns[name] = np.array(codes, dtype=np.int32)
    return columns


def _dims(name: str, values: Sequence[Dim3 | None]) -> Columns:
    sizes = np.array([v or (0, 0, 0) for v in values], dtype=np.int64).reshape(-1, 3)
    columns: Columns = {f"{name}_{axis}": sizes[:, i].copy() for i, axis in enumerate("xyz")}
    return columns | {f"has_{name}": np.array([v is not None for v in values], dtype=np.bool_)}


def read_profiles(
    connection: DuckDBPyConnection, query: str, values: dict[str, Any], *, counters: bool = True
) -> tuple[Profile, ...]:
    """The profiles that a query of profile rows gives, in its order, with launches and maybe their counters."""
    rows = connection.execute(query, values).fetchall()
    wanted = queries.LAUNCHES if counters else queries.LAUNCHES_ONLY
    found = connection.execute(wanted, {"profile_ids": [r[0] for r in rows]}).fetchall()
    launches: dict[str, list[Launch]] = {r[0]: [] for r in rows}
    for profile_id, *row, text in found:
        launches[profile_id].append(Launch(_summary(row), _counters(text)))
    return tuple(_profile(r, launches[r[0]]) for r in rows)


def read_codes(
    connection: DuckDBPyConnection, cases: Sequence[str] | None
) -> dict[str, dict[str, tuple[LaunchSummary, ...]]]:
    """Launches of the newest clean profile, by case id and commit; of whole profiles only."""
    found: dict[str, dict[str, list[LaunchSummary]]] = {}
    for sha, case_id, *row in connection.execute(queries.CODES, {"cases": cases and list(cases)}).fetchall():
        found.setdefault(case_id, {}).setdefault(sha, []).append(_summary(row))
    return {case_id: {sha: tuple(own) for sha, own in of.items()} for case_id, of in found.items()}


def _profile(row: Row, launches: Iterable[Launch]) -> Profile:
    _, sha, case_id, taken_at, run_id, dirty, version, clocks, caches, collection, source, limitations = row
    return Profile(
        sha=sha,
        case_id=case_id,
        taken_at=taken_at,
        launches=tuple(launches),
        run_id=run_id,
        dirty=dirty,
        ncu_version=version,
        clock_control=clocks,
        cache_control=caches,
        collection=collection,
        source=source,
        limitations=tuple(json.loads(limitations)),
    )


def _summary(row: Row) -> LaunchSummary:
    """From the columns of profile_queries, without the counters."""
    values = dict(zip(queries.COLUMNS[:-1], row, strict=True))
    return LaunchSummary(
        grid=_dim(values["grid"]),
        block=_dim(values["block"]),
        occurrence=values["occurrence"],
        instances=values["instances"],
        **{name: values[name] for name in queries.TEXTS if name != "bound"},
        **{name: values[name] for name in queries.NUMBERS},
        bound=Bound(values["bound"]),
        top_stalls=tuple(Stall(*stall) for stall in json.loads(values["top_stalls"])),
        filled=tuple((field, metric) for field, metric in json.loads(values["filled"])),
        unparsed=tuple(json.loads(values["unparsed"])),
    )


def _dim(value: Sequence[int] | None) -> Dim3 | None:
    if value is None:
        return None
    x, y, z = value
    return x, y, z


def _counters(text: str) -> tuple[Counter, ...]:
    return tuple(Counter(*counter) for counter in json.loads(text))
