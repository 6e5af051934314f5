"""The commits' files while a search goes on: a worktree each, built once, and kept as long as there is room."""

from __future__ import annotations

import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from perftrack.app.project import Project
from perftrack.app.recipes import recipe_of
from perftrack.app.tree import Tree, build, is_elsewhere, lacks_submodules
from perftrack.app.venv import cache_folder, environment, variables
from perftrack.core.company import CardUse
from perftrack.core.model import Commit
from perftrack.core.search.visits import Failure, FailureKind
from perftrack.errors import GitError, WorkerError
from perftrack.suite.launch import Setup

GIB = 2**30
# What Git says where it cannot make a worktree of any commit.
_NOT_OURS = re.compile(r"Permission denied|Read-only file system|Cannot allocate memory|not a git repository")


class OutOfTime(Exception):  # noqa: N818 - an event, handled where the time is kept
    """The time that may be spent ended in the middle of a build, which says nothing of the commit."""


@dataclass(slots=True)
class _Built:
    """`stack` holds the worktree. `used`: when it was asked for last, by count."""

    stack: contextlib.ExitStack
    result: Setup | Failure
    used: int


class Workshop:
    """Builds commits and keeps them. A context manager: no worktree outlives it.

    `keep`: how many are kept; those used longest ago go first, the ends of the search never. `deadline`: where
    builds end, by the monotonic clock.
    """

    def __init__(
        self,
        project: Project,
        building: Callable[[Commit, str], None],
        *,
        ends: Collection[str],
        keep: int,
        command: str | None = None,
        python: str | None = None,
        env: str | None = None,
        uses: tuple[CardUse, ...] = (),
    ) -> None:
        self._project = project
        self._building = building
        self._ends = frozenset(ends)
        self._keep = max(keep, len(self._ends) + 2)
        self._command = project.config.build if command is None else command
        self._python = python
        self._env = env or ""
        self._uses = uses
        self._built: dict[str, _Built] = {}
        self._asked = 0
        self.seconds = 0.0  # spent on worktrees and builds so far
        self.deadline = math.inf
        self.lacking: set[str] = set()  # commits whose submodules are empty

    def __enter__(self) -> Workshop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.ExitStack() as every:  # all of them go, also where removing one fails
            for built in self._built.values():
                every.push(built.stack)
            self._built.clear()

    def setup(self, commit: Commit) -> Setup | Failure:
        """How workers run for the commit, or how its build failed. Raises OutOfTime at the deadline."""
        self._asked += 1
        built = self._built.get(commit.sha)
        if built is None:
            started = time.monotonic()
            try:
                self._make_room()
                built = self._built[commit.sha] = self._build(commit)
            finally:
                self.seconds += time.monotonic() - started
        built.used = self._asked
        return built.result

    def _build(self, commit: Commit) -> _Built:
        project = self._project
        with contextlib.ExitStack() as stack:
            try:
                root = stack.enter_context(project.repository.worktree(commit.sha))
            except GitError as error:  # a file that a filter cannot bring, such as one that Git LFS lacks
                if _NOT_OURS.search(error.message):
                    raise
                return self._failed(f"it cannot be checked out: {error.message}")
            place = self._environment(stack, commit, root)
            if isinstance(place, str):
                return self._failed(place)
            own = variables(place) if place else {}
            if self._command:
                self._building(commit, self._command)
                tree = Tree(commit, root, in_place=False, dirty=False)
                if failure := build(tree, self._command, self._limit_s(), os.environ | own):
                    return self._failed(failure)
            if lacks_submodules(root):  # asked now, as the build may have fetched them
                self.lacking.add(commit.sha)
            python = str(place / "bin" / "python") if place else self._python
            setup = project.setup(root, python=python, benchmarks_from_tree=False)
            setup = replace(setup, environment={**own, **setup.environment}, uses=self._uses)
            return _Built(stack.pop_all(), setup, self._asked)

    def _environment(self, stack: contextlib.ExitStack, commit: Commit, root: Path) -> Path | str | None:
        """The folder of the commit's own environment, held by `stack`; None for the interpreter that is named.

        What a build installs into it must not be there for another commit, so then each has one to itself.
        """
        project = self._project
        owner = f"{project.root}\n{commit.sha}\n{self._command}" if self._command else ""
        recipe = recipe_of(project, root, python=self._python, chosen=self._env, owner=owner)
        if recipe is None:
            return None
        self._building(commit, "its Python environment")
        cap = int(project.config.env_cache_gib * GIB)
        return stack.enter_context(environment(recipe, root, cache_folder(), self._limit_s(), cap))

    def _limit_s(self) -> float:
        return max(min(self._project.config.build_timeout_s, self.deadline - time.monotonic()), 0.0)

    def _failed(self, why: str) -> _Built:
        """The commit's own failure. Raises WorkerError, or OutOfTime, where it says nothing of the commit."""
        if time.monotonic() >= self.deadline:
            raise OutOfTime
        if is_elsewhere(why):
            raise WorkerError(why, "This is not the commit's fault. Once it is put right, --resume goes on.")
        return _Built(contextlib.ExitStack(), Failure(FailureKind.BUILD, why), self._asked)

    def _make_room(self) -> None:
        others = [sha for sha in self._built if sha not in self._ends]
        while len(others) + len(self._ends) >= self._keep:
            oldest = min(others, key=lambda sha: self._built[sha].used)
            others.remove(oldest)
            self._built.pop(oldest).stack.close()
