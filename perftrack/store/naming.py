"""Present names for what is stored under earlier ones."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perftrack.core.renames import Renames
from perftrack.store import queries, records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from perftrack.core.launches.launch import LaunchSummary, Profile

Codes = dict[str, dict[str, "tuple[LaunchSummary, ...]"]]


def renames_in(connection: DuckDBPyConnection, given: Renames) -> Renames:
    """The given renames, and those that benchmarks declared in the newest run that tells."""
    told = connection.execute(queries.RECORDED_ALIASES).fetchall()
    aliases = json.loads(told[0][0]) if told and told[0][0] else {}
    return given.before(Renames.of({name: records.names(earlier) for name, earlier in aliases.items()}))


def present_codes(stored: Mapping[str, Mapping[str, tuple[LaunchSummary, ...]]], renames: Renames) -> Codes:
    """By present case id and commit; where a commit has a case under both names the present name's counts."""
    found: Codes = {}
    for case_id in sorted(stored, key=lambda i: renames.case_id(i) == i):
        found.setdefault(renames.case_id(case_id), {}).update(stored[case_id])
    return found


def present_profiles(stored: Sequence[Profile], renames: Renames) -> tuple[Profile, ...]:
    """Profiles under present names; where a commit has one of a case under both, the present name's alone."""
    by_commit: dict[str, list[str]] = defaultdict(list)
    for profile in stored:
        by_commit[profile.sha].append(profile.case_id)
    names = {sha: renames.standing(cases) for sha, cases in by_commit.items()}
    kept = [p for p in stored if p.case_id in names[p.sha]]
    return tuple(replace(p, case_id=names[p.sha][p.case_id]) for p in kept)
