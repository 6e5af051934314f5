"""List what can be measured."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.app.project import Project
from perftrack.app.visit import discover
from perftrack.suite.messages import Catalogue
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import Selected, select


def list_cases(
    project: Project, patterns: Sequence[str], python: str | None = None
) -> tuple[Catalogue, tuple[Selected, ...]]:
    """The declared benchmarks of the checkout, and the cases that the patterns mean."""
    with WorkerProcess(project.setup(project.root, python=python)) as worker:
        catalogue = discover(worker, project.config.timeout_s)
    return catalogue, select(catalogue.declared, patterns)
