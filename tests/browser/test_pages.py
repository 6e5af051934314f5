"""What holds on every page: hostile text, light and dark, times, focus, and life without scripts."""

import re
from pathlib import Path

import pytest

from tests.browser.conftest import Visit


def test_hostile_text_is_shown_and_does_nothing(visit: Visit, hostile_site: Path) -> None:
    kinds = ("index.html", "runs.html", "compare.html", "environments.html", "benchmarks/*.html")
    addresses = [path.as_uri() for kind in kinds for path in sorted(hostile_site.glob(kind))[-2:]]
    runs = [path.stem for path in sorted(hostile_site.glob("data/runs/*.js"))[-2:]]
    addresses += [f"{(hostile_site / 'run.html').as_uri()}#run={run}" for run in runs]
    for address in addresses:
        page = visit(address)
        if "/benchmarks/" in address:
            page.locator("#chart").focus()
            page.keyboard.press("End")
            page.locator("#behind summary").click()
            page.locator("#points tbody tr").nth(1).wait_for()
        if "run.html" in address:
            page.locator(".expand").first.click()
        assert page.locator("main img").count() == 0
        assert page.locator("main script:not([type='application/json'])").count() == 0


def test_the_theme_follows_the_system(visit: Visit, site: Path) -> None:
    def background(scheme: str) -> str:
        page = visit(f"{site.as_uri()}/index.html", color_scheme=scheme)
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert background("light") == "rgb(255, 255, 255)"
    assert background("dark") != background("light")


def test_the_theme_switch_is_remembered(visit: Visit, site: Path, places: dict[str, str]) -> None:
    page = visit(f"{site.as_uri()}/index.html", color_scheme="light")
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.locator("#theme").inner_text() == "Theme: dark"
    page.goto(f"{site.as_uri()}/{places['method']}")
    assert page.locator("#theme").inner_text() == "Theme: dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"


def test_a_chart_takes_the_colours_of_the_theme(visit: Visit, site: Path, places: dict[str, str]) -> None:
    page = visit(f"{site.as_uri()}/{places['single']}", color_scheme="light")
    line = page.locator("#chart svg .mark-line path").first
    before = line.evaluate("node => getComputedStyle(node).stroke")
    page.emulate_media(color_scheme="dark")
    assert line.evaluate("node => getComputedStyle(node).stroke") != before


def test_old_times_are_dates_with_the_minute_in_the_title(visit: Visit, site: Path) -> None:
    moment = visit(f"{site.as_uri()}/runs.html").locator("tbody time").first
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", moment.inner_text())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", moment.get_attribute("title") or "")


def test_the_skip_link_is_the_first_stop_of_the_keyboard(visit: Visit, site: Path) -> None:
    page = visit(f"{site.as_uri()}/index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("kind", ["overview", "benchmark", "run"])
def test_what_has_the_focus_is_outlined(visit: Visit, site: Path, places: dict[str, str], kind: str) -> None:
    page = visit(f"{site.as_uri()}/{places[kind]}")
    for _ in range(14):
        page.keyboard.press("Tab")
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style != "none", page.evaluate("document.activeElement.outerHTML")


def test_without_scripts_the_pages_still_say_something(visit: Visit, site: Path, places: dict[str, str]) -> None:
    page = visit(f"{site.as_uri()}/index.html", java_script_enabled=False)
    assert page.locator(".event").count() == 3
    assert "switched off" in page.locator("noscript").first.inner_text()


def test_without_scripts_a_benchmark_s_page_has_its_name_and_a_way_out(
    visit: Visit, site: Path, places: dict[str, str]
) -> None:
    page = visit(f"{site.as_uri()}/{places['single']}", java_script_enabled=False)
    assert page.locator("h1").inner_text() == "softmax"
    assert "switched off" in page.locator("noscript").inner_text()
    page.get_by_role("link", name="Overview").click()
    assert page.url == f"{site.as_uri()}/index.html"


def test_a_benchmark_s_page_has_its_theme_and_style_before_there_is_anything_to_paint(
    visit: Visit, origin: str, places: dict[str, str]
) -> None:
    page = visit(f"{origin}/index.html", color_scheme="light")
    page.evaluate("localStorage.setItem('perftrack-theme', 'dark')")
    page.add_init_script("""new MutationObserver((_, watch) => {
      if (!document.body) return;
      const styles = document.head.querySelectorAll("link[rel=stylesheet]");
      window.first = [document.documentElement.dataset.theme, styles.length];
      watch.disconnect();
    }).observe(document, { subtree: true, childList: true });""")
    page.goto(f"{origin}/{places['single']}")
    page.wait_for_selector("#chart[aria-busy=false]")
    assert page.evaluate("window.first") == ["dark", 1]
    assert page.locator("#theme").inner_text() == "Theme: dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"


def test_every_kind_of_page_has_an_icon_and_tells_others_no_address(
    visit: Visit, site: Path, places: dict[str, str]
) -> None:
    for kind in ("overview", "single"):
        page = visit(f"{site.as_uri()}/{places[kind]}")
        assert page.locator("head > meta[name=referrer]").get_attribute("content") == "no-referrer"
        icon = page.locator("head > link[rel=icon]").evaluate("link => link.href")
        assert icon == f"{site.as_uri()}/static/app/icon.svg"
