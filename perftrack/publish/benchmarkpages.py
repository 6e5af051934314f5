"""The models of a benchmark's page."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.core.model import Params
from perftrack.publish.pages import Frame


@dataclass(frozen=True, slots=True)
class SeriesEntry:
    """One metric of one case on its benchmark's page; its points are in the data file named by `key`.

    `given`: parameters by name. `value`, `lo`, `hi` are of the newest result, of the run at position `run`.
    """

    key: str
    params: str
    given: Params
    metric: str
    unit: str
    value: float | None
    lo: float | None
    hi: float | None
    run: int
    direction: str
    latest: str
    status: str
    spark: str
    verdict: str
    why: str
    tier: str
    lane: int
    share: float | None
    share_of: str


@dataclass(frozen=True, slots=True)
class BenchmarkPage:
    frame: Frame
    name: str
    tags: tuple[str, ...]
    source: str
    cases: int
    metrics: tuple[str, ...]
    threshold: str | None
    entries: tuple[SeriesEntry, ...]
