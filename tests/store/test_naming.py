"""What is stored under an earlier name is read under the present one."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.launches.launch import Profile
from perftrack.core.model import Case
from perftrack.core.renames import Renames
from perftrack.store import Store
from perftrack.store.naming import present_codes, present_profiles
from tests.core.builders import measured
from tests.store import builders

RENAMED = Renames({"old": "new"})


def profile(case_id: str, sha: str) -> Profile:
    return Profile(sha=sha, case_id=case_id, taken_at=0.0, launches=())


def test_profiles_and_codes_go_by_present_names_commit_by_commit():
    stored = [profile("old", "a"), profile("old", "b"), profile("new", "b")]
    assert [(p.case_id, p.sha) for p in present_profiles(stored, RENAMED)] == [("new", "a"), ("new", "b")]
    codes = present_codes({"old": {"a": (), "b": ()}, "new": {"b": (), "c": ()}}, RENAMED)
    assert list(codes) == ["new"]
    assert sorted(codes["new"]) == ["a", "b", "c"]


def test_every_reader_of_cases_says_the_present_name(store: Store):
    old = measured(1.0, 1.1, case=Case("old"), value=1.0, flops=5.0, code_hash="h")
    store.add_run(builders.run(old), [builders.commit()])
    named = replace(store, renames=RENAMED)
    assert named.case_ids() == ("new",)
    assert [m.case for m in named.measurements(builders.SHA)] == [Case("new")]
    assert (
        [s.case for s in named.series(case="new")]
        == [s.case for s in named.series(benchmark="new")]
        == [Case("new")]
    )
    assert list(named.declared_work()) == [("new", "time")]
    assert named.series()[0].points[0].code_hash == "h"


def test_a_run_reads_back_as_it_was_written(store: Store):
    made = builders.run(measured(1.0, 1.1, case=Case("old"), value=1.0))
    store.add_run(made, [builders.commit()])
    assert replace(store, renames=RENAMED).run(made.id) == made
