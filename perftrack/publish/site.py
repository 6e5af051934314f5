"""From a history to a folder of pages: the one function that the application calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from perftrack.core.changes.chronicle import Chapter
from perftrack.errors import PublishError
from perftrack.publish import addresses
from perftrack.publish.assets import asset_root, static_files
from perftrack.publish.badges import badge_files
from perftrack.publish.benchmark import benchmark_pages, page_document
from perftrack.publish.benchmarkpages import BenchmarkPage
from perftrack.publish.catalogue import Catalogue, catalogue, listing
from perftrack.publish.ceilings import ceilings_page
from perftrack.publish.changelog import change_list, changes_json, changes_page
from perftrack.publish.changerows import Told, told_changes
from perftrack.publish.changes import CACHE, ChangeSearch, Found
from perftrack.publish.comparison import compare_page, comparison_file
from perftrack.publish.context import run_index
from perftrack.publish.creeping import creep_lines
from perftrack.publish.crew import Crew
from perftrack.publish.encode import columns, json_fields
from perftrack.publish.environments import environments_page
from perftrack.publish.evidence import point_evidence
from perftrack.publish.feed import feed
from perftrack.publish.gather import Acceptances, History, HistorySource, read_history
from perftrack.publish.kernels import kernel_files, kernel_list, kernels_page
from perftrack.publish.lines import SeriesLine, all_lines
from perftrack.publish.method import method_page
from perftrack.publish.overview import lane_rows, overview_page
from perftrack.publish.packer import Packer
from perftrack.publish.packing import PackedFile
from perftrack.publish.pages import CreepLine, GridRow
from perftrack.publish.plain import latest_json
from perftrack.publish.press import Press
from perftrack.publish.recorded import add_runs
from perftrack.publish.render import Page
from perftrack.publish.repeats import repeats
from perftrack.publish.runs import (
    SAMPLED_RUNS,
    run_list,
    run_page,
    runs_page,
)
from perftrack.publish.sizes import size_warnings
from perftrack.publish.specifications import CHARTS, chart_script, signature
from perftrack.publish.status import status_page
from perftrack.publish.trend import series_files
from perftrack.publish.watched import watched_lanes
from perftrack.publish.write import SiteWriter, open_site


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build made. `written`, `unchanged`, `removed` count files; `files` and `bytes` are the whole site."""

    path: Path
    pages: int
    files: int
    written: int
    unchanged: int
    removed: int
    bytes: int
    warnings: tuple[str, ...] = ()


def build_site(
    source: HistorySource,
    output: Path,
    *,
    base_url: str | None = None,
    samples: int = SAMPLED_RUNS,
    crew: Crew | None = None,
) -> BuildReport:
    """Write the site of a history into `output`, which is empty, new, or a site that perftrack built.

    The same source gives the same bytes; only files whose bytes changed are written. A build that
    stops leaves the site as it was. `base_url` (http or https) is where the site will be served, for
    canonical links; `samples`: of how many of the newest runs samples are shown; `crew`: who else works on it, and
    is released near the end. Raises PublishError.
    """
    _check_address(base_url)
    assets = asset_root()
    crew = crew or Crew(0)
    with open_site(output) as site:
        kept = site.keep(CHARTS, signature())
        charts = None if kept else crew.submit(chart_script)  # the crew's first and longest job
        history = read_history(source, judged=False)
        lines, packer = all_lines(history, source), Packer(site, crew)
        search = ChangeSearch(lines, site.former(CACHE), crew)
        history = replace(history, judgements=tuple(source.judgements()))
        for path, file in static_files(assets):
            site.add(path, file.read_bytes())
        placed = tuple(lane_rows(history))
        rows = tuple(row for _, row in placed)
        benchmarks = tuple(benchmark_pages(history, placed, base_url))
        press = Press(site, crew, assets / "templates")
        pages = _add_pages(press, history, benchmarks, source.threshold(), base_url)
        numbers = catalogue(history)
        _add_indexes(packer, history, numbers, rows)
        _add_exports(site, history, rows)
        evidence = point_evidence(history)
        packer.add("data/compare.js", comparison_file(history, source, numbers, evidence))
        for path, packed in kernel_files(history):
            packer.add(path, packed)
        add_runs(site, packer, history, source, numbers, evidence, samples)
        changes = search.found()
        found = _by_series(lines, changes)
        looked = (history, lines, changes, source.line(), source.threshold())
        told, crept = source.chapters(watched_lanes(*looked)), creep_lines(*looked, source.release())
        pages += _add_story(site, packer, press, history, source, told, crept, base_url)
        site.add(CACHE, search.to_cache())
        _add_series(packer, history, numbers, found, benchmarks, told_changes(told), source.acceptances())
        if charts is not None:
            site.add(CHARTS, charts.result(), signature())
        press.finish()
        packer.finish()
        crew.release()
        done = site.publish()
        warnings = size_warnings(site.sizes())
    return BuildReport(output, pages, done.files, done.written, done.unchanged, done.removed, done.bytes, warnings)


def _add_pages(
    press: Press,
    history: History,
    benchmarks: Sequence[BenchmarkPage],
    threshold: float,
    base_url: str | None,
) -> int:
    if benchmarks:
        press.add_body("data/shell.js", benchmarks[0])
    pages: list[Page] = [
        *benchmarks,
        run_page(history, base_url),
        runs_page(history, base_url),
        compare_page(history, base_url),
        kernels_page(history, base_url),
        ceilings_page(history, base_url),
        environments_page(history, base_url),
        method_page(history, base_url, repeats(history, threshold)),
    ]
    press.add(pages)
    return len(pages)


def _add_story(
    site: SiteWriter,
    packer: Packer,
    press: Press,
    history: History,
    source: HistorySource,
    told: Sequence[Chapter],
    crept: Sequence[CreepLine],
    base_url: str | None,
) -> int:
    """What became of the project: pages that wait for the changes to be found."""
    pages: list[Page] = [
        changes_page(history, told, base_url, crept),
        status_page(history, source, base_url),
        overview_page(history, base_url, told, crept),
    ]
    press.add(pages)
    changes = change_list(history, told)
    packer.add("data/changes.js", PackedFile(changes))
    site.add(addresses.CHANGES_JSON, changes_json(history, changes["events"], crept))
    site.add(addresses.FEED, feed(history, told, base_url, crept))
    return len(pages)


def _add_indexes(packer: Packer, history: History, numbers: Catalogue, rows: Sequence[GridRow]) -> None:
    """What many pages look things up in."""
    indexes = {
        "history": json_fields(run_index(history)),
        "runs": run_list(history),
        "catalogue": listing(history, numbers),
        "kernels": kernel_list(history),
        "overview": columns(GridRow, rows),
    }
    for name, document in indexes.items():
        packer.add(f"data/{name}.js", PackedFile(document))


def _add_exports(site: SiteWriter, history: History, rows: Sequence[GridRow]) -> None:
    """What is for others than the site's own pages."""
    site.add(addresses.LATEST_JSON, latest_json(history, rows))
    for path, content in badge_files(rows):
        site.add(path, content)


def _by_series(lines: Sequence[SeriesLine], found: Sequence[Found]) -> dict[int, list[tuple[SeriesLine, Found]]]:
    by_series: dict[int, list[tuple[SeriesLine, Found]]] = defaultdict(list)
    for line, changes in zip(lines, found, strict=True):
        by_series[line.series].append((line, changes))
    return by_series


def _add_series(
    packer: Packer,
    history: History,
    numbers: Catalogue,
    found: Mapping[int, list[tuple[SeriesLine, Found]]],
    benchmarks: Sequence[BenchmarkPage],
    told: Told,
    accepted: Acceptances | None,
) -> None:
    first = {page.entries[0].key: page for page in benchmarks}
    for at, series in enumerate(history.series):
        page = first.get(addresses.series_key(series))
        own = found.get(at, [])
        said = page_document(page) if page else None
        for path, file in series_files(history, numbers, at, own, said, told, accepted):
            packer.add(path, file)


def _check_address(base_url: str | None) -> None:
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
    except ValueError:
        parts = urlsplit("")
    plain = base_url.isprintable() and " " not in base_url and not (parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        raise PublishError(f"not an address of a site: {base_url!r}", "--base-url https://example.org/perf/")
