"""One commit's recording: its environment, its build, its measurements, and the run that is stored of them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from perftrack._version import __version__
from perftrack.app.measuring import measure
from perftrack.app.project import Project
from perftrack.app.recipes import recipe_of
from perftrack.app.recording import Progress, Recorded, RecordOptions
from perftrack.app.tree import Tree, build, is_elsewhere, lacks_submodules
from perftrack.app.venv import Recipe, cache_folder, environment, variables
from perftrack.core.model import Measurement, Reason, Run, Scalar
from perftrack.core.reasons import reason
from perftrack.errors import SuiteError, UsageError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Catalogue

GIB = 2**30
FULL_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Recorder:
    """Records commits one at a time. `machine`: what kind of machine this is, found out when first asked.

    `variables`: set for everything that runs, to choose an accelerator; `slot`: the name of that one.
    """

    project: Project
    options: RecordOptions
    progress: Progress
    machine: Callable[[], str]
    clock: Callable[[], float] = time.time
    variables: Mapping[str, str] = field(default_factory=dict)
    slot: str = ""

    def record(self, tree: Tree, *, alone: bool, settled: frozenset[str] = frozenset()) -> Recorded:
        """Build, measure and store; a commit in which that is not possible says why.

        `alone`: it is the only one, so that what is wrong with the benchmark files is an error.
        """
        started = self.clock()
        command = self._build_command(tree)
        with self._environment(tree, command) as place:
            if isinstance(place, str):
                return self._nothing(tree, started, "build-failed", place)
            if command:
                self.progress.building(command)
                limit_s = self.project.config.build_timeout_s
                if failure := build(tree, command, limit_s, os.environ | self._variables(place)):
                    return self._nothing(tree, started, "build-failed", failure)
            # Asked now, as the build may have fetched them.
            if not tree.in_place and lacks_submodules(tree.root):
                tree = replace(tree, notes=(*tree.notes, reason("no-submodules")))
            return self._measured(tree, place, started, alone, settled)

    def _measured(
        self, tree: Tree, place: Path | None, started: float, alone: bool, settled: frozenset[str]
    ) -> Recorded:
        options, seed = self.options, self.options.seed
        seed = seed if seed is not None else time.time_ns() & 0x7FFFFFFF
        try:
            setup = self._setup(tree, place)
            measurements, catalogue = measure(
                self.project, setup, options, self.progress, seed, dirty=tree.dirty, settled=settled
            )
        except (SuiteError, WorkerError, UsageError) as error:
            # A pattern that the checkout's benchmarks do not have is wrong for every commit.
            if alone or (isinstance(error, UsageError) and not self.options.benchmarks_from_commit):
                raise
            return Recorded(tree.commit, None, False, failure=error.message)
        for problem in catalogue.problems:
            self.progress.problem(problem)
        if not measurements and catalogue.declared:
            return Recorded(tree.commit, None, False, catalogue.problems, complete=True)
        if not measurements:
            why = "; ".join(f"{p.where}: {p.message}" for p in catalogue.problems) or "no benchmark was found"
            if tree.in_place:
                return Recorded(tree.commit, None, False, catalogue.problems, "no benchmark was found")
            return self._nothing(tree, started, "nothing-to-measure", why)
        kept: dict[str, Scalar] = {"venv": place.name} if place else {}
        if tree.in_place or not options.benchmarks_from_commit:
            kept["aliases"] = _aliases_of(catalogue)
        run = self._run(tree, started, seed, measurements, _limits_of(catalogue), kept)
        recorded = self._stored(tree, run, catalogue)
        return (
            options.profiler.profile(setup, recorded, catalogue, self.progress) if options.profiler else recorded
        )

    def _setup(self, tree: Tree, place: Path | None) -> Setup:
        python = str(place / "bin" / "python") if place else self.options.python
        from_tree = tree.in_place or self.options.benchmarks_from_commit
        setup = self.project.setup(tree.root, python=python, benchmarks_from_tree=from_tree)
        return replace(setup, environment={**self._variables(place), **setup.environment, **self.variables})

    def _variables(self, place: Path | None) -> dict[str, str]:
        return {**(variables(place) if place else {}), **self.variables}

    def _build_command(self, tree: Tree) -> str:
        if self.options.build is not None:
            return self.options.build
        return "" if tree.in_place else self.project.config.build

    @contextlib.contextmanager
    def _environment(self, tree: Tree, command: str) -> Iterator[Path | str | None]:
        """The folder of the commit's own environment; None where it has none; or what went wrong in making it."""
        recipe = self._recipe(tree, command)
        with ExitStack() as stack:
            if recipe is None:
                yield None
                return
            config = self.project.config
            self.progress.installing()
            cap = int(config.env_cache_gib * GIB)
            yield stack.enter_context(environment(recipe, tree.root, cache_folder(), config.build_timeout_s, cap))

    def _recipe(self, tree: Tree, command: str) -> Recipe | None:
        """None: the commit is measured with the interpreter that is named, or with perftrack's own."""
        if tree.in_place:
            return None
        owner = f"{self.project.root}\n{self.slot}\n{command}" if command else ""
        options = self.options
        return recipe_of(self.project, tree.root, python=options.python, chosen=options.environment, owner=owner)

    def _nothing(self, tree: Tree, started: float, code: str, why: str) -> Recorded:
        """A run without measurements: the commit is not tried again. None where the machine was at fault."""
        if tree.dirty or is_elsewhere(why) or _is_full(tree.root) or _is_full(cache_folder()):
            return Recorded(tree.commit, None, False, failure=why)
        seed = self.options.seed or 0
        run = self._run(tree, started, seed, (), (reason(code, detail=why),), {})
        return replace(self._stored(tree, run, None), failure=why)

    def _run(
        self,
        tree: Tree,
        started: float,
        seed: int,
        measurements: tuple[Measurement, ...],
        limitations: tuple[Reason, ...],
        more: Mapping[str, Scalar],
    ) -> Run:
        options = self.options
        notes = (
            *tree.notes,
            *([reason("dirty")] if tree.dirty else []),
            *([reason("quick")] if options.quick else []),
        )
        hosts = {str(m.fingerprint.host) for m in measurements if m.fingerprint and m.fingerprint.host}
        settings: dict[str, Scalar] = {"quick": options.quick, "processes": options.processes}
        if not any(m.fingerprint for m in measurements):
            settings["machine"] = self.machine()  # nothing else tells it
        return Run(
            sha=tree.commit.sha,
            started_at=round(started, 6),
            duration_s=round(self.clock() - started, 3),
            seed=seed,
            dirty=tree.dirty,
            measurements=measurements,
            limitations=(*notes, *limitations),
            perftrack_version=__version__,
            host=", ".join(sorted(hosts)) or ("" if measurements else socket.gethostname()),
            label=options.label,
            settings=settings | dict(more),
        )

    def _stored(self, tree: Tree, run: Run, catalogue: Catalogue | None) -> Recorded:
        self.project.repository.ensure_ignored(*self.project.store.files)
        new = self.project.store.add_run(run, [tree.commit])
        self.progress.stored(run, new)
        return Recorded(tree.commit, run, new, catalogue.problems if catalogue else (), run_id=run.id)


def _is_full(folder: Path) -> bool:
    """Whether what failed there may have failed for want of space, whatever it said of it."""
    return folder.exists() and shutil.disk_usage(folder).free < FULL_BYTES


def _limits_of(catalogue: Catalogue) -> tuple[Reason, ...]:
    if not catalogue.problems:
        return ()
    where = "; ".join(f"{p.where}: {p.message}" for p in catalogue.problems[:5])
    return (reason("suite-problems", count=len(catalogue.problems), where=where),)


def _aliases_of(catalogue: Catalogue) -> str | None:
    """Earlier names by present ones, as the store keeps them with the run; None where there are none."""
    aliases = {d.name: d.aliases for d in catalogue.declared if d.aliases}
    return json.dumps(aliases, sort_keys=True, ensure_ascii=False) if aliases else None
