"""The changes page in a browser: the list, one event with its distributions, addresses, filters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perftrack.app.project import Project
from perftrack.app.publish import build
from tests.browser.conftest import Visit
from tests.stored import made, noisy

COMMITS, AT = 60, 36


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cases that one commit made slower, one that another made faster, one that stayed."""
    folder = tmp_path_factory.mktemp("changed")
    stored = made(folder / "p", "silence-days = 0\n")
    stored.commits(COMMITS, {AT: {"requirements.txt": "numpy\n"}})
    stored.record_all(
        {
            "gemm": noisy(COMMITS, (AT, 1.08)),
            "<img src=x onerror=alert(1)>": noisy(COMMITS, (AT, 1.06), seed=2),
            "copy": noisy(COMMITS, (20, 0.9), seed=3),
            "idle": noisy(COMMITS, seed=4),
        }
    )
    build(Project.find(stored.repo.root), folder / "site", None)
    return folder / "site"


def event(site: Path, at: int) -> dict:
    return json.loads((site / "json" / "changes.json").read_text())["events"][at]


def test_the_list_has_every_event_and_leads_to_it(visit: Visit, changed: Path) -> None:
    page = visit((changed / "changes.html").as_uri())
    assert page.locator("#grid tbody tr").count() == 2
    page.locator("#grid tbody a").first.click()
    page.wait_for_selector("#cases svg")
    assert "gemm" in page.locator("h1").inner_text()
    page.go_back()
    page.wait_for_selector("#grid tbody tr")


def test_an_event_shows_commits_causes_and_both_sides_of_each_case(visit: Visit, changed: Path) -> None:
    newest = event(changed, 0)
    page = visit(f"{(changed / 'changes.html').as_uri()}#id={newest['id']}")
    page.wait_for_function("document.querySelectorAll('#cases svg').length === 2")
    assert page.locator("#commits li").count() == newest["count"]
    assert "requirements.txt" in page.locator("#why").inner_text()
    spoken = page.locator("#cases .plot").first.get_attribute("aria-label") or ""
    assert "20 runs before" in spoken and "20 runs after" in spoken


def test_every_change_of_an_event_leads_to_it(visit: Visit, changed: Path) -> None:
    newest = event(changed, 0)
    page = visit(f"{(changed / 'changes.html').as_uri()}#id={newest['changes'][1]['id']}")
    page.wait_for_selector("#cases svg")
    assert page.locator("h1").inner_text() == newest["title"]


def test_a_name_that_is_gone_is_said_to_be(visit: Visit, changed: Path) -> None:
    page = visit(f"{(changed / 'changes.html').as_uri()}#id=ffffffffffff")
    assert "No change has the name ffffffffffff" in page.get_by_role("status").inner_text()
    assert page.locator("#grid tbody tr").count() == 2


def test_filters_are_in_the_address(visit: Visit, changed: Path) -> None:
    page = visit((changed / "changes.html").as_uri())
    page.locator("[name=way]").select_option("better")
    assert page.locator("#grid tbody tr").count() == 1
    page.reload()
    page.wait_for_selector("#grid tbody tr")
    assert page.locator("#grid tbody tr").count() == 1
    assert page.locator("[name=way]").input_value() == "better"
    page.locator("[name=q]").fill("gemm")
    assert "No change matches" in page.locator("#grid tbody").inner_text()


def test_the_overview_begins_with_the_latest_changes(visit: Visit, changed: Path) -> None:
    page = visit((changed / "index.html").as_uri())
    first = page.locator(".events .event").first
    assert "gemm" in first.inner_text() and "regression" in first.inner_text()
    first.get_by_role("link").first.click()
    page.wait_for_selector("#cases svg")
    assert "changes.html" in page.url


def test_without_changes_the_page_says_how_they_come(visit: Visit, site: Path) -> None:
    page = visit((site / "changes.html").as_uri())
    assert "perftrack detect" in page.locator("main").inner_text()
