"""Which commits of a history are to be recorded, and in which order."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from perftrack.core.model import Commit
from perftrack.core.moment import moment
from perftrack.core.spread import Order, spread
from perftrack.errors import InvalidValueError, UsageError
from perftrack.vcs import Repository


@dataclass(frozen=True, slots=True)
class Sweep:
    """What was asked for. `revisions`: names, and ranges `A..B` as Git writes them.

    `every`: one commit in so many, counted from the oldest, so that a history that grows is thinned alike.
    """

    revisions: tuple[str, ...] = ()
    since: str = ""
    every: int = 1
    limit: int | None = None
    new: bool = False
    missing: bool = False
    again: bool = False
    all_parents: bool = False
    order: Order = Order.NEWEST

    @property
    def ranges(self) -> bool:
        """Whether a line of commits is meant, not only those that are named."""
        selecting = self.since or self.every > 1 or self.limit is not None or self.new or self.missing
        return bool(selecting) or any(".." in r for r in self.revisions)


def check(sweep: Sweep) -> None:
    """Raises UsageError for options that do not fit together, and for a date that is none."""
    given = {
        "--again": sweep.again,
        "--all-parents": sweep.all_parents,
        "--order": sweep.order is not Order.NEWEST,
    }
    if not sweep.ranges and any(given.values()):
        raise UsageError(
            f"{', '.join(n for n, is_given in given.items() if is_given)} only has a meaning for the commits of a "
            "history",
            "Give a range (A..B), --since, --every, --limit, --new or --missing.",
        )
    if sweep.again and (sweep.new or sweep.missing):
        left_out = "--new" if sweep.new else "--missing"
        raise UsageError(f"--again measures what {left_out} leaves out", "Give one of them.")
    if sweep.new and sweep.missing:
        raise UsageError("--new means commits without any run, --missing also those that lack a case", "Give one.")
    try:
        moment(sweep.since or "1 day", 0.0)
    except InvalidValueError as error:
        raise UsageError(f"--since: {error.message}", error.hint) from error


@dataclass(frozen=True, slots=True)
class Chosen:
    """The commits to record, in order; `done`: how many of the range are left out as recorded already.

    `cut`: what a shallow clone has to be told to show the commits that the range may lack; empty where whole.
    """

    commits: tuple[Commit, ...]
    done: int = 0
    cut: str = ""


def choose(repository: Repository, sweep: Sweep, recorded: Container[str], now: float) -> Chosen:
    """The commits that a sweep means. Named commits are taken as they are, in the order given.

    `recorded`: SHAs that need no recording. Raises GitError for an unknown revision, UsageError for a range
    that is none, InvalidValueError for a date that is none.
    """
    if not sweep.ranges:
        return Chosen(repository.commits(sweep.revisions or ("HEAD",)))
    line = _line(repository, sweep)
    earliest = moment(sweep.since, now) if sweep.since else None
    wanted = [c for c in line if earliest is None or c.commit_time >= earliest]
    kept = wanted[::-1][:: sweep.every]  # oldest first from here
    left = [c for c in kept if sweep.again or c.sha not in recorded]
    ordered = _ordered(left, sweep.order)[: sweep.limit]
    return Chosen(tuple(ordered), len(kept) - len(left), _cut(repository, line, sweep.since))


def _line(repository: Repository, sweep: Sweep) -> list[Commit]:
    """Every commit in question, newest first, each once."""
    found: dict[str, Commit] = {}
    for given in sweep.revisions or ("HEAD",):
        start, dots, end = given.partition("..")
        if end.startswith("."):
            raise UsageError(
                f"{given!r}: three dots name two branches, not a line of commits",
                f"perftrack record {start or 'HEAD'}..{end[1:] or 'HEAD'}",
            )
        excluding = (start or "HEAD") if dots else None
        head = (end or "HEAD") if dots else start
        # Alone, a name beside a range is that commit; with --since and the like it is its history.
        alone = not dots and any(".." in r for r in sweep.revisions)
        commits = repository.log(
            head, excluding=excluding, first_parent=not sweep.all_parents, limit=1 if alone else None
        )
        found |= {c.sha: c for c in commits if c.sha not in found}
    if len(sweep.revisions) < 2:
        return list(found.values())
    return [found[sha] for sha in reversed(repository.order(found))]


def _ordered(oldest_first: Sequence[Commit], order: Order) -> list[Commit]:
    if order is Order.OLDEST:
        return list(oldest_first)
    if order is Order.SPREAD:
        return [oldest_first[i] for i in spread(len(oldest_first))]
    return list(reversed(oldest_first))


def _cut(repository: Repository, line: Sequence[Commit], since: str) -> str:
    boundary = repository.boundary()
    if not any(c.sha in boundary for c in line):
        return ""
    return f"git fetch --shallow-since='{since}'" if since else "git fetch --unshallow"
