"""The trend chart: what it draws, and what mouse, keyboard and address do to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import PHONE, Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

MARKS = "#chart svg .mark-symbol path"


@pytest.fixture
def single(site: Path, places: dict[str, str]) -> str:
    return f"{site.as_uri()}/{places['single']}"


@pytest.fixture
def matmul(site: Path, places: dict[str, str]) -> str:
    return f"{site.as_uri()}/{places['benchmark']}"


def drawn(visit: Visit, address: str, **options: object) -> Page:
    page = visit(address, **options)
    page.wait_for_selector(MARKS)
    return page


def becomes(page: Page, selector: str, count: int) -> None:
    """Waits until a selector matches `count` elements (wait_for_function needs eval, which pages forbid)."""
    page.locator(f"{selector} >> nth={count - 1}").wait_for(state="attached")
    page.locator(f"{selector} >> nth={count}").wait_for(state="detached")


def test_every_point_is_drawn(visit: Visit, origin: str, places: dict[str, str]) -> None:
    page = drawn(visit, f"{origin}/{places['single']}")
    assert page.locator(MARKS).count() == 40


def test_each_lane_has_a_line_and_a_band_of_its_own(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    colours = page.locator("#chart svg .mark-line path").evaluate_all(
        "nodes => nodes.map(n => n.getAttribute('stroke'))"
    )
    assert len(colours) == len(set(colours)) == 2
    assert page.locator("#chart svg .mark-area path").count() == 2


def test_a_lane_change_is_marked_and_named(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    assert "driver: 550.54.15 → 570.86.10" in page.locator("#chart svg").text_content()
    assert "CUDA/ROCm runtime: 12.8 → 12.9" in page.locator("#breaks").inner_text()


def test_failures_are_marked_and_break_the_line(visit: Visit, site: Path, places: dict[str, str]) -> None:
    page = drawn(visit, f"{site.as_uri()}/{places['failing']}")
    assert page.locator("#chart svg .mark-symbol path[stroke='var(--chart-bad)']").count() == 3
    assert page.locator("#chart svg .mark-line path").count() == 3
    assert "failed" in page.locator("#legend").inner_text()


def test_tiers_have_shapes_of_their_own(visit: Visit, matmul: str) -> None:
    page = drawn(visit, matmul)
    outlines = page.locator(MARKS).evaluate_all("nodes => nodes.map(n => n.getAttribute('d'))")
    assert len(set(outlines)) == 2
    assert "tier B" in page.locator("#legend").inner_text()
    assert "tier C" in page.locator("#legend").inner_text()


def test_the_axis_has_units(visit: Visit, single: str) -> None:
    texts = drawn(visit, single).locator("#chart svg .role-axis-label text").all_text_contents()
    assert any(text.endswith(" µs") for text in texts)


def test_a_mouse_over_a_point_tells_all_about_it(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    box = page.locator(MARKS).nth(5).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    text = page.locator(".tooltip").inner_text()
    for part in (" µs ± ", "H200 · driver 550.54.15", "UTC", "clocks were not locked", "run", "commit"):
        assert part in text
    assert page.locator(".tooltip .tier").inner_text() == "B"
    assert (
        page.locator(".tooltip a", has_text="commit")
        .get_attribute("href")
        .startswith("https://github.com/example/kernels/commit/")
    )


def test_arrow_keys_move_over_points_and_say_them(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    page.locator("#chart").focus()
    page.keyboard.press("Home")
    first = page.locator("#spoken").inner_text()
    page.keyboard.press("ArrowRight")
    second = page.locator("#spoken").inner_text()
    assert "tier B" in first
    assert first != second
    page.keyboard.press("ArrowLeft")
    assert page.locator("#spoken").inner_text() == first
    page.keyboard.press("Escape")
    assert not page.locator(".tooltip").is_visible()


def test_enter_opens_the_run_of_a_point(visit: Visit, origin: str, places: dict[str, str]) -> None:
    page = drawn(visit, f"{origin}/{places['single']}")
    page.locator("#chart").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{places['run']}")


def test_a_click_opens_the_run_of_a_point(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    box = page.locator(MARKS).nth(5).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url("**/run.html#run=*")


def test_dragging_zooms_and_the_address_keeps_it(visit: Visit, origin: str, places: dict[str, str]) -> None:
    page = drawn(visit, f"{origin}/{places['single']}")
    box = page.locator("#chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 300, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 600, box["y"] + 160, steps=4)
    page.mouse.up()
    page.locator("#range", has_text="of 40 commits").wait_for()
    count = int(page.locator("#range").inner_text().split()[0])
    assert 2 <= count < 25
    becomes(page, MARKS, count)
    page.reload()
    becomes(page, MARKS, count)


def test_buttons_and_keys_zoom(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    page.locator("[data-zoom=in]").click()
    becomes(page, MARKS, 21)
    page.locator("#chart").focus()
    page.keyboard.press("0")
    becomes(page, MARKS, 40)
    assert page.locator("#range").inner_text() == ""


def test_panning_moves_the_range(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    page.locator("[data-zoom=in]").click()
    before = page.url
    page.locator("[data-zoom=right]").click()
    assert page.url != before
    assert page.locator("#range").inner_text() == "21 of 40 commits"


@pytest.mark.parametrize(("state", "value"), [("x", "time"), ("y", "log")])
def test_axes_switch_and_the_address_keeps_it(visit: Visit, single: str, state: str, value: str) -> None:
    page = drawn(visit, single)
    before = page.locator(MARKS).nth(5).get_attribute("transform")
    page.locator(f"[data-value={value}]").click()
    page.locator(f"{MARKS}[transform='{before}']").wait_for(state="detached")
    assert f"{state}={value}" in page.url
    page.reload()
    page.wait_for_selector("#chart[aria-busy=false]")
    assert page.locator(f"[data-value={value}]").get_attribute("aria-pressed") == "true"
    assert page.locator(MARKS).count() == 40


def test_a_lane_can_be_switched_off(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    page.locator(".lane-switch").first.click()
    becomes(page, MARKS, 16)
    assert page.locator(".lane-switch").first.get_attribute("aria-pressed") == "false"
    page.locator(".lane-switch").last.click()
    page.wait_for_selector("#chart .notice")
    assert "Switch one on" in page.locator("#chart").inner_text()


def test_another_case_is_drawn_when_chosen(visit: Visit, matmul: str) -> None:
    page = drawn(visit, matmul)
    page.locator("#picker a", has_text="n=8192").click()
    page.locator("#trend-title", has_text="8192").wait_for()
    page.locator("#chart .role-axis-label text", has_text=" ms").first.wait_for()
    assert page.locator("#picker .chosen").inner_text().startswith("dtype=bf16, n=8192")


def test_the_table_behind_has_every_point_newest_first(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    page.locator("#behind summary").click()
    becomes(page, "#points tbody tr", 40)
    assert (
        page.locator("#points tbody tr").first.locator(".subject").inner_text()
        == "Use cp.async for the second stage"
    )


def test_the_chart_has_words(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    ids = (page.locator("#chart").get_attribute("aria-describedby") or "").split()
    assert "40 points over 40 commits" in page.locator(f"#{ids[0]}").inner_text()


def test_a_finger_shows_a_point_and_its_links(visit: Visit, single: str) -> None:
    page = drawn(visit, single, viewport=PHONE, has_touch=True)
    box = page.locator(MARKS).nth(20).bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator(".tooltip a", has_text="run").is_visible()
    assert "softmax" in page.locator("h1").inner_text()


def test_printing_opens_the_table(visit: Visit, single: str) -> None:
    page = drawn(visit, single)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    becomes(page, "#points tbody tr", 40)
