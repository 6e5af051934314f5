"""Whole ways through a site in which everything happens, as people go them; from disk and from a server."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import DESKTOP, PHONE, VIEWS, Visit, place, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROWS = "#grid tbody tr"
FOCUSED = "document.activeElement"


@pytest.fixture(scope="module", params=["file", "http"])
def start(request: pytest.FixtureRequest, life: Path) -> Iterator[str]:
    """Where the site is opened from."""
    if request.param == "file":
        yield life.as_uri()
    else:
        with served(life) as address:
            yield address


@pytest.fixture
def disk(life: Path) -> str:
    return life.as_uri()


def events(life: Path) -> dict:
    return json.loads((life / "json" / "changes.json").read_text(encoding="utf-8"))


def tab_to(page: Page, wanted: str, most: int = 80) -> None:
    """Presses Tab until what has the focus matches a selector."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(f"selector => {FOCUSED}.matches(selector)", wanted):
            return
    raise AssertionError(f"Tab does not reach {wanted}; it is at {page.evaluate(f'{FOCUSED}.outerHTML')}")


def test_every_page_opens_without_a_word_and_a_phone_scrolls_only_down(
    visit: Visit, start: str, life: Path
) -> None:
    page = visit(f"{start}/index.html")
    for path, drawn in (place(life, name) for name in VIEWS):
        page.goto("about:blank")
        page.set_viewport_size(DESKTOP)
        page.goto(f"{start}/{path}")
        page.locator(drawn).first.wait_for()
        assert page.locator("h1").inner_text()
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
    page.wait_for_timeout(200)  # for what might still be said


def test_the_keyboard_alone_leads_from_the_overview_to_a_run_and_its_samples(visit: Visit, start: str) -> None:
    page = visit(f"{start}/index.html")
    tab_to(page, "[name=q]")
    page.keyboard.type("matmul bf16 n=4096")
    page.locator("#shown", has_text=" of ").wait_for()
    tab_to(page, f"{ROWS} .name a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#chart[aria-busy=false] svg")
    assert "n=4096" in page.locator("#trend-title").inner_text()
    tab_to(page, "#chart")
    page.keyboard.press("End")
    assert "tier B" in page.locator("#spoken").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("#run[aria-busy=false]")
    assert "Unroll the tail of the copy" in page.locator("h1").inner_text()
    tab_to(page, ".expand")
    page.keyboard.press("Tab")
    tab_to(page, ".expand")  # the first is of a case that failed
    page.keyboard.press("Enter")
    page.wait_for_selector(".panel svg")
    assert page.locator(".panel .plot").get_attribute("aria-label")


def test_a_regression_is_followed_to_its_commit_its_causes_and_its_trend(visit: Visit, disk: str) -> None:
    page = visit(f"{disk}/index.html")
    line = page.locator(".event", has_text="matmul").first
    assert "perftrack bisect names" in line.inner_text()
    line.get_by_role("link").first.click()
    page.wait_for_selector("#cases svg")
    assert "confirmed" in page.locator("#about").inner_text()
    assert "Pad shared memory to avoid bank conflicts" in page.locator("#commits").inner_text()
    known = page.locator("#why").inner_text()
    for part in ("with probability 99.7 %", "requirements.txt", "registers a thread 128 → 168", "DRAM bytes"):
        assert part in known
    page.locator("#cases a", has_text="n=4096").click()
    page.wait_for_selector("#chart[aria-busy=false] svg")
    assert page.locator("#chart svg .mark-rect path").count() == 1
    page.locator("#breaks a", has_text="commits and causes").click()
    page.wait_for_selector("#cases svg")


def test_what_crept_in_is_told_with_size_and_span_and_leads_to_its_trend(
    visit: Visit, disk: str, life: Path
) -> None:
    (crept,) = events(life)["creeps"]
    page = visit(f"{disk}/index.html")
    text = page.locator(".event.creep").inner_text()
    for part in ("+3.0 %", "+2.7 % … +3.4 %", "rope[seq=4096]", "crept in", "since v1.4", "31 commits"):
        assert part in text
    page.locator(".event.creep .what a").click()
    page.wait_for_url(f"**/changes.html#creep-{crept['id']}")
    page.locator(f"#creep-{crept['id']} .what a").click()
    page.wait_for_selector("#chart[aria-busy=false] svg")
    assert page.locator("h1").inner_text() == "rope"


def test_views_with_an_order_are_the_same_after_a_reload(visit: Visit, disk: str, life: Path) -> None:
    run = sorted(path.stem for path in life.glob("data/runs/*.js"))[-1]
    page = visit(f"{disk}/index.html")
    for path, head in (
        ("index.html", "Latest"),
        ("changes.html#state=all", "Committed"),
        ("compare.html#all=1", "Case"),
        (f"run.html#run={run}", "Value"),
        ("kernels.html", "Duration"),
    ):
        page.goto("about:blank")
        page.goto(f"{disk}/{path}")
        button = page.locator("#grid thead button", has_text=re.compile(f"^{head}$"))
        button.click()
        button.click()
        address, order = page.url, page.locator("#grid tbody .name").all_inner_texts()
        assert "sort=" in address
        page.reload()
        page.locator("#grid [aria-sort]").wait_for()
        assert page.url == address
        assert page.locator("#grid tbody .name").all_inner_texts() == order


def test_a_device_filters_and_is_in_the_address(visit: Visit, disk: str) -> None:
    page = visit(f"{disk}/index.html")
    every = page.locator(ROWS).count()
    page.get_by_label("Device").select_option("AMD EPYC 9654 96-Core Processor")
    assert page.locator(ROWS).count() == 3
    page.reload()
    page.locator("#shown", has_text=f"3 of {every}").wait_for()


def test_a_wheel_with_control_zooms_about_the_point(visit: Visit, disk: str, life: Path) -> None:
    page = visit(f"{disk}/{next(life.glob('benchmarks/softmax-*.html')).relative_to(life).as_posix()}")
    box = page.locator("#chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 700, box["y"] + 150)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.locator("#range", has_text=" of ").wait_for()
    assert "from=" in page.url


def test_all_samples_of_a_run_can_be_downloaded(visit: Visit, start: str, life: Path) -> None:
    run = sorted(path.stem for path in life.glob("data/samples/*.js"))[-1]
    page = visit(f"{start}/run.html#run={run}")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="download all samples").click()
    document = json.loads(gzip.decompress(Path(waiting.value.path()).read_bytes()))
    assert document["run"].startswith(run)
    slow = next(r for r in document["results"] if r["benchmark"] == "rope")
    assert [len(w) for p in slow["processes"] for w in p["windows"]] == [12] * 9


def test_the_method_page_tells_how_far_apart_the_same_code_reads(visit: Visit, disk: str) -> None:
    told = visit(f"{disk}/method.html").locator("section[aria-labelledby=repeats]").inner_text()
    assert re.search(r"3\d pairs of results of one case at 2 commits", told)
    assert re.search(r"holds the value of the second in \d+ of 3\d \(\d+ %; \d+ % … \d+ %\)", told)
