"""axe-core, which checks rules of accessibility, on every page: light and dark, desktop and phone width."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import DESKTOP, PHONE, VIEWS, Visit, place

if TYPE_CHECKING:
    from playwright.sync_api import Page

VARIABLE = "PERFTRACK_AXE"
SERIOUS = ("serious", "critical")
# Both schemes and both widths; what a scheme does to colours it does at any width.
LOOKS = [("light", "desktop"), ("dark", "phone")]


@pytest.fixture(scope="session")
def axe() -> str:
    """The checker's source."""
    path = os.environ.get(VARIABLE, "")
    if not path:
        pytest.skip(f"{VARIABLE} names no axe.min.js: npm install axe-core")
    return Path(path).read_text(encoding="utf-8")


def checkable(visit: Visit, address: str) -> Page:
    """A page that lets the checker in, which its policy would refuse like any script that is not the site's."""
    return visit(address, bypass_csp=True)


def violations(page: Page, axe: str) -> list[str]:
    """What axe finds in the page as it is, in both looks; nothing that is minor or moderate."""
    page.evaluate(axe)
    found = []
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.set_viewport_size(DESKTOP if width == "desktop" else PHONE)
        page.wait_for_timeout(150)  # the page and its charts are laid out again
        answer = page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")
        found += [
            f"{scheme} {width}: {v['impact']} {v['id']}: {node['target']}: {node['failureSummary']}"
            for v in answer["violations"]
            if v["impact"] in SERIOUS
            for node in v["nodes"]
        ]
    return found


def checked(visit: Visit, axe: str, address: str, ready: str) -> list[str]:
    page = visit(
        address, bypass_csp=True
    )  # or the page would refuse the checker, as it does all scripts but its own
    page.wait_for_selector(ready)
    return violations(page, axe)


@pytest.mark.parametrize("name", VIEWS)
def test_no_page_has_a_serious_violation(visit: Visit, axe: str, life: Path, name: str) -> None:
    path, ready = place(life, name)
    assert checked(visit, axe, f"{life.as_uri()}/{path}", ready) == []


def test_a_run_with_its_panels_open_has_none(visit: Visit, axe: str, life: Path) -> None:
    page = checkable(visit, f"{life.as_uri()}/{place(life, 'run')[0]}")
    page.locator("#grid .expand").last.click()
    page.wait_for_selector(".panel svg")
    assert violations(page, axe) == []


def test_the_checker_would_find_one(visit: Visit, axe: str, life: Path) -> None:
    page = checkable(visit, (life / "method.html").as_uri())
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')")
    assert any("button-name" in line for line in violations(page, axe))
