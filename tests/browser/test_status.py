"""The status page in a browser, which knows the day."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.test_status import Ended


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("ended") / "site"
    build_site(Ended(30), output)
    return output / "status.html"


def test_cases_that_stopped_and_hosts_that_are_silent_are_named(visit: Visit, ended: Path) -> None:
    page = visit(ended.as_uri())  # its runs are of the past
    assert "softmax" in page.locator("main table").first.inner_text()
    assert "silent for more than 14 days" in page.locator("#reporting").inner_text()
    assert "Nothing at all was recorded" in page.get_by_role("status").inner_text()
    assert page.locator("#all-report").count() == 0  # which would say the opposite


def test_it_leads_to_what_other_programs_read(visit: Visit, ended: Path) -> None:
    page = visit(ended.as_uri())
    for name in ("latest results", "changes", "feed"):
        target = page.locator("main").get_by_role("link", name=name).get_attribute("href") or ""
        assert (ended.parent / target).is_file()
