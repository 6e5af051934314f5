"""Cases side by side: a chart for each value of a parameter, newest results along one; kept in the address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.synthetic import Shape, SyntheticHistory

if TYPE_CHECKING:
    from playwright.sync_api import Page

LABELS = "#family .role-axis-label text"


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two types at sizes from 64 to 4096, and a case without parameters."""
    shapes = [
        Shape("scan", (("dtype", dtype), ("n", n)), 1e-6 * n * factor)
        for dtype, factor in (("bf16", 1.0), ("f32", 2.0))
        for n in (64, 512, 4096)
    ]
    output = tmp_path_factory.mktemp("family") / "site"
    build_site(SyntheticHistory(12, [*shapes, Shape("alone", (), 1e-3)], upgrade=None), output)
    return next(output.glob("benchmarks/scan-*.html")).as_uri()


def settled(page: Page) -> None:
    page.wait_for_selector("#family[aria-busy=false] svg")


def test_a_chart_for_each_value_of_a_parameter(visit: Visit, grid: str) -> None:
    page = visit(grid)
    page.locator("#layout").select_option("split=n")
    settled(page)
    captions = page.locator("#family figcaption").all_inner_texts()
    assert captions == ["n = 64", "n = 512", "n = 4096"]
    assert page.locator("#family .plot").first.locator(".mark-line path").count() == 2
    assert "split=n" in page.url
    spoken = page.locator("#family .plot").first.get_attribute("aria-label") or ""
    assert "time with n = 64" in spoken and "dtype=bf16 6" in spoken
    page.reload()
    settled(page)
    assert page.locator("#layout").input_value() == "split=n"


def test_lines_of_other_parameters_differ_in_colour_and_shape_and_have_a_legend(visit: Visit, grid: str) -> None:
    page = visit(f"{grid}#split=n")
    settled(page)
    first = page.locator("#family .plot").first
    colours = first.locator(".mark-line path").evaluate_all("ns => ns.map(n => n.getAttribute('stroke'))")
    shapes = first.locator(".mark-symbol path").evaluate_all("ns => ns.map(n => n.getAttribute('d'))")
    assert len(set(colours)) == 2
    assert len(set(shapes)) == 2
    assert page.locator("#family .legend").inner_text().split() == ["dtype=bf16", "dtype=f32"]


def test_charts_share_an_axis_where_values_are_relative(visit: Visit, grid: str) -> None:
    page = visit(f"{grid}#split=n&scale=relative")
    settled(page)
    page.locator(LABELS, has_text="100 %").nth(2).wait_for()
    assert "the same value axis" in page.locator("#family").inner_text()


def test_a_wide_parameter_is_a_logarithmic_axis(visit: Visit, grid: str) -> None:
    page = visit(grid)
    page.locator("#layout").select_option("along=n")
    settled(page)
    assert "along=n" in page.url
    assert "both axes are logarithmic" in page.locator("#family figcaption").inner_text()
    assert {"64", "512", "4096"} <= set(page.locator(LABELS).all_text_contents())
    assert page.locator("#family .mark-symbol path").count() == 6
    assert page.locator("#family .mark-line path").count() == 2
    spoken = page.locator("#family .plot").get_attribute("aria-label") or ""
    assert "dtype=f32: n 64 1" in spoken
    assert "n 4096" in spoken


def test_what_is_no_number_is_no_axis(visit: Visit, grid: str) -> None:
    page = visit(f"{grid}#along=dtype")
    options = page.locator("#layout option").all_text_contents()
    assert options == ["the table only", "a chart for each dtype", "a chart for each n", "newest results along n"]
    assert not page.locator("#family").is_visible()


def test_one_case_has_nothing_beside_it(visit: Visit, grid: str) -> None:
    page = visit(next(Path(grid.removeprefix("file://")).parent.glob("alone-*.html")).as_uri())
    assert not page.locator("#family-section").is_visible()


def test_a_narrow_parameter_with_alike_values_has_plain_axes(visit: Visit, tmp_path: Path) -> None:
    shapes = [Shape("narrow", (("n", n),), 1e-5 * n) for n in (10, 20, 30)]
    build_site(SyntheticHistory(4, shapes, upgrade=None), tmp_path / "site")
    page = visit(f"{next((tmp_path / 'site').glob('benchmarks/narrow-*.html')).as_uri()}#along=n")
    settled(page)
    assert "logarithmic" not in page.locator("#family figcaption").inner_text()
    assert {"10", "20", "30"} <= set(page.locator(LABELS).all_text_contents())
