"""How pages refer to commits, runs, lanes and series."""

from __future__ import annotations

from perftrack._version import __version__
from perftrack.core.changes.silence import device_name
from perftrack.core.history import Series
from perftrack.core.model import Commit, format_scalar
from perftrack.publish import addresses
from perftrack.publish.gather import History
from perftrack.publish.pages import CommitRef, Frame, LaneRef, RunIndex


def frame(history: History, path: str, title: str, section: str, base_url: str | None) -> Frame:
    """The surroundings of the page at `path`."""
    canonical = None
    if base_url is not None:
        canonical = f"{base_url.rstrip('/')}/{'' if path == addresses.OVERVIEW else path}"
    return Frame(
        path=path,
        title=title,
        section=section,
        root=addresses.root_of(path),
        project=history.project.name,
        forge=history.forge,
        generated_from=history.project.generated_from,
        version=__version__,
        canonical=canonical,
    )


def commit_ref(history: History, sha: str, run: str | None = None) -> CommitRef:
    at = history.commit_index.get(sha)
    commit = history.commits[at] if at is not None else Commit(sha, (), "", 0, 0, "")
    url = history.forge.commit(sha) if history.forge else None
    return CommitRef(sha, commit.subject, url, run)


def lane_ref(history: History, lane: str) -> LaneRef | None:
    slot = history.lane_index.get(lane)
    return None if slot is None else LaneRef(slot, history.lanes[slot].label)


def params_text(series: Series) -> str:
    return ", ".join(f"{name}={format_scalar(value)}" for name, value in sorted(series.case.params))


def series_title(series: Series) -> str:
    """The case, and its metric unless that is time or is called as the benchmark is."""
    case = series.case
    return case.id if series.metric in ("time", case.benchmark) else f"{case.id} {series.metric}"


def run_index(history: History) -> RunIndex:
    """The table that positions in data files point into."""
    return RunIndex(
        sha=tuple(c.sha for c in history.commits),
        subject=tuple(c.subject for c in history.commits),
        author=tuple(c.author for c in history.commits),
        author_time=tuple(c.author_time for c in history.commits),
        commit_time=tuple(c.commit_time for c in history.commits),
        commit_url=history.forge.commit_prefix if history.forge else None,
        run=tuple(addresses.run_key(r.id) for r in history.runs),
        run_commit=tuple(history.run_commit.tolist()),
        run_started=tuple(int(r.started_at) for r in history.runs),
        run_dirty=tuple(i for i, r in enumerate(history.runs) if r.dirty),
        lane=tuple(lane.label for lane in history.lanes),
        lane_protocol=tuple(lane.lane.protocol.key for lane in history.lanes),
        lane_device=tuple(device_name(lane.lane.fingerprint) for lane in history.lanes),
    )
