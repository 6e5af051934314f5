"""Finds benchmark files, imports them and collects what they declare. Runs in worker processes."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from perftrack.core.model import Case
from perftrack.core.text import printable
from perftrack.suite.declaration import Skip, drain, problem_of
from perftrack.suite.declared import Declaration
from perftrack.suite.messages import Catalogue, Problem


@dataclass(frozen=True, slots=True)
class Suite:
    """Usable declarations by name, and the problems of the rest."""

    declarations: dict[str, Declaration]
    sources: dict[str, str]
    problems: tuple[Problem, ...]

    def catalogue(self) -> Catalogue:
        declared = tuple(d.declared(self.sources[n]) for n, d in self.declarations.items())
        return Catalogue(declared, self.problems)


def load_suite(files: Iterable[Path], base: Path) -> Suite:
    """Import every file and collect its declarations. `base`: what sources are shown relative to."""
    found: list[tuple[Declaration, str]] = []
    problems: list[Problem] = []
    files = tuple(files)
    own = {file.resolve() for file in files}
    for file in files:
        drain()
        problem = import_file(file, base)
        for declaration in drain():
            place = Path(declaration.file).resolve()
            source = f"{_shown(place, base)}:{declaration.line}"
            if place == file.resolve():
                found.append((declaration, source))
            elif place not in own:  # one of another benchmark file is found when that file's turn comes
                message = "declared outside the benchmark files, where it is not measured"
                hint = "Declare it in a file whose name fits `pattern` in [tool.perftrack]."
                problems.append(Problem(source, f"{declaration.name}: {message}", hint))
        if problem is not None:
            problems.append(problem)
    declarations, sources, more = _unique(found)
    return Suite(declarations, sources, tuple(problems + more))


def _unique(
    found: list[tuple[Declaration, str]],
) -> tuple[dict[str, Declaration], dict[str, str], list[Problem]]:
    declarations: dict[str, Declaration] = {}
    sources: dict[str, str] = {}
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    ids: dict[str, str] = {}
    for declaration, source in found:
        name = declaration.name
        if declaration.problems:
            problems += [problem_of(declaration, source, p) for p in declaration.problems]
            continue
        own = [Case(name, params).id for params in declaration.cases]
        if name in seen:
            problems.append(
                Problem(
                    source,
                    f"{name}: a benchmark of this name is already declared at {seen[name]}",
                    "Rename one, or give it name=… in the decorator.",
                )
            )
            continue
        if twice := next((i for i in own if i in ids), None):
            message = f"the case {twice} is already declared at {ids[twice]}"
            problems.append(Problem(source, f"{name}: {message}", "Rename one of the two benchmarks."))
            continue
        seen[name] = source
        ids.update(dict.fromkeys(own, source))
        declarations[name], sources[name] = declaration, source
    return declarations, sources, [*problems, *_wrong_aliases(declarations, sources)]


def _wrong_aliases(declarations: dict[str, Declaration], sources: dict[str, str]) -> list[Problem]:
    """Earlier names that are in use, or that two benchmarks claim: whose history is it then?"""
    problems = []
    owners: dict[str, str] = {}
    for name, declaration in declarations.items():
        for alias in declaration.aliases:
            other = alias if alias in declarations else owners.setdefault(alias, name)
            if other != name:
                says = "is a benchmark of its own" if other == alias else f"is an alias of {other} as well"
                message = f"{name}: aliases: {alias} {says}"
                problems.append(Problem(sources[name], message, "Only one benchmark can go on with a history."))
    return problems


def import_file(file: Path, base: Path) -> Problem | None:
    """Import a benchmark file under a private module name; what it raises becomes a problem with its line."""
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:8]
    name = f"_perftrack_bench_{file.stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        return Problem(_shown(file, base), "not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return _attempt(lambda: spec.loader.exec_module(module), file, base)  # type: ignore[union-attr]


def _attempt(execute: Callable[[], None], file: Path, base: Path) -> Problem | None:
    try:
        execute()
    except Skip as error:
        return Problem(_shown(file, base), f"the whole file was skipped: {_said(error)}")
    except SyntaxError as error:
        return Problem(f"{_shown(file, base)}:{error.lineno or 1}", f"SyntaxError: {printable(error.msg)}")
    except BaseException as error:  # noqa: BLE001 - nothing that a benchmark file raises may end the worker
        line = next(
            (f.lineno for f in reversed(traceback.extract_tb(error.__traceback__)) if f.filename == str(file)),
            1,
        )
        hint = ""
        if isinstance(error, ImportError) and error.name:
            package = error.name.partition(".")[0]
            hint = f"Install {package!r} into {sys.executable}, or set `python` in [tool.perftrack]."
        return Problem(f"{_shown(file, base)}:{line}", f"{type(error).__name__}: {_said(error)}", hint)
    return None


def _said(error: BaseException) -> str:
    try:
        return printable(str(error))
    except Exception as other:  # noqa: BLE001 - its __str__ is the user's own
        return f"<its message raises {type(other).__name__}>"


def _shown(file: Path, base: Path) -> str:
    try:
        return printable(file.resolve().relative_to(base.resolve()).as_posix())
    except ValueError:
        return printable(str(file))


def find_files(folder: Path, pattern: str) -> tuple[Path, ...]:
    """Benchmark files of a folder, in name order, subfolders included."""
    return tuple(sorted(p for p in folder.rglob(pattern) if p.is_file()))
