"""What a search would do, before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.app.bisectcase import first_metric, the_case
from perftrack.app.bisecthistory import Past, past_of
from perftrack.app.bisectoptions import BisectOptions
from perftrack.app.bisectrange import SearchRange, range_of, skipped
from perftrack.app.environment import current
from perftrack.app.project import Project
from perftrack.core.model import Direction
from perftrack.core.search.bisection import Search
from perftrack.core.search.expectation import expected, likely_probes
from perftrack.core.search.settings import SearchSettings
from perftrack.errors import PerftrackError, StoreMissingError, StoreVersionError
from perftrack.suite.selection import Selected

PROBES = 7
GAPS = (1.0, 2.0, 4.0)  # standard deviations of a process that the ends may lie apart


@dataclass(frozen=True, slots=True)
class BisectPlan:
    """`probes`: SHAs that it would likely begin with; `expected`: measurements by how far apart the ends are, in
    standard deviations of one process; `past`: what history tells.
    """

    range: SearchRange
    selected: Selected
    metric: str
    past: Past
    skipped: int
    probes: tuple[str, ...]
    expected: tuple[tuple[float, float], ...]


def plan(project: Project, options: BisectOptions) -> BisectPlan:
    """Imports the benchmark files of the checkout; measures and writes nothing. Raises as `bisect` does."""
    project.device()
    found = range_of(project.repository, options.good, options.bad, first_parent=options.first_parent)
    skip = skipped(project.repository, found.graph, options.skip)
    selected = the_case(project, options.bench, options.python)
    metric = options.metric or first_metric(selected.declared)
    past = Past() if options.live_only else _past(project, found, selected, metric, options)
    budget = options.budget
    settings = SearchSettings(
        selected.declared.direction,
        options.level,
        skip,
        budget.measurements if budget else None,
        budget.seconds if budget else None,
    )
    search = Search.begin(found.graph, settings, prior=past.prior, recorded=past.recorded)
    forecasts = tuple((gap, expected(search, gap).measurements) for gap in GAPS)
    return BisectPlan(found, selected, metric, past, len(skip), likely_probes(search, PROBES), forecasts)


def _past(project: Project, found: SearchRange, selected: Selected, metric: str, options: BisectOptions) -> Past:
    """As far as it can be told without measuring: which lane it will be follows from the environment."""
    declared = selected.declared
    try:
        lanes = project.store.lanes()
        kind = project.device() or declared.device
        key = current(project, kind, options.python).key_id if lanes else ""
    except (StoreMissingError, StoreVersionError):
        return Past()
    except PerftrackError:
        key = ""  # a device that is not here: nothing stored is of its lane
    direction = declared.direction if metric != "speedup" else Direction.HIGHER
    own = [lane.id for lane in lanes if lane.fingerprint.key_id == key]
    pasts = [
        past_of(project, found.graph, selected.case.id, metric, direction, lane, declared.code_hash)
        for lane in own or [""]
    ]
    return max(pasts, key=lambda p: len(p.recorded))
