"""Templates to bytes. The only Jinja2 import; every value is escaped unless a template's own text."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack.errors import PublishError
from perftrack.publish.encode import columns, json_block
from perftrack.publish.pages import BenchmarkPage, EnvironmentsPage, MethodPage, OverviewPage, SeriesEntry
from perftrack.publish.results import ResultRow, RunPage, RunsPage

if TYPE_CHECKING:
    from jinja2 import Environment

Page = OverviewPage | BenchmarkPage | RunPage | RunsPage | EnvironmentsPage | MethodPage

_TEMPLATES: dict[type[Page], str] = {
    OverviewPage: "overview.html",
    BenchmarkPage: "benchmark.html",
    RunPage: "run.html",
    RunsPage: "runs.html",
    EnvironmentsPage: "environments.html",
    MethodPage: "method.html",
}


class Renderer:
    """Renders page models with the templates of a folder."""

    def __init__(self, templates: Path) -> None:
        self._environment = _environment(templates)

    def render(self, page: Page) -> bytes:
        """The page as UTF-8. Raises PublishError for a template that is missing or broken."""
        import jinja2

        name = _TEMPLATES[type(page)]
        try:
            text = self._environment.get_template(name).render(page=page, frame=page.frame, data=_block(page))
        except jinja2.TemplateError as error:
            raise PublishError(f"template {name}: {error}", "reinstall perftrack-gpu") from error
        return text.encode("utf-8", "replace")


def _block(page: Page) -> str:
    """The JSON that a page carries for its scripts; empty where it needs none."""
    if isinstance(page, RunPage):
        return json_block({"rows": columns(ResultRow, page.rows), "notes": page.notes, "links": page.links})
    if isinstance(page, BenchmarkPage):
        return json_block(columns(SeriesEntry, page.entries))
    return ""


def _environment(templates: Path) -> Environment:
    import jinja2
    from markupsafe import Markup

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
    environment.filters["json_markup"] = Markup
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
