"""The share-of-ceiling column: there where a limit is known, and the tables as they were where none is."""

from pathlib import Path

import pytest

from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.test_shares import Held


@pytest.fixture(scope="module")
def held_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("held") / "site"
    build_site(Held(3), output)
    return output


def test_the_overview_names_the_limit_and_sorts_by_the_share(visit: Visit, held_site: Path) -> None:
    page = visit((held_site / "index.html").as_uri())
    assert "Of ceiling" in page.locator("#grid thead").inner_text()
    cells = [t for t in page.locator("#grid td.share").all_inner_texts() if t.strip()]
    assert cells and all("%" in t and "MAMF bfloat16" in t for t in cells)
    page.locator("#grid thead").get_by_text("Of ceiling").click()
    assert "MAMF bfloat16" in page.locator("#grid tbody tr").first.locator("td.share").inner_text()


def test_a_site_without_ceilings_has_no_such_column(visit: Visit, site: Path, places: dict[str, str]) -> None:
    for place in ("index.html", places["run"], places["benchmark"]):
        page = visit(f"{site.as_uri()}/{place}")
        page.wait_for_selector("table.grid tbody tr")
        assert page.locator("td.share").count() == 0
