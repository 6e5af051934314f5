"""The ceilings page in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.topped import Topped


@pytest.fixture(scope="module")
def topped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("topped") / "site"
    build_site(Topped(4), output)
    return output / "ceilings.html"


def test_a_ceiling_leads_to_its_trend(visit: Visit, topped: Path) -> None:
    page = visit(topped.as_uri())
    assert page.locator("table.ceilings").count() == 2
    page.get_by_role("link", name="MAMF").first.click()
    page.wait_for_selector(".chart svg")
    assert "ceiling" in page.locator("h1").inner_text()


def test_without_ceilings_the_page_says_what_to_run(visit: Visit, site: Path) -> None:
    page = visit((site / "ceilings.html").as_uri())
    assert "perftrack ceiling measure" in page.locator("main").inner_text()
