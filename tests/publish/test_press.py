"""Pages that a build renders, and those that it takes as they are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from perftrack.errors import PublishError
from perftrack.publish.assets import asset_root
from perftrack.publish.benchmark import benchmark_pages
from perftrack.publish.benchmarkpages import BenchmarkPage
from perftrack.publish.crew import Crew
from perftrack.publish.gather import read_history
from perftrack.publish.overview import lane_rows
from perftrack.publish.press import Press
from perftrack.publish.render import Page
from perftrack.publish.runs import runs_page
from perftrack.publish.write import Written, open_site
from tests.publish.synthetic import SyntheticHistory

HISTORY = read_history(SyntheticHistory(20))
SHELL: BenchmarkPage = next(benchmark_pages(HISTORY, lane_rows(HISTORY), None))
TEMPLATES = asset_root() / "templates"


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TEMPLATES, tmp_path / "templates"))


def build(site: Path, *pages: Page, templates: Path = TEMPLATES, workers: int = 0) -> Written:
    with open_site(site) as writer, closing(Crew(workers)) as crew:
        press = Press(writer, crew, templates)
        press.add(pages)
        press.add_body("data/shell.js", SHELL)
        press.finish()
        return writer.publish()


def contents(site: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(p for p in site.rglob("*") if p.is_file()):
        yield path.relative_to(site).as_posix(), path.read_bytes()


def test_a_worker_renders_the_same_bytes(tmp_path: Path) -> None:
    pages = (SHELL, runs_page(HISTORY, None))
    build(tmp_path / "here", *pages)
    build(tmp_path / "there", *pages, workers=1)
    assert dict(contents(tmp_path / "here")) == dict(contents(tmp_path / "there"))


def test_a_page_that_says_the_same_is_not_rendered_again(tmp_path: Path, templates: Path) -> None:
    build(tmp_path / "site", SHELL, templates=templates)
    broken = templates / "benchmark.html"
    before = broken.read_bytes()
    broken.write_bytes(b"{{ page.nothing_of_the_kind }}")
    with pytest.raises(PublishError, match=r"benchmark\.html"):
        build(tmp_path / "site", SHELL, templates=templates)  # another template makes another page
    broken.write_bytes(before)
    kept = tmp_path / "site" / SHELL.frame.path
    marked = b"x" * len(kept.read_bytes())
    kept.write_bytes(marked)
    build(tmp_path / "site", SHELL, templates=templates)
    assert kept.read_bytes() == marked


def test_a_page_that_says_something_else_is_rendered(tmp_path: Path) -> None:
    page = runs_page(HISTORY, None)
    build(tmp_path, page, SHELL)
    build(tmp_path, *(replace(p, frame=replace(p.frame, title="Another title")) for p in (page, SHELL)))
    assert all("Another title" in (tmp_path / p.frame.path).read_text() for p in (page, SHELL))


def test_a_shell_has_nothing_of_its_benchmark_s_results(tmp_path: Path) -> None:
    """What the press takes for all that a shell says is all that the template asks for."""
    other = replace(SHELL, tags=("another",), cases=99, metrics=("m",), threshold="9 %", source="x.py:1")
    other = replace(other, entries=(replace(SHELL.entries[0], value=1.0, latest="1 s", verdict="failed", run=0),))
    other = replace(other, frame=replace(SHELL.frame, generated_from=1.0))
    build(tmp_path / "one", SHELL)
    build(tmp_path / "two", other)
    assert dict(contents(tmp_path / "one")) == dict(contents(tmp_path / "two"))


def test_two_pages_of_one_address_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="two pages claim"):
        build(tmp_path, SHELL, SHELL)
