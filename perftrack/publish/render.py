"""Templates to bytes. The only Jinja2 import; every value is escaped unless a template's own text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack.errors import PublishError
from perftrack.publish.benchmarkpages import BenchmarkPage
from perftrack.publish.comparison import ComparePage
from perftrack.publish.devicepages import CeilingsPage, KernelsPage
from perftrack.publish.pages import (
    EnvironmentsPage,
    MethodPage,
    OverviewPage,
    RunPage,
    RunsPage,
)
from perftrack.publish.shell import shell_script
from perftrack.publish.storypages import ChangesPage, StatusPage

if TYPE_CHECKING:
    from jinja2 import Environment

Page = (
    OverviewPage
    | ChangesPage
    | BenchmarkPage
    | RunPage
    | RunsPage
    | ComparePage
    | KernelsPage
    | CeilingsPage
    | EnvironmentsPage
    | MethodPage
    | StatusPage
)

_TEMPLATES: dict[type[Page], str] = {
    OverviewPage: "overview.html",
    BenchmarkPage: "benchmark.html",
    RunPage: "run.html",
    RunsPage: "runs.html",
    ComparePage: "compare.html",
    ChangesPage: "changes.html",
    StatusPage: "status.html",
    KernelsPage: "kernels.html",
    CeilingsPage: "ceilings.html",
    EnvironmentsPage: "environments.html",
    MethodPage: "method.html",
}


def render_pages(templates: Path, state: bytes, pages: Sequence[Page]) -> list[bytes]:
    """The pages as bytes, here or in a worker. `state`: what tells one state of the templates from another."""
    renderer = _renderer(templates, state)
    return [renderer.render(page) for page in pages]


def render_body(templates: Path, state: bytes, page: BenchmarkPage) -> list[bytes]:
    """The script with what every benchmark's shell shows."""
    return [shell_script(_renderer(templates, state).body(page))]


class Renderer:
    """Renders page models with the templates of a folder."""

    def __init__(self, templates: Path) -> None:
        self._environment = _environment(templates)

    def render(self, page: Page) -> bytes:
        """The page as UTF-8. Raises PublishError for a template that is missing or broken."""
        return self._rendered(_TEMPLATES[type(page)], page).encode("utf-8", "replace")

    def body(self, page: Page) -> str:
        """What a shell shows once its scripts run: of all pages of a kind the same, but for `page.frame.root`."""
        return self._rendered(_TEMPLATES[type(page)].replace(".html", "_body.html"), page)

    def _rendered(self, name: str, page: Page) -> str:
        import jinja2

        try:
            return self._environment.get_template(name).render(page=page, frame=page.frame)
        except jinja2.TemplateError as error:
            raise PublishError(f"template {name}: {error}", "reinstall perftrack-gpu") from error


@lru_cache(maxsize=1)
def _renderer(templates: Path, _state: bytes) -> Renderer:
    return Renderer(templates)


def _environment(templates: Path) -> Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["iso"] = iso_time
    environment.filters["utc"] = utc_text
    return environment


def iso_time(seconds: float) -> str:
    """Unix seconds as `2026-01-31T12:00:00Z`; empty where no calendar has the time."""
    moment = _moment(seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else ""


def utc_text(seconds: float) -> str:
    """Unix seconds as `2026-01-31 12:00 UTC`."""
    moment = _moment(seconds)
    return moment.strftime("%Y-%m-%d %H:%M UTC") if moment else "–"


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
