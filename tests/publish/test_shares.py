"""Shares of ceilings on the site: a column where something is known, and nothing where it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.ceiling import CeilingResult, DataType, Definition
from perftrack.core.ceilingcase import ceiling_case
from perftrack.core.history import Series
from perftrack.core.model import Status
from perftrack.core.reasons import REASONS
from perftrack.core.share import Ceilings, StoredCeiling, Work
from perftrack.publish.addresses import series_key
from perftrack.publish.benchmark import benchmark_pages
from perftrack.publish.catalogue import catalogue, listing
from perftrack.publish.gather import History, read_history
from perftrack.publish.method import method_page
from perftrack.publish.overview import grid_rows, lane_rows, overview_page
from tests.publish.synthetic import SyntheticHistory


class Held(SyntheticHistory):
    """A history whose first timed series declares flops, in an environment whose ceiling is known."""

    def subject(self) -> Series:
        return next(s for s in super().series() if s.metric == "time" and s.unit == "s")

    def ceilings(self) -> Ceilings:
        key = {lane.id: lane.fingerprint.key_id for lane in super().lanes()}
        own = StoredCeiling("k", Definition.MAMF, DataType.BFLOAT16, 1e12, None, "r", "s", 0.0)
        return Ceilings({k: (replace(own, key=k),) for k in key.values()})

    def declared_work(self) -> dict[tuple[str, str], Work]:
        return {(self.subject().case.id, "time"): Work(flops=1e9, bytes_moved=None)}


@pytest.fixture(scope="module")
def source() -> Held:
    return Held(3)


@pytest.fixture(scope="module")
def history(source: Held) -> History:
    return read_history(source)


def test_the_overview_s_row_has_the_share_of_its_newest_result(source: Held, history: History) -> None:
    subject = source.subject()
    rows = [r for r in grid_rows(history) if r.share is not None]
    assert {r.name for r in rows} == {subject.case.benchmark}
    for row in rows:
        assert row.value is not None
        assert row.share == pytest.approx(1e9 / row.value / 1e12, rel=1e-4)
        assert row.share_of == "MAMF bfloat16"


def test_a_benchmark_s_page_has_it_for_the_case_that_declares(source: Held, history: History) -> None:
    subject = source.subject()
    page = next(p for p in benchmark_pages(history, lane_rows(history), None) if p.name == subject.case.benchmark)
    declared = [e for e in page.entries if e.share is not None]
    keys = {series_key(s) for s in history.series if s.case == subject.case}
    assert {e.key for e in declared} <= keys
    assert all(e.share is None and e.share_of == "" for e in page.entries if e.key not in keys)


def test_the_listing_says_what_share_a_result_that_takes_a_second_would_have(
    source: Held, history: History
) -> None:
    found = listing(history, catalogue(history))
    rows = found["limits"]
    assert isinstance(rows, list) and rows
    for number, lane, share, name in rows:
        assert found["id"][number] == source.subject().case.id  # type: ignore[index]
        assert 0 <= lane < len(history.lanes)
        assert (share, name) == (pytest.approx(1e9 / 1e12), "MAMF bfloat16")


def test_a_history_without_ceilings_has_no_shares() -> None:
    history = read_history(SyntheticHistory(2))
    assert all(r.share is None for r in grid_rows(history))


def test_a_failed_result_has_no_share(source: Held, history: History) -> None:
    subject = source.subject()
    at = next(i for i, s in enumerate(history.series) if s.case == subject.case and s.metric == "time")
    points = history.points(at)
    facet, value = points.facet_at(len(points) - 1), points.value_at(len(points) - 1)
    assert history.share_of(points.head, facet, value, None) is not None
    assert history.share_of(points.head, replace(facet, status=Status.FAILED), value, None) is None


def test_a_run_of_ceilings_alone_is_not_one_side_of_the_comparison() -> None:
    plain = SyntheticHistory(3)
    newest = plain.runs()[-1]
    later, sha = newest.started_at + 60, "e" * 40
    extra = replace(newest, id="f" * 20, sha=sha, started_at=later, ok=1, failed=0, skipped=0)
    commit = replace(plain.commits()[-1], sha=sha, parents=(plain.commits()[-1].sha,))
    model = plain.series()[0]
    point = replace(
        model.points[-1], run_id=extra.id, sha=sha, started_at=later, dirty=False, status=Status.OK, value=8e14
    )
    case = ceiling_case(CeilingResult(Definition.MAMF, "v1/x", 8e14, None, dtype=DataType.BFLOAT16))
    added = replace(model, case=case, metric="rate", unit="flop/s", points=(point,))

    class WithCeiling(SyntheticHistory):
        def commits(self):  # type: ignore[no-untyped-def]
            return [*plain.commits(), commit]

        def runs(self):  # type: ignore[no-untyped-def]
            return [*plain.runs(), extra]

        def series(self):  # type: ignore[no-untyped-def]
            return [*plain.series(), added]

    before = overview_page(read_history(plain), None).compared
    after = overview_page(read_history(WithCeiling(3)), None).compared
    assert before is not None and after is not None
    assert [c.sha for c in after] == [c.sha for c in before]
    assert any(r.name == "ceiling" and r.unit == "flop/s" for r in grid_rows(read_history(WithCeiling(3))))


def test_the_method_page_states_every_definition_and_groups_their_codes(history: History) -> None:
    page = method_page(history, None)
    assert {t.name for t in page.ceilings} == {d.value for d in Definition}
    groups = {title: {t.name for t in terms} for title, terms in page.reason_groups}
    assert "no-boost-clock" in groups["Ceilings"] and "quick" not in groups["Ceilings"]
    assert sum(len(g) for g in groups.values()) == len(REASONS)
