"""The stored ceilings: which are in force in each environment, and what results make of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from perftrack.app.project import Project
from perftrack.core.ceiling import DataType
from perftrack.core.ceilingcase import BENCHMARK, definition_of, is_tuned
from perftrack.core.history import Point, Series
from perftrack.core.limit import KnownLimit, known_limits
from perftrack.core.model import Measurement, Status
from perftrack.core.share import Ceilings, StoredCeiling
from perftrack.errors import StoreMissingError, StoreVersionError

PARTIAL, UNVALIDATED = "ceiling-partial", "ceiling-conditions"
L2_SETTING = "l2_bytes"


def ceilings_in_force(project: Project) -> Ceilings:
    """Those that results are held against: complete, by the untuned definition, the newest of each environment.

    Where a commit has several, of a node's cards, the fastest. None where there is no store.
    """
    chosen: dict[tuple[str, str, DataType | None], StoredCeiling] = {}
    for ceiling in stored_ceilings(project):
        if ceiling.complete and not ceiling.tuned:
            place = ceiling.key, ceiling.definition.value, ceiling.dtype
            before = chosen.get(place)
            if before is None or before.sha != ceiling.sha or before.value < ceiling.value:
                chosen[place] = ceiling  # they come oldest first
    by_key: dict[str, list[StoredCeiling]] = defaultdict(list)
    for ceiling in chosen.values():
        by_key[ceiling.key].append(ceiling)
    return Ceilings({k: tuple(v) for k, v in by_key.items()}, _l2_bytes(project, chosen.values()))


def stored_ceilings(project: Project) -> tuple[StoredCeiling, ...]:
    """Every stored ceiling, oldest first; none without a store, or in one that the next recording upgrades."""
    try:
        series = project.store.series(benchmark=BENCHMARK)
        keys = {lane.id: lane.fingerprint.key_id for lane in project.store.lanes()} if series else {}
    except (StoreMissingError, StoreVersionError):
        return ()
    found = [_ceiling(s, p, keys[p.lane]) for s in series for p in s.points if _is_one(s, p) and p.lane in keys]
    return tuple(sorted(found, key=lambda c: (c.started_at, c.run_id, c.definition.value)))


def limits_of(project: Project) -> tuple[KnownLimit, ...]:
    """What no result of a recording may exceed."""
    in_force = ceilings_in_force(project)
    return known_limits(c for own in in_force.by_key.values() for c in own)


def without_ceilings(measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """Measurements of the project's own benchmarks: a ceiling is its environment's, and no commit's doing."""
    return tuple(m for m in measurements if definition_of(m.case) is None)


def _is_one(series: Series, point: Point) -> bool:
    return definition_of(series.case) is not None and point.status is Status.OK and point.value is not None


def _ceiling(series: Series, point: Point, key: str) -> StoredCeiling:
    definition = definition_of(series.case)
    dtype = dict(series.case.params).get("dtype")
    codes = {r.code for r in point.limitations}
    assert definition is not None and point.value is not None
    return StoredCeiling(
        key=key,
        definition=definition,
        dtype=next((d for d in DataType if d.value == dtype), None),
        value=point.value,
        interval=point.interval,
        run_id=point.run_id,
        sha=point.sha,
        started_at=point.started_at,
        complete=PARTIAL not in codes,
        validated=UNVALIDATED not in codes,
        tuned=is_tuned(series.case),
    )


def _l2_bytes(project: Project, ceilings: Iterable[StoredCeiling]) -> dict[str, float]:
    """Size of the L2 cache by environment, from the newest run that tells it."""
    found: dict[str, float] = {}
    runs: dict[str, float | None] = {}
    for ceiling in ceilings:
        if ceiling.run_id not in runs:
            size = project.store.run(ceiling.run_id).settings.get(L2_SETTING)
            runs[ceiling.run_id] = float(size) if isinstance(size, int | float) else None
        if (size_of := runs[ceiling.run_id]) is not None:
            found[ceiling.key] = size_of
    return found
