"""Samples of a chosen run on a benchmark's page: by key, by button, in the address, and why there are none."""

from __future__ import annotations

import pytest

from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.synthetic import SyntheticHistory


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Samples of the newest run alone."""
    output = tmp_path_factory.mktemp("sampled") / "site"
    build_site(SyntheticHistory(10), output, samples=1)
    return next(output.glob("benchmarks/softmax-*.html")).as_uri()


def test_a_point_shows_its_samples_by_process_and_the_address_keeps_it(visit: Visit, sampled: str) -> None:
    page = visit(sampled)
    page.locator("#chart").focus()
    page.keyboard.press("End")
    page.keyboard.press("s")
    page.wait_for_selector("#samples svg")
    assert "samples=" in page.url
    assert page.locator("#samples .mark-tick path, #samples .mark-rect path").count() > 10
    spoken = page.locator("#samples .plot").get_attribute("aria-label") or ""
    assert "per process: " in spoken
    page.reload()
    page.wait_for_selector("#samples svg")


def test_a_run_without_samples_says_why(visit: Visit, sampled: str) -> None:
    page = visit(sampled)
    page.locator("#chart").focus()
    page.keyboard.press("Home")
    page.keyboard.press("s")
    page.locator("#samples .notice", has_text="--samples").wait_for()


def test_samples_are_closed_and_forgotten(visit: Visit, sampled: str) -> None:
    page = visit(sampled)
    page.locator("#chart").focus()
    page.keyboard.press("End")
    page.locator(".tooltip").get_by_role("button", name="samples").click()
    page.wait_for_selector("#samples svg")
    page.locator("#samples-close").click()
    assert not page.locator("#samples-section").is_visible()
    assert "samples" not in page.url


def test_the_keyboard_alone_reaches_a_point_s_samples(visit: Visit, sampled: str) -> None:
    page = visit(sampled)
    page.locator("#chart").focus()
    page.keyboard.press("End")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "samples":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#samples svg")
    assert page.evaluate("document.activeElement.id") == "samples-title"
