"""The grid of cases: filter, order, and both in the address."""

from pathlib import Path

import pytest

from tests.browser.conftest import Visit

ROWS = "#grid tbody tr"


@pytest.fixture
def address(site: Path) -> str:
    return f"{site.as_uri()}/index.html"


def test_every_case_has_a_row_with_value_sparkline_and_tier(visit: Visit, origin: str) -> None:
    page = visit(f"{origin}/index.html")
    assert page.locator(ROWS).count() == 12
    row = page.locator(ROWS, has_text="softmax")
    assert " µs" in row.locator(".value").inner_text()
    assert "±" in row.locator(".value").inner_text()
    assert row.locator("svg.spark path").count() == 1
    assert row.locator(".tier").inner_text() == "B"


def test_what_got_worse_comes_first(visit: Visit, address: str) -> None:
    verdicts = visit(address).locator(f"{ROWS} .verdict").all_inner_texts()
    assert verdicts[:4] == ["regression", "regression", "failed", "improvement"]


def test_text_filters_names_parameters_and_tags(visit: Visit, address: str) -> None:
    page = visit(address)
    page.fill("[name=q]", "gemm n=4096")
    assert page.locator(ROWS).count() == 1
    assert page.locator("#shown").inner_text() == "1 of 12"


def test_a_verdict_filters(visit: Visit, address: str) -> None:
    page = visit(address)
    page.locator(".chip.regression").click()
    assert page.locator(ROWS).count() == 2
    assert page.locator(".chip.regression").get_attribute("aria-pressed") == "true"
    page.locator(".chip.improvement").click()
    assert page.locator(ROWS).count() == 3


@pytest.mark.parametrize(
    ("name", "value", "count"), [("tag", "gemm", 3), ("tier", "A", 1), ("lane", "AMD EPYC 9654 96-Core", 4)]
)
def test_a_choice_filters(visit: Visit, address: str, name: str, value: str, count: int) -> None:
    page = visit(address)
    page.select_option(f"[name={name}]", value)
    assert page.locator(ROWS).count() == count


def test_nothing_found_says_so(visit: Visit, address: str) -> None:
    page = visit(address)
    page.fill("[name=q]", "no such case")
    assert "Clear the filters" in page.locator(ROWS).inner_text()
    page.locator("#clear").click()
    assert page.locator(ROWS).count() == 12


def test_filters_survive_a_reload(visit: Visit, origin: str) -> None:
    page = visit(f"{origin}/index.html")
    page.fill("[name=q]", "matmul")
    page.locator(".chip.inconclusive").click()
    page.locator("th button", has_text="Case").click()
    page.reload()
    page.locator("#shown", has_text=" of ").wait_for()
    assert page.input_value("[name=q]") == "matmul"
    assert page.locator(ROWS).count() == 1
    assert page.locator("th[aria-sort]").inner_text().startswith("Case")


def test_an_address_is_a_view(visit: Visit, address: str) -> None:
    assert visit(f"{address}#verdict=regression&q=copy").locator(ROWS).count() == 1


def test_a_hash_that_changes_changes_the_view(visit: Visit, address: str) -> None:
    page = visit(address)
    page.evaluate("location.hash = 'tag=gemm'")
    page.locator("#shown", has_text="3 of 12").wait_for()
    assert page.input_value("[name=tag]") == "gemm"


def test_a_column_sorts_both_ways(visit: Visit, address: str) -> None:
    page = visit(address)
    head = page.locator("th button", has_text="Case")
    head.click()
    names = page.locator(f"{ROWS} .name").all_inner_texts()
    known = [name.split("=")[-1] for name in names if name.startswith("matmul")]
    assert known == ["1024", "4096", "8192"]
    assert [n.split()[0] for n in names if n[0] != "<"] == sorted(n.split()[0] for n in names if n[0] != "<")
    head.click()
    assert page.locator(f"{ROWS} .name").all_inner_texts() == names[::-1]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"


def test_changes_sort_by_size_and_missing_ones_last(visit: Visit, address: str) -> None:
    page = visit(address)
    page.locator("th button", has_text="Change").click()
    changes = page.locator(f"{ROWS} .change").all_inner_texts()
    assert changes[:3] == ["-19 %", "+12 %", "-4.6 %"]
    assert changes[-1] == ""


def test_a_slash_reaches_the_filter_and_tab_the_chips(visit: Visit, address: str) -> None:
    page = visit(address)
    page.keyboard.press("/")
    page.keyboard.type("attention")
    assert page.locator(ROWS).count() == 2
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator(".chip[aria-pressed=true]").count() == 1


def test_a_row_leads_to_its_series(visit: Visit, origin: str) -> None:
    page = visit(f"{origin}/index.html")
    page.locator(ROWS, has_text="n=4096").first.locator(".name a").click()
    page.wait_for_selector("#chart svg")
    assert page.locator("#trend-title").inner_text().startswith("dtype=bf16, n=4096")


def test_an_event_leads_to_its_series(visit: Visit, address: str) -> None:
    page = visit(address)
    page.locator(".event a", has_text="layer_norm").click()
    page.wait_for_selector("#chart svg")
    assert page.locator("h1").inner_text() == "layer_norm"
