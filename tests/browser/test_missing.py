"""A data file that is missing is named where the page would be, and asked for again by the next who needs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perftrack.publish.packing import PackedFile
from perftrack.publish.site import build_site
from tests.publish.synthetic import SyntheticHistory

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@pytest.mark.parametrize("page", ["index.html", "runs.html", "compare.html", "benchmarks/*.html"])
@pytest.mark.parametrize("data", ["data/history.js", "data/{page}.js"])
def test_what_is_missing_is_named(plain: BrowserContext, tmp_path: Path, page: str, data: str) -> None:
    build_site(SyntheticHistory(3), tmp_path)
    address = min(tmp_path.glob(page))
    own = {"index.html": "overview", "runs.html": "runs", "compare.html": "compare"}.get(page, "charts")
    lost = tmp_path / data.format(page=own)
    lost.unlink()
    opened = plain.new_page()
    opened.goto(address.as_uri())
    notice = opened.locator(".notice[role=alert]").inner_text()
    assert f"{lost.as_uri()} could not be read" in notice
    opened.close()


def test_the_file_of_a_series_is_named_too(plain: BrowserContext, tmp_path: Path) -> None:
    build_site(SyntheticHistory(3), tmp_path)
    for file in (tmp_path / "data/series").iterdir():
        file.unlink()
    opened = plain.new_page()
    opened.goto(min(tmp_path.glob("benchmarks/*.html")).as_uri())
    assert "/data/series/" in opened.locator(".notice[role=alert]").inner_text()
    opened.close()


def test_a_file_that_comes_back_is_read_by_the_next_who_needs_it(plain: BrowserContext, tmp_path: Path) -> None:
    build_site(SyntheticHistory(3), tmp_path)
    asked = "perftrack.need('made/up').then((file) => file.text, (error) => error.message)"
    opened = plain.new_page()
    opened.goto((tmp_path / "index.html").as_uri())
    assert opened.evaluate(asked).endswith("made/up.js could not be read")
    (tmp_path / "data/made").mkdir()
    (tmp_path / "data/made/up.js").write_bytes(PackedFile({"text": "back"}).script())
    assert opened.evaluate(asked) == "back"
    opened.close()
