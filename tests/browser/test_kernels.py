"""The kernels page in a browser: the list, one case with its charts, and the roofline."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.publish.addresses import kernel_key
from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.profiled import CASE, Profiled


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("profiled") / "site"
    build_site(Profiled(4), output)
    return output / "kernels.html"


def test_a_case_is_chosen_from_the_list_and_the_way_back_is_the_browser_s(visit: Visit, profiled: Path) -> None:
    page = visit(profiled.as_uri())
    page.get_by_role("link", name=CASE).click()
    page.wait_for_selector("#charts svg")
    assert page.locator("h1").inner_text() == CASE
    page.go_back()
    page.wait_for_selector("#grid tbody tr")
    assert page.locator("h1").inner_text() == "Kernels"
    assert not page.locator("#case-section").is_visible()


def test_a_case_s_address_shows_it_with_charts_roofline_and_rows(visit: Visit, profiled: Path) -> None:
    page = visit(f"{profiled.as_uri()}#case={kernel_key(CASE)}")
    page.wait_for_selector("#roofline svg")
    page.wait_for_function("document.querySelectorAll('#charts svg').length === 5")
    assert page.locator("#rows tbody tr").count() == 12
    assert page.locator("#rows .regression").count() == 1
    spoken = page.locator("#roofline .plot").get_attribute("aria-label") or ""
    assert "bends at 200.0 flop/byte" in spoken
    assert "of the roof, memory side" in spoken
    texts = page.locator("#roofline svg").text_content() or ""
    assert "MAMF bfloat16 800.0 Tflop/s" in texts
    assert "copy 4.000 TB/s" in texts


def test_the_filter_is_in_the_address(visit: Visit, profiled: Path) -> None:
    page = visit(profiled.as_uri())
    page.get_by_role("searchbox").fill("nothing like it")
    assert "No profiled case matches" in page.locator("#grid tbody").inner_text()
    page.reload()
    page.wait_for_selector("#grid tbody tr.none")
    assert page.get_by_role("searchbox").input_value() == "nothing like it"


def test_a_site_without_profiles_says_how_to_get_them(visit: Visit, site: Path) -> None:
    page = visit((site / "kernels.html").as_uri())
    assert "perftrack record --ncu" in page.locator("main").inner_text()
