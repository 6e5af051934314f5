"""Order in what a source gives: commits, runs and lanes with those that only points know, points by commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np

from perftrack.core.history import Lane, RunSummary, reading_order
from perftrack.core.model import Commit
from perftrack.core.pointtable import PointTable, Positions, RunKey

NOT_IN_HISTORY = "not in history"


def ordered(table: PointTable, places: Positions, run_commit: Positions) -> PointTable:
    """The table by reading order of its series, and by commit within one; `places`: positions of its runs."""
    heads = table.heads
    order = sorted(range(len(heads)), key=lambda i: reading_order(heads[i].case, heads[i].metric, heads[i].unit))
    rank = np.empty(len(heads), dtype=np.int64)
    rank[order] = np.arange(len(heads))
    lengths = np.diff(table.bounds)
    run = places[table.run] if len(places) else table.run
    key = np.repeat(rank, lengths) * max(len(run_commit), 1)
    if len(run):
        key += run_commit[run]
        key *= len(run_commit)
        key += run
    by = np.argsort(key, kind="stable") if (np.diff(key) < 0).any() else None
    bounds = np.concatenate(([0], np.cumsum(lengths[order]))).astype(np.int64)
    return replace(table, run=run).chosen(tuple(heads[i] for i in order), bounds, by)


def lost_first(
    commits: Sequence[Commit], listed: Sequence[Commit], lost: Set[str]
) -> tuple[tuple[Commit, ...], frozenset[str]]:
    """Commits that are not in history before all others and labelled: the newest stays the newest of HEAD."""
    kept = {c.sha for c in listed} - lost
    gone = [
        replace(c, subject=f"{NOT_IN_HISTORY}: {c.subject}".rstrip(": ")) for c in commits if c.sha not in kept
    ]
    return (*gone, *(c for c in commits if c.sha in kept)), frozenset(c.sha for c in gone)


def all_commits(
    commits: Sequence[Commit], runs: Sequence[RunSummary], keys: Sequence[RunKey]
) -> tuple[Commit, ...]:
    """Commits of the source, then those that only runs or points name (a shallow clone has lost them)."""
    known = {c.sha: c for c in commits}
    seen: dict[str, float] = {}
    for sha, at in (*((r.sha, r.started_at) for r in runs), *((k.sha, k.started_at) for k in keys)):
        if sha not in known:
            seen[sha] = min(at, seen.get(sha, at))
    lost = [Commit(sha, (), "", int(at), int(at), "") for sha, at in sorted(seen.items(), key=lambda i: i[::-1])]
    return (*known.values(), *lost)


def all_runs(runs: Sequence[RunSummary], table: PointTable) -> Sequence[RunSummary]:
    known = {r.id: r for r in runs}
    return [*known.values(), *(_stand_in(table, at, k) for at, k in enumerate(table.runs) if k.id not in known)]


def _stand_in(table: PointTable, at: int, key: RunKey) -> RunSummary:
    counts = Counter(table.facets[f].status.value for f in table.facet[table.run == at].tolist())
    return RunSummary(
        id=key.id,
        sha=key.sha,
        started_at=key.started_at,
        duration_s=0.0,
        dirty=key.dirty,
        host="",
        label="",
        perftrack_version="",
        limitations=(),
        ok=counts["ok"],
        failed=counts["failed"],
        skipped=counts["skipped"],
    )


def by_first_use(lanes: Sequence[Lane], table: PointTable) -> tuple[Lane, ...]:
    """Lanes by the time of their first point; lanes that no point uses come last, by id."""
    runs = np.full(len(table.facets), len(table.runs), dtype=np.int64)
    by = np.lexsort((table.run, table.facet)) if len(table.facets) > 1 else np.arange(len(table))
    starts = np.flatnonzero(np.diff(table.facet[by], prepend=-1))
    if len(starts):
        runs[table.facet[by[starts]]] = np.minimum.reduceat(table.run[by], starts)
    first: dict[str, int] = {}
    for facet, run in zip(table.facets, runs.tolist(), strict=True):
        first[facet.lane] = min(run, first.get(facet.lane, run))
    return tuple(sorted(lanes, key=lambda lane: (lane.id not in first, first.get(lane.id, 0), lane.id)))
