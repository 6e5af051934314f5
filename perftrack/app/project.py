"""The project at hand: repository, configuration and store, found once and passed to every use case."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from perftrack.config import Config, load_config
from perftrack.core.renames import Renames
from perftrack.errors import ConfigError, SuiteError, UsageError
from perftrack.store import Store
from perftrack.suite.launch import Setup
from perftrack.timing.devices import KINDS
from perftrack.vcs import Repository

STORE_VARIABLE = "PERFTRACK_STORE"


@dataclass(frozen=True, slots=True)
class Project:
    """Everything a use case works on. `root` is the repository's root."""

    root: Path
    repository: Repository
    config: Config
    store: Store

    @classmethod
    def find(cls, start: Path, store: Path | None = None) -> Project:
        """The project around `start`. Raises GitError outside a repository, ConfigError for a bad file."""
        repository = Repository.find(start)
        config = load_config(repository.root)
        path = store_path(repository.root, config, store)
        known = Store(path, renames=Renames.of(config.aliases))
        return cls(repository.root, repository, config, known)

    def changed_paths(self) -> tuple[str, ...]:
        """Uncommitted changes, without what perftrack itself writes."""
        return self.repository.is_dirty(ignoring=(*self.store.files, self.root / self.config.site))

    def changed_benchmarks(self) -> tuple[str, ...]:
        """Uncommitted changes in the benchmark folder."""
        folder = self.config.benchmarks.rstrip("/") + "/"
        return tuple(p for p in self.changed_paths() if p.startswith(folder))

    def setup(self, tree: Path, *, python: str | None = None, benchmarks_from_tree: bool = True) -> Setup:
        """How workers run for a tree: its code, and the benchmark files of it or of the checkout."""
        config = self.config
        home = tree if benchmarks_from_tree else self.root
        folder = home / config.benchmarks
        if not folder.is_dir() and not config.command:
            raise SuiteError(
                f"there is no benchmark folder {folder}",
                f"Write {config.benchmarks}/bench_*.py, or set `benchmarks` in [tool.perftrack].",
            )
        source = str(config.path.relative_to(self.root)) if config.path else ""
        return Setup(
            python=self.interpreter(python),
            base=tree,
            folder=folder,
            home=home,
            pattern=config.pattern,
            pythonpath=self._pythonpath(tree),
            foreign=self.root if tree != self.root else None,
            commands=tuple(replace(c, source=source) for c in config.command),
            environment=dict(config.environment),
        )

    def _pythonpath(self, tree: Path) -> tuple[Path, ...]:
        if self.config.pythonpath is not None:
            return tuple(tree / p for p in self.config.pythonpath)
        return tuple(p for p in (tree / "src", tree) if p.is_dir())

    def device(self, given: str | None = None) -> str:
        """The kind to measure on: the option's, or the configuration's; empty: what each benchmark declares.

        Raises UsageError or ConfigError for a kind that does not exist.
        """
        hint = f"one of auto, {', '.join(KINDS)}"
        if given is not None:
            if given not in ("auto", *KINDS):
                raise UsageError(f"no device kind {given!r}", hint)
            return given
        configured = self.config.device
        if configured and configured not in ("auto", *KINDS):
            raise ConfigError(f"{self.config.path}: device: no device kind {configured!r}", hint)
        return configured

    def interpreter(self, given: str | None = None) -> str:
        """The Python for workers: the option, the configuration's (relative to the root), or this one."""
        return self.program(given or self.config.python or sys.executable)

    def program(self, name: str) -> str:
        """A configured program: a path relative to the root, or a name on PATH as it is."""
        return str(self.root / name) if os.sep in name else name


def store_path(root: Path, config: Config, given: Path | None) -> Path:
    """The option, PERFTRACK_STORE, or the configuration's path relative to the root."""
    if given is not None:
        return given.resolve()
    if variable := os.environ.get(STORE_VARIABLE):
        return Path(variable).resolve()
    return root / config.store
