"""A long series: drawn with the points that matter, and with every one where the reader zooms in."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.publish import thinning
from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.synthetic import FlatHistory, flat_shapes

MARKS = "#chart svg .mark-symbol path"
COUNT = 300


@pytest.fixture(scope="module")
def long_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a page of 300 points, on a site for which 100 are many."""
    output = tmp_path_factory.mktemp("long") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thinning, "LONG", 100)
        patch.setattr(thinning, "_BUCKETS", 30)
        build_site(FlatHistory(COUNT, flat_shapes(1)), output, samples=0)
    (page,) = Path(output / "benchmarks").iterdir()
    return page.as_uri()


def test_it_opens_with_few_points_and_says_how_many_there_are(visit: Visit, long_page: str) -> None:
    page = visit(long_page)
    assert 30 <= page.locator(MARKS).count() <= 100
    assert f"{COUNT} points over {COUNT} commits" in (page.locator("#summary").text_content() or "")


def test_zooming_in_reads_and_draws_every_point(visit: Visit, long_page: str) -> None:
    page = visit(long_page)
    assert page.locator("script[src*='data/full/']").count() == 0
    page.locator("[data-zoom=in]").click()
    page.locator("#range", has_text=f"of {COUNT} commits").wait_for()
    page.locator(f"{MARKS} >> nth=140").wait_for(state="attached")
    shown = int(page.locator("#range").inner_text().split()[0])
    assert page.locator(MARKS).count() == shown > 140
    page.locator("[data-zoom=all]").click()
    page.locator(f"{MARKS} >> nth=120").wait_for(state="detached")


def test_the_table_has_every_point(visit: Visit, long_page: str) -> None:
    page = visit(long_page)
    page.locator("#behind summary").click()
    page.locator("#points tbody tr").first.wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # which draws what was not scrolled to
    page.locator(f"#points tbody tr >> nth={COUNT - 1}").wait_for(state="attached")
    assert page.locator("#points tbody tr").count() == COUNT
