"""Pages on their way into a site: what changed is rendered by the crew, whose worker has the templates at hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from perftrack.publish.benchmarkpages import BenchmarkPage
from perftrack.publish.crew import Crew, Job
from perftrack.publish.encode import json_bytes
from perftrack.publish.render import Page, render_body, render_pages
from perftrack.publish.write import SiteWriter


class Press:
    """Adds pages to a site; all of them are there after `finish`."""

    def __init__(self, site: SiteWriter, crew: Crew, templates: Path) -> None:
        self._site, self._crew, self._templates = site, crew, templates
        self._own = _of_templates(templates)
        self._sent: list[tuple[list[tuple[str, str | None]], Job[list[bytes]]]] = []

    def add(self, pages: Sequence[Page]) -> None:
        """Take pages, each as it is where the last build made it of the same."""
        signed = [(page, self._signature(type(page).__name__, _said(page))) for page in pages]
        changed = [(page, own) for page, own in signed if not self._site.keep(page.frame.path, own)]
        if changed:
            job = self._crew.submit(render_pages, self._templates, self._own, [page for page, _ in changed])
            self._sent.append(([(page.frame.path, own) for page, own in changed], job))

    def add_body(self, path: str, page: BenchmarkPage) -> None:
        """Take the script with what all shells show: it follows from more than templates, and is made anew."""
        self._sent.append(([(path, None)], self._crew.submit(render_body, self._templates, self._own, page)))

    def finish(self) -> None:
        """Wait for what the crew is at, and render what it has not begun. Raises PublishError."""
        for paths, job in self._sent:
            for (path, signature), content in zip(paths, job.result(), strict=True):
                self._site.add(path, content, signature)
        self._sent.clear()

    def _signature(self, kind: str, said: object) -> str:
        return hashlib.blake2b(self._own + json_bytes([kind, said]), digest_size=12).hexdigest()


def _said(page: Page) -> object:
    """All that a page says: of a benchmark's only what its shell does, which hardly ever changes."""
    if not isinstance(page, BenchmarkPage):
        return page
    return [replace(page.frame, generated_from=None), page.name, page.entries[0].key]


def _of_templates(folder: Path) -> bytes:
    """What a page follows from beside its model: the templates, and what renders them."""
    digest = hashlib.blake2b(version("jinja2").encode(), digest_size=12)
    for file in (*sorted(folder.iterdir()), Path(__file__).with_name("render.py")):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.digest()
