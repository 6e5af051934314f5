"""From a history to a folder of pages: the one function that the application calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from perftrack.errors import PublishError
from perftrack.publish import addresses
from perftrack.publish.assets import asset_root, static_files
from perftrack.publish.benchmark import benchmark_pages
from perftrack.publish.context import run_index
from perftrack.publish.encode import columns, data_script
from perftrack.publish.environments import environments_page
from perftrack.publish.gather import History, HistorySource, read_history
from perftrack.publish.method import method_page
from perftrack.publish.overview import grid_rows, overview_page
from perftrack.publish.pages import GridRow
from perftrack.publish.render import Page, Renderer
from perftrack.publish.runs import RunPages
from perftrack.publish.trend import trend_data
from perftrack.publish.write import open_site


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build made. `written`, `unchanged` and `removed` count files, `bytes` is the whole site."""

    path: Path
    pages: int
    written: int
    unchanged: int
    removed: int
    bytes: int


def build_site(source: HistorySource, output: Path, *, base_url: str | None = None) -> BuildReport:
    """Write the site of a history into `output`, which is empty, new, or a site that perftrack built.

    The same source gives the same bytes; only files whose bytes changed are written. A build that
    stops leaves the site as it was. `base_url` (http or https) is where the site will be served, for
    canonical links. Raises PublishError.
    """
    _check_address(base_url)
    assets = asset_root()
    history = read_history(source)
    pages = 0
    with open_site(output) as site:
        for path, file in static_files(assets):
            site.add(path, file.read_bytes())
        for path, content in _data_files(history):
            site.add(path, content)
        renderer = Renderer(assets / "templates")
        for page in _pages(history, source, base_url):
            site.add(page.frame.path, renderer.render(page))
            pages += 1
        done = site.publish()
    return BuildReport(output, pages, done.written, done.unchanged, done.removed, done.bytes)


def _data_files(history: History) -> Iterator[tuple[str, bytes]]:
    from perftrack.publish.charts import chart_specs

    yield "data/charts.js", data_script("charts", chart_specs())
    yield "data/history.js", data_script("history", run_index(history))
    yield "data/overview.js", data_script("overview", columns(GridRow, grid_rows(history)))
    for series in history.series:
        key = addresses.series_key(series)
        yield addresses.series_data(key), data_script(f"series/{key}", trend_data(history, series))


def _pages(history: History, source: HistorySource, base_url: str | None) -> Iterator[Page]:
    yield from benchmark_pages(history, base_url)
    runs = RunPages(history, base_url)
    yield from runs.pages(source)
    yield runs.index()
    yield environments_page(history, base_url)
    yield method_page(history, base_url)
    yield overview_page(history, base_url)


def _check_address(base_url: str | None) -> None:
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PublishError(f"not an address of a site: {base_url!r}", "--base-url https://example.org/perf/")
