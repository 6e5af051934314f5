"""The models that templates render: frozen values, formatted where the page shows text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perftrack.publish.forge import Forge


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds every page. `root` leads from the page to the site's root."""

    path: str
    title: str
    section: str
    root: str
    project: str
    forge: Forge | None
    generated_from: float | None
    version: str
    canonical: str | None = None


@dataclass(frozen=True, slots=True)
class LaneRef:
    slot: int
    label: str

    @property
    def colour(self) -> int:
        """Position in the palette; lanes beyond its end share colours and differ in name."""
        return self.slot % 8


@dataclass(frozen=True, slots=True)
class CommitRef:
    """`run` is the path of the page that shows the commit's results, where there is one."""

    sha: str
    subject: str
    url: str | None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A regression or improvement, ready to read: all numbers are text with units."""

    verdict: str
    word: str
    case: str
    metric: str
    page: str
    anchor: str
    change: str
    change_lo: str
    change_hi: str
    baseline_value: str
    candidate_value: str
    baseline: CommitRef | None
    candidate: CommitRef | None
    lane: LaneRef | None
    tier: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GridRow:
    """One row of the overview: a series in one lane that is not superseded. `share`: of the ceiling `share_of`.

    `change`, `change_lo`, `change_hi` are log ratios of the metric itself (not turned by its direction);
    `run` and `lane` are positions in the run index; `page` with `key` is where the row leads.
    """

    name: str
    params: str
    metric: str
    unit: str
    value: float | None
    lo: float | None
    hi: float | None
    status: str
    tier: str
    verdict: str
    why: str
    change: float | None
    change_lo: float | None
    change_hi: float | None
    lane: int
    run: int
    share: float | None
    share_of: str
    tags: tuple[str, ...]
    spark: str
    page: str
    key: str


@dataclass(frozen=True, slots=True)
class EventLine:
    """A change event in a line. `size` and `range`: of its weightiest change; `others`: how many more it has."""

    page: str
    title: str
    size: str
    range: str
    verdict: str
    state: str
    likely: CommitRef
    commits: int
    others: int
    cause: str
    at: float


@dataclass(frozen=True, slots=True)
class CreepLine:
    """A lane that crept. `size`, `range`: as text; `change`, `lo`, `hi`: as log ratios of the metric itself.

    `since`: the release's commit, `commits` before the newest one.
    """

    id: str
    case: str
    metric: str
    title: str
    page: str
    size: str
    range: str
    change: float
    lo: float
    hi: float
    p: float
    release: str
    since: CommitRef
    commits: int
    lane: LaneRef | None


@dataclass(frozen=True, slots=True)
class OverviewPage:
    frame: Frame
    commits: int
    series: int
    lanes: int
    newest: CommitRef | None
    lately: tuple[EventLine, ...]
    standing: int
    creeps: tuple[CreepLine, ...]
    events: tuple[Event, ...]
    counts: Mapping[str, int]
    compared: tuple[CommitRef, CommitRef] | None


@dataclass(frozen=True, slots=True)
class RunPage:
    """The page of any run: which one is in the address, and what it shows in the run's data file."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class RunsPage:
    frame: Frame
    runs: int


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One fingerprint field with its value in each of a page's environments."""

    label: str
    why: str
    key: bool
    values: tuple[str, ...]
    kinds: tuple[str, ...]  # "value", "unknown" or "absent" for each


@dataclass(frozen=True, slots=True)
class EnvironmentSection:
    title: str
    lanes: tuple[LaneRef, ...]
    fields: tuple[FieldRow, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaneUse:
    lane: LaneRef
    id: str
    series: int
    points: int
    runs: int
    first: CommitRef | None
    last: CommitRef | None
    environment: EnvironmentSection
    protocol: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class EnvironmentsPage:
    frame: Frame
    uses: tuple[LaneUse, ...]
    differing: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class Term:
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class MethodPage:
    frame: Frame
    glossary: tuple[Term, ...]
    tiers: tuple[Term, ...]
    verdicts: tuple[Term, ...]
    ceilings: tuple[Term, ...]
    reason_groups: tuple[tuple[str, tuple[Term, ...]], ...]
    facts: tuple[Term, ...]
    repeats: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class RunIndex:
    """Commits, runs and lanes, shared by every page: what the positions in data files mean."""

    sha: tuple[str, ...]
    subject: tuple[str, ...]
    author: tuple[str, ...]
    author_time: tuple[int, ...]
    commit_time: tuple[int, ...]
    commit_url: str | None
    run: tuple[str, ...]
    run_commit: tuple[int, ...]
    run_started: tuple[int, ...]
    run_dirty: tuple[int, ...]
    lane: tuple[str, ...]
    lane_protocol: tuple[str, ...]
    lane_device: tuple[str, ...]
