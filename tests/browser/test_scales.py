"""The value axis: absolute, relative to a commit, share of a ceiling; in the address and by keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.test_shares import Held

if TYPE_CHECKING:
    from playwright.sync_api import Page

MARKS = "#chart svg .mark-symbol path"
LABELS = "#chart .role-axis-label text"


@pytest.fixture
def single(site: Path, places: dict[str, str]) -> str:
    return f"{site.as_uri()}/{places['single']}"


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("held") / "site"
    source = Held(6)
    build_site(source, output)
    return next(output.glob(f"benchmarks/{source.subject().case.benchmark}-*.html"))


def in_percent(page: Page) -> None:
    page.locator(LABELS, has_text=" %").first.wait_for()


def test_relative_is_percent_of_the_first_shown_and_kept_in_the_address(visit: Visit, single: str) -> None:
    page = visit(single)
    page.locator("[data-value=relative]").click()
    in_percent(page)
    assert "scale=relative" in page.url
    assert "100 %" in page.locator(LABELS).all_text_contents()
    assert "each lane's own value at the first commit shown" in page.locator("#explained").inner_text()
    page.reload()
    in_percent(page)
    assert page.locator("[data-value=relative]").get_attribute("aria-pressed") == "true"


def test_a_point_becomes_the_reference_by_its_key_and_absolute_forgets_it(visit: Visit, single: str) -> None:
    page = visit(single)
    page.locator("#chart").focus()
    page.keyboard.press("End")
    told = page.locator("#spoken").inner_text().split(",")[0]
    page.keyboard.press("r")
    in_percent(page)
    assert f"reference={told}" in page.url
    assert f"at {told}" in page.locator("#explained").inner_text()
    page.locator("[data-value=absolute]").click()
    page.locator(LABELS, has_text="µs").first.wait_for()
    assert "reference" not in page.url
    assert page.locator("#explained").inner_text() == ""


def test_a_point_becomes_the_reference_by_its_button(visit: Visit, single: str) -> None:
    page = visit(single)
    box = page.locator(MARKS).nth(5).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_role("button", name="100 % here").click()
    in_percent(page)
    assert re.search(r"reference=[0-9a-f]{12}", page.url)


def test_every_lane_is_100_percent_at_its_own_first_value(visit: Visit, single: str) -> None:
    page = visit(f"{single}#scale=relative")
    in_percent(page)
    heights = page.locator("#chart svg .mark-line path").evaluate_all(
        "nodes => nodes.map(n => n.getAttribute('d').split(/[ML]/)[1].split(',')[1])"
    )
    assert len(heights) == 2
    assert len({round(float(h)) for h in heights}) == 1


def test_share_of_ceiling_is_offered_where_one_is_known(visit: Visit, held: Path, single: str) -> None:
    page = visit(held.as_uri())
    page.locator("[data-value=share]").click()
    in_percent(page)
    assert "scale=share" in page.url
    assert "MAMF bfloat16" in page.locator("#explained").inner_text()
    assert page.locator(MARKS).count() > 0
    other = visit(f"{single}#scale=share")
    assert not other.locator("[data-value=share]").is_visible()
    assert other.locator("[data-value=absolute]").get_attribute("aria-pressed") == "true"
    assert "scale" not in other.url


def test_an_address_gives_the_whole_view_again(visit: Visit, origin: str, places: dict[str, str]) -> None:
    page = visit(f"{origin}/{places['single']}")
    page.locator("[data-value=relative]").click()
    page.locator("[data-value=log]").click()
    page.locator("[data-zoom=in]").click()
    page.locator("#range", has_text="of 40").wait_for()
    page.locator(".lane-switch").last.click()
    page.wait_for_selector("#chart[aria-busy=false]")
    in_percent(page)
    before = page.locator("#chart svg").inner_html()
    again = visit(page.url)
    again.wait_for_selector(MARKS)
    strip = lambda text: re.sub(r"(clip|gradient_)\d+|id=\"[^\"]*\"", "", text)  # noqa: E731
    assert strip(again.locator("#chart svg").inner_html()) == strip(before)
    assert again.locator(".lane-switch").last.get_attribute("aria-pressed") == "false"


def test_a_point_says_where_it_stands_on_the_axis_drawn(visit: Visit, single: str) -> None:
    page = visit(single)
    page.locator("[data-value=relative]").click()
    in_percent(page)
    page.locator("#chart").focus()
    page.keyboard.press("Home")
    assert "+0 % against 100 %" in page.locator("#chart .card").inner_text()
    assert "+0 % against 100 %" in page.locator("#spoken").inner_text()


def test_a_logarithmic_axis_over_decades_names_the_decades(visit: Visit, life: Path) -> None:
    page = visit(f"{next(life.glob('benchmarks/matmul-*.html')).as_uri()}#along=n")
    page.locator("#family[aria-busy=false] svg").first.wait_for()
    told = page.locator("#family svg .role-axis-label text").all_text_contents()
    assert {"0.01 ms", "0.1 ms", "1 ms", "10 ms"} <= set(told)
    assert not {"0.03 ms", "0.8 ms", "8 ms"} & set(told)


def test_the_dates_of_a_time_axis_have_their_year(visit: Visit, single: str) -> None:
    page = visit(single)
    page.locator("[data-value=time]").click()
    page.locator("#chart[aria-busy=false] svg").wait_for()
    told = page.locator("#chart svg .role-axis-label text").all_text_contents()
    assert sum(text.startswith("2026-01-") for text in told) > 2
