"""How pages look where a browser changes them: colours of the reader's own, paper, a phone."""

from __future__ import annotations

from pathlib import Path

from tests.browser.conftest import PHONE, Visit


def test_what_is_switched_on_shows_where_colours_are_the_readers_own(visit: Visit, life: Path) -> None:
    page = visit(next(life.glob("benchmarks/conv-*.html")).as_uri(), forced_colors="active")

    def ground(of: str) -> str:
        return str(page.locator(of).first.evaluate("node => getComputedStyle(node).backgroundColor"))

    assert ground("[data-value=linear]") != ground("[data-value=log]")
    lane = page.locator("#legend .lane").first
    assert lane.evaluate("node => getComputedStyle(node, '::before').forcedColorAdjust") == "none"


def test_paper_has_the_tables_of_a_wide_screen_and_cuts_none(visit: Visit, life: Path) -> None:
    for name in ("index.html", "compare.html#all=1", "runs.html"):
        page = visit(f"{life.as_uri()}/{name}", viewport={"width": 688, "height": 900})
        page.locator("main tbody tr").first.wait_for()
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.locator("main thead th").first.evaluate("node => getComputedStyle(node).clipPath") == "none"


def test_the_list_of_runs_fits_a_phone_and_its_counts_are_named(visit: Visit, life: Path) -> None:
    page = visit((life / "runs.html").as_uri(), viewport=PHONE)
    first = page.locator("#grid tbody tr").first
    assert "15 results" in first.inner_text()
    assert "1 failed" in first.inner_text()
    assert page.locator(".scroller").evaluate("node => node.scrollWidth <= node.clientWidth")


def test_the_counts_of_runs_stand_under_heads_of_their_own(visit: Visit, life: Path) -> None:
    page = visit((life / "runs.html").as_uri())
    heads = page.locator("#grid thead th").all_inner_texts()
    cells = page.locator("#grid tbody tr").first.locator("td").all_inner_texts()
    assert dict(zip(heads, cells, strict=True))["Results"] == "15"
    assert dict(zip(heads, cells, strict=True))["Failed"] == "1"
