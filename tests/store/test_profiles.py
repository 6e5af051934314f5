"""Profiles: what goes in comes out, once, and the newest of each case is the one that counts."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perftrack.core.identity import content_id
from perftrack.core.launches.launch import Bound, Counter, Launch, LaunchSummary, Profile, Stall
from perftrack.errors import StoreError
from perftrack.store import Store, connection, profile_queries, schema
from tests.store import builders
from tests.store.builders import finite, maybe, texts

A, B = "a" * 40, "b" * 40
sizes = st.integers(0, 2**31 - 1)
dims = st.none() | st.tuples(sizes, sizes, sizes)
NUMBERS = [f.name for f in dataclasses.fields(LaunchSummary) if f.type == "float | None"]

summaries = st.builds(
    LaunchSummary,
    kernel=texts,
    grid=dims,
    block=dims,
    occurrence=st.integers(0, 2**63 - 1),
    instances=st.integers(1, 2**63 - 1),
    nvtx=texts,
    device=texts,
    compute_cap=texts,
    occupancy_limiter=st.none() | texts,
    top_stalls=st.lists(st.builds(Stall, texts, finite, maybe, texts), max_size=2).map(tuple),
    bound=st.sampled_from(Bound),
    code_hash=texts,
    filled=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    unparsed=st.lists(texts, max_size=2).map(tuple),
    **dict.fromkeys(NUMBERS, maybe),
)
counters = st.builds(Counter, texts, finite | texts, texts, texts)
launches = st.builds(Launch, summaries, st.lists(counters, max_size=3).map(tuple))
profiles = st.builds(
    Profile,
    sha=st.text("0123456789abcdef", min_size=40, max_size=40),
    case_id=texts,
    taken_at=finite,
    launches=st.lists(launches, max_size=3).map(tuple),
    run_id=texts,
    dirty=st.booleans(),
    ncu_version=texts,
    clock_control=texts,
    cache_control=texts,
    collection=texts,
    source=texts,
    limitations=st.lists(texts, max_size=2).map(tuple),
)


def launch(kernel: str = "k", **fields: Any) -> Launch:
    return Launch(LaunchSummary(kernel, **fields))


def profile(*kernels: Launch, sha: str = A, case: str = "x", at: float = 1.0, **fields: Any) -> Profile:
    return Profile(sha, case, at, kernels or (launch(),), **fields)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("profiles") / "perftrack.duckdb")


@given(given=profiles)
@settings(max_examples=40)
@example(given=profile(launch("trailing zero\0", registers=-0.0), sha="c" * 40))
@example(given=profile(launch("whole", registers=32), sha="d" * 40))
def test_a_profile_reads_back_as_it_was(shared: Store, given: Profile) -> None:
    shared.add_profile(given)
    found = [p for p in shared.profiles(given.sha, given.case_id) if content_id(p) == content_id(given)]
    assert found == [given]


def test_storing_a_profile_twice_changes_nothing(store: Store) -> None:
    assert store.add_profile(profile())
    assert not store.add_profile(profile())
    assert store.profiles(A) == (profile(),)


def test_profiles_are_of_one_commit_and_on_request_of_one_case_newest_first(store: Store) -> None:
    older, newer, other = profile(at=1), profile(at=2), profile(case="y", at=3)
    for each in (newer, other, older, profile(sha=B)):
        store.add_profile(each)
    assert store.profiles(A) == (other, newer, older)
    assert store.profiles(A, "x") == (newer, older)
    assert store.profiles(A, "z") == ()


def test_the_newest_of_each_case_counts(store: Store) -> None:
    mine = [profile(at=1), profile(at=2), profile(case="y", at=1)]
    for each in (*mine, profile(at=9, dirty=True)):
        store.add_profile(each)
    assert store.latest_profiles(A) == (mine[1], mine[2])
    assert store.latest_profiles(A, dirty=True) == (profile(at=9, dirty=True),)


def test_counters_are_left_out_on_request(store: Store) -> None:
    store.add_profile(profile(Launch(LaunchSummary("k"), (Counter("a", 1.0),))))
    assert store.latest_profiles(A, counters=False) == (profile(launch()),)


def test_codes_are_of_profiles_that_are_clean_and_whole(store: Store) -> None:
    good = launch(code_hash="1", grid=(1, 1, 1))
    for each in (
        profile(good, launch("second")),
        profile(good, sha=B, dirty=True),
        profile(good, sha="c" * 40, limitations=("only some launches",)),
        profile(good, sha="d" * 40, case="y"),
    ):
        store.add_profile(each)
    assert store.codes() == {
        "x": {A: (good.summary, launch("second").summary)},
        "y": {"d" * 40: (good.summary,)},
    }
    assert set(store.codes("y")) == {"y"}


def test_counters_that_are_built_when_asked_for_are_stored_as_the_same_profile(store: Store) -> None:
    raw = [Counter("a", 1.0, "s"), Counter("b", "text")]
    assert store.add_profile(profile(Launch(LaunchSummary("k"), raw)))
    assert not store.add_profile(profile(Launch(LaunchSummary("k"), tuple(raw))))
    assert store.profiles(A)[0].launches[0].counters == tuple(raw)


def test_the_commits_that_come_with_a_profile_are_known(store: Store) -> None:
    store.add_profile(profile(), [builders.commit(A, subject="First")])
    assert [c.subject for c in store.commits()] == ["First"]


@pytest.mark.parametrize(
    "bad",
    [
        profile(launch(registers=math.nan)),
        profile(launch("\ud800")),
        profile(launch(grid=(2**63, 1, 1))),
        profile(Launch(LaunchSummary("k"), (Counter("x", math.inf),))),
        profile(source="\ud800"),
    ],
    ids=["nan", "surrogate", "past-64-bits", "infinite-counter", "source"],
)
def test_what_can_t_be_stored_is_refused_and_leaves_nothing(store: Store, bad: Profile) -> None:
    with pytest.raises(StoreError, match="the profile cannot be stored"):
        store.add_profile(bad)
    assert store.profiles(A) == ()


def test_asking_for_text_that_is_none_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="nothing can be stored under"):
        store.profiles(A, "\ud800")


def test_a_store_of_version_1_takes_profiles_and_keeps_its_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "perftrack.duckdb")
    steps = schema.migrations()[:1]
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: steps)
        store.add_run(builders.run(at=1))
    assert store.add_profile(profile())
    assert [r.started_at for r in store.runs()] == [1.0]
    assert store.latest_profiles(A) == (profile(),)


def test_columns_of_numbers_are_those_of_the_summary() -> None:
    assert list(profile_queries.NUMBERS) == NUMBERS


Query = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def query(tmp_path_factory: pytest.TempPathFactory) -> Query:
    store = Store(tmp_path_factory.mktemp("views") / "perftrack.duckdb")
    raw = (Counter("dram__bytes.sum", 64.0, "byte"), Counter("Function Cache", "PreferNone", "", "Launch"))
    store.add_profile(profile(Launch(LaunchSummary("old"), raw), at=1))
    store.add_profile(profile(Launch(LaunchSummary("new", registers=32, grid=(7, 1, 1)), raw), at=2))
    store.add_profile(profile(launch("other"), case="y", clock_control="none"))
    db = duckdb.connect(str(store.path), read_only=True)
    return lambda sql: db.execute(sql).fetchall()


def test_v_profiles(query: Query) -> None:
    assert query("SELECT case_id, taken_at_s FROM v_profiles ORDER BY 1") == [("x", 2.0), ("y", 1.0)]


def test_v_launches(query: Query) -> None:
    rows = query("SELECT case_id, kernel, registers, grid, clock_control FROM v_launches ORDER BY 1")
    assert rows == [("x", "new", 32.0, [7, 1, 1], ""), ("y", "other", None, None, "none")]


def test_v_counters(query: Query) -> None:
    rows = query("SELECT kernel, metric, value, text, unit, section FROM v_counters ORDER BY metric")
    assert rows == [
        ("new", "Function Cache", None, "PreferNone", "", "Launch"),
        ("new", "dram__bytes.sum", 64.0, "64.0", "byte", ""),
    ]


def test_views_are_documented_with_a_question_and_tested_here(query: Query) -> None:
    sql = resources.files("perftrack.store").joinpath("migrations/0002_profiles.sql").read_text()
    views = set(re.findall(r"CREATE VIEW (v_\w+)", sql))
    assert views == {name.removeprefix("test_") for name in globals() if name.startswith("test_v_")}
    comments = dict(query("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"))
    assert [name for name in views if "?" not in (comments[name] or "")] == []


def test_tables_are_documented_and_have_no_keys(query: Query) -> None:
    assert query("SELECT table_name FROM duckdb_tables() WHERE comment IS NULL") == []
    assert query("SELECT * FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL'") == []


def test_a_write_that_fails_leaves_no_half_profile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add_profile(profile(at=1))

    monkeypatch.setattr(
        "perftrack.store.profile_queries.INSERT_LAUNCHES", "SELECT error('power cut of ' || $profile_id)"
    )
    with pytest.raises(StoreError, match="power cut"):
        store.add_profile(profile(at=2))
    assert store.profiles(A) == (profile(at=1),)
    with connection.reading(store.path, 1.0) as db:
        assert db.execute("SELECT count(*) FROM launches").fetchall() == [(1,)]
