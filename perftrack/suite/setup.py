"""Runs a benchmark's set-up and teardown around the callable that is timed. Standard library only."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import cast

from perftrack.core.deferral import deferral
from perftrack.core.model import Params
from perftrack.core.quantity import finite
from perftrack.errors import InvalidValueError, SuiteError
from perftrack.suite.declared import Declaration

Work = Callable[[], object]


@contextmanager
def prepared(declaration: Declaration, params: Params, source: str) -> Iterator[tuple[Work, Work | None]]:
    """The callable to time and the one of `baseline=`, set up; torn down when the block ends.

    Raises SuiteError where a set-up returns no callable, Skip where it skips, and what it raises.
    """
    with _one(declaration.function, params, declaration.name, source) as work:
        if declaration.baseline is None:
            yield work, None
            return
        with _one(declaration.baseline, params, f"{declaration.name}'s baseline", source) as baseline:
            yield work, baseline


@contextmanager
def _one(function: Callable[..., object], params: Params, name: str, source: str) -> Iterator[Work]:
    made = function(**dict(params))
    if not inspect.isgenerator(made):
        yield _callable(made, name, source)
        return
    generator = cast("Generator[object, None, None]", made)
    try:
        work = next(generator)
    except StopIteration:
        raise SuiteError(f"{source}: {name} ended without yielding a callable") from None
    try:
        yield _callable(work, name, source)
    finally:
        more = next(generator, _DONE)
        generator.close()
        if more is not _DONE:
            raise SuiteError(f"{source}: {name} yielded twice", "Yield once; what follows is the teardown.")


_DONE = object()


def _callable(made: object, name: str, source: str) -> Work:
    if not callable(made):
        raise SuiteError(
            f"{source}: {name} returned {type(made).__name__}, not a callable to time",
            "Do the set-up in the function and return a function without parameters: return lambda: work(x)",
        )
    if found := deferral(made):
        raise SuiteError(f"{source}: the callable that {name} returned only makes {found.what}", found.hint)
    return made


def amount(
    declared: Callable[..., float] | float | None, params: Params, option: str = "flops or bytes"
) -> float | None:
    """A declared number of flops or bytes for these parameters. Raises SuiteError for what is no amount."""
    if declared is None:
        return None
    value = declared(**dict(params)) if callable(declared) else declared
    try:
        number = finite(value)
    except InvalidValueError as error:
        raise SuiteError(f"{option} of the benchmark: {error.message}") from error
    if number < 0:
        raise SuiteError(f"{option} of the benchmark: {number:g} is below 0")
    return number
