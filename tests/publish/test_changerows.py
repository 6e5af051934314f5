"""Changes and accepted changes in a series' data file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.app.project import Project
from perftrack.app.publish import StoreSource
from perftrack.publish.addresses import series_key
from perftrack.publish.catalogue import catalogue, unit_shares
from perftrack.publish.changerows import CHANGE, EPOCH, Told, told_changes
from perftrack.publish.changes import ChangeSearch
from perftrack.publish.gather import History, read_history
from perftrack.publish.lines import all_lines
from perftrack.publish.trend import series_files
from perftrack.publish.watched import watched_lanes
from tests.publish.test_shares import Held
from tests.publish.unpacking import unpacked
from tests.stored import Stored, made, noisy

COMMITS, AT, ACCEPTED = 60, 36, 20
WHY = "copies need a fence"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    found = made(tmp_path_factory.mktemp("changerows") / "p", "silence-days = 0\n")
    found.commits(COMMITS)
    found.record_all({"gemm": noisy(COMMITS, (AT, 1.08)), "copy": noisy(COMMITS, (ACCEPTED, 0.9), seed=3)})
    epoch = f'[[epoch]]\nbench = "copy"\nat = "{found.shas[ACCEPTED]}"\nreason = "{WHY}"\n'
    (found.repo.root / "perftrack-epochs.toml").write_text(epoch, encoding="utf-8")
    return found


class Site:
    def __init__(self, stored: Stored) -> None:
        self.source = StoreSource(Project.find(stored.repo.root))
        self.history: History = read_history(self.source)
        self.lines = all_lines(self.history, self.source)
        self.found = ChangeSearch(self.lines, None).found()
        watched = watched_lanes(self.history, self.lines, self.found, self.source.line(), self.source.threshold())
        self.chapters = self.source.chapters(watched)

    def document(self, name: str, told: Told | None) -> dict:
        at = next(i for i, s in enumerate(self.history.series) if s.case.id == name)
        own = [(line, f) for line, f in zip(self.lines, self.found, strict=True) if line.series == at]
        accepted = self.source.acceptances()
        numbers = catalogue(self.history)
        (_, file), *_ = series_files(self.history, numbers, at, own, None, told, accepted)
        return dict(unpacked(file.script()).document)


@pytest.fixture(scope="module")
def site(stored: Stored) -> Site:
    return Site(stored)


def test_a_change_has_the_name_by_which_the_page_of_changes_knows_it(site: Site) -> None:
    (row,) = site.document("gemm", told_changes(site.chapters))["changes"]
    change = dict(zip(CHANGE, row, strict=True))
    ids = {c.id for chapter in site.chapters for c in chapter.changes if c.case.id == "gemm"}
    assert {change["id"]} == ids
    assert (change["first"], change["standing"]) == (AT, "alert")


def test_the_standing_is_that_of_the_event(site: Site) -> None:
    told = {k: replace(c, standing=type(c.standing).RECOVERED) for k, c in told_changes(site.chapters).items()}
    (row,) = site.document("gemm", told)["changes"]
    assert dict(zip(CHANGE, row, strict=True))["standing"] == "recovered"


def test_what_no_event_tells_is_chance_and_left_out(site: Site) -> None:
    assert site.document("gemm", {})["changes"] == []


def test_where_nothing_is_told_all_that_was_found_is_there_without_a_name(site: Site) -> None:
    (row,) = site.document("gemm", None)["changes"]
    assert dict(zip(CHANGE, row, strict=True))["id"] == ""


def test_an_accepted_change_has_its_first_run_commit_and_reason(site: Site, stored: Stored) -> None:
    (row,) = site.document("copy", told_changes(site.chapters))["epochs"]
    epoch = dict(zip(EPOCH, row, strict=True))
    assert (epoch["run"], epoch["sha"], epoch["reason"]) == (ACCEPTED, stored.shas[ACCEPTED], WHY)


def test_a_series_that_no_accepted_change_covers_has_none(site: Site) -> None:
    assert site.document("gemm", None)["epochs"] == []


def test_limits_are_of_lanes_whose_ceiling_is_known() -> None:
    source = Held(3)
    history = read_history(source)
    at = next(i for i, s in enumerate(history.series) if s.case.id == source.subject().case.id)
    shares = dict(unit_shares(history, at))
    assert shares
    assert all(share.value == pytest.approx(1e9 / 1e12) for share in shares.values())
    (_, file), *_ = series_files(history, catalogue(history), at, [])
    assert unpacked(file.script()).document["limits"] == [
        [slot, share.value, "MAMF bfloat16"] for slot, share in sorted(shares.items())
    ]
    other = next(i for i, s in enumerate(history.series) if series_key(s) != series_key(source.subject()))
    assert list(unit_shares(history, other)) == []
