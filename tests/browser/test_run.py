"""A run's page: results, samples, failures."""

from pathlib import Path

import pytest

from tests.browser.conftest import Visit

ROWS = "#grid tbody tr:not(.opened)"


@pytest.fixture
def address(site: Path, places: dict[str, str]) -> str:
    return f"{site.as_uri()}/{places['run']}"


def test_failures_come_first_and_show_their_output(visit: Visit, origin: str, places: dict[str, str]) -> None:
    page = visit(f"{origin}/{places['run']}")
    first = page.locator(ROWS).first
    assert first.locator(".value").inner_text() == "failed"
    first.locator(".expand").click()
    assert "CUDA error <script>alert(1)</script>" in page.locator(".output").inner_text()


def test_samples_are_drawn_per_process(visit: Visit, origin: str, places: dict[str, str]) -> None:
    page = visit(f"{origin}/{places['run']}")
    page.locator(ROWS, has_text="n=8192").locator(".expand").click()
    page.wait_for_selector(".samples svg .mark-rect path")
    labels = page.locator(".samples svg .role-axis-label text").all_text_contents()
    assert [t for t in labels if t.startswith("process")] == [f"process {i} (36)" for i in (1, 2, 3)]
    assert page.locator(".samples svg .mark-symbol path").count() == 9
    assert any(t.endswith(" ms") for t in labels)


def test_a_row_closes_again(visit: Visit, address: str) -> None:
    page = visit(address)
    button = page.locator(".expand").nth(2)
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    button.click()
    assert page.locator(".opened").count() == 0


def test_window_medians_are_listed(visit: Visit, address: str) -> None:
    page = visit(address)
    page.locator(ROWS, has_text="softmax").locator(".expand").click()
    page.locator(".panel summary").click()
    cells = page.locator(".medians tbody tr").first.locator("td").all_inner_texts()
    assert cells[:2] == ["1", "36"]
    assert cells[2].count(" µs") == 3


def test_results_filter_by_reason(visit: Visit, address: str) -> None:
    page = visit(address)
    page.fill("[name=q]", "locked and verified")
    assert page.locator(ROWS).count() == 1
    page.reload()
    page.locator("#run[aria-busy=false]").wait_for()
    assert page.locator(ROWS).count() == 1


def test_neighbours_are_a_step_away(visit: Visit, address: str) -> None:
    page = visit(address)
    sha = page.locator("h1 .sha").inner_text()
    page.locator("[rel=prev]").click()
    page.locator("[rel=next]").click()
    assert page.locator("h1 .sha").inner_text() == sha


def test_a_result_leads_to_its_series(visit: Visit, address: str) -> None:
    page = visit(address)
    page.locator(ROWS, has_text="n=4096").first.locator(".name a").click()
    page.wait_for_selector("#chart svg")
    assert "n=4096" in page.locator("#trend-title").inner_text()
