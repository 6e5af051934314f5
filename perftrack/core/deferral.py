"""Callables whose call does no work, but makes a coroutine or generator that would. Standard library only."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deferral:
    """What a call makes instead of doing the work, and how to have it done."""

    what: str
    hint: str


COROUTINE = Deferral("a coroutine", "Run it in the callable: lambda: asyncio.run(work())")
ASYNC_GENERATOR = Deferral("an async generator", "Consume it in a coroutine, and run that with asyncio.run(...)")
GENERATOR = Deferral(
    "a generator", "Consume the generator in the callable: lambda: collections.deque(work(), maxlen=0)"
)


def deferral(work: object) -> Deferral | None:
    """What calling `work` would only create; None where nothing of the kind is seen without calling it."""
    while isinstance(work, functools.partial):
        work = work.func
    if not inspect.isroutine(work) and not isinstance(work, type):
        work = getattr(type(work), "__call__", work)  # noqa: B004 - its code is looked at, it is not called
    kinds: tuple[tuple[Callable[[object], bool], Deferral], ...] = (
        (inspect.iscoroutinefunction, COROUTINE),
        (inspect.isasyncgenfunction, ASYNC_GENERATOR),
        (inspect.isgeneratorfunction, GENERATOR),
    )
    return next((found for test, found in kinds if test(work)), None)


def deferred(result: object) -> Deferral | None:
    """The same, told by what a call returned; a coroutine is closed, as nobody will await it."""
    if inspect.iscoroutine(result):
        result.close()
        return COROUTINE
    if inspect.isasyncgen(result):
        return ASYNC_GENERATOR
    return GENERATOR if inspect.isgenerator(result) else None
