"""`benchmark`, `metric` and `skip`: how a benchmark file says what to measure. Standard library only.

Decorating never raises for a bad declaration: the problem is kept with its file and line, so that the
other benchmarks of the file still run.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn, TypeVar, overload

from perftrack.core.model import Direction, Params
from perftrack.suite.messages import Declared, Kind, Problem
from perftrack.suite.params import ParamSpec, expand

Function = TypeVar("Function", bound=Callable[..., object])

DEVICES = ("auto", "cpu", "cuda", "rocm", "xpu", "hpu", "mps", "replay")
CACHES = ("hot", "cold")
TIMERS = ("auto", "host", "event", "graph")


class Skip(Exception):  # noqa: N818 - reads as what it does: `raise Skip`
    """Raised by `skip`."""


def skip(reason: str) -> NoReturn:
    """Leave this case out of the run, on record: call it in a benchmark's set-up."""
    raise Skip(reason)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A decorated function and what was said of it."""

    function: Callable[..., object]
    kind: Kind
    name: str
    cases: tuple[Params, ...]
    unit: str
    direction: Direction
    device: str
    timeout_s: float | None
    threshold: float | None
    warmup: int | None
    cache: str | None
    timer: str
    tags: tuple[str, ...]
    flops: Callable[..., float] | float | None
    bytes_moved: Callable[..., float] | float | None
    baseline: Callable[..., object] | None
    problems: tuple[str, ...]

    @property
    def file(self) -> str:
        return self.function.__code__.co_filename

    @property
    def line(self) -> int:
        return self.function.__code__.co_firstlineno

    def declared(self, source: str) -> Declared:
        return Declared(
            name=self.name,
            kind=self.kind,
            source=source,
            cases=self.cases,
            unit=self.unit,
            direction=self.direction,
            device=self.device,
            timeout_s=self.timeout_s,
            threshold=self.threshold,
            warmup=self.warmup,
            cache=self.cache,
            timer=self.timer,
            tags=self.tags,
            has_baseline=self.baseline is not None,
            code_hash=self.code_hash,
            file=source.rpartition(":")[0],
        )

    @property
    def code_hash(self) -> str:
        """16 hex digits over the source of the function and its baseline and the settings that change timing."""
        texts = [_source(self.function), _source(self.baseline) if self.baseline else ""]
        texts += [repr((self.unit, self.direction.value, self.device, self.warmup, self.cache, self.timer))]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


# Declarations since the last `drain`, in order: a second function of one name would hide the first in
# the module's namespace, and with it the duplicate.
_declared: list[Declaration] = []


def drain() -> tuple[Declaration, ...]:
    """The declarations made since the last call."""
    found = tuple(_declared)
    _declared.clear()
    return found


@overload
def benchmark(function: Function, /) -> Function: ...
@overload
def benchmark(
    *,
    name: str | None = None,
    params: ParamSpec | None = None,
    tags: Iterable[str] = (),
    flops: Callable[..., float] | float | None = None,
    bytes: Callable[..., float] | float | None = None,
    device: str = "auto",
    timeout: float | None = None,
    threshold: float | None = None,
    warmup: int | None = None,
    cache: str | None = None,
    timer: str = "auto",
    baseline: Callable[..., object] | None = None,
) -> Callable[[Function], Function]: ...
def benchmark(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    params: ParamSpec | None = None,
    tags: Iterable[str] = (),
    flops: Callable[..., float] | float | None = None,
    bytes: Callable[..., float] | float | None = None,  # noqa: A002
    device: str = "auto",
    timeout: float | None = None,
    threshold: float | None = None,
    warmup: int | None = None,
    cache: str | None = None,
    timer: str = "auto",
    baseline: Callable[..., object] | None = None,
) -> Function | Callable[[Function], Function]:
    """Declare a benchmark. The function sets up, untimed, and returns the callable to time.

    A generator function yields the callable and tears down after it. `params` maps names to lists of
    values (every combination is a case) or lists the combinations as mappings. `flops` and `bytes`
    are per call: numbers, or functions of the parameters. `timeout` in seconds for one process;
    `threshold` is the relative change that matters; `warmup` the least number of calls before timing;
    `cache` "hot" or "cold"; `baseline` a function like this one that is timed beside it, the ratio of
    the two being stored as the metric `speedup`.
    """

    def declare(target: Function) -> Function:
        cases, problems = expand(params, target)
        problems += _check(device=(device, DEVICES), cache=(cache, (None, *CACHES)), timer=(timer, TIMERS))
        problems += _positive(timeout=timeout, threshold=threshold, warmup=warmup)
        _declared.append(
            Declaration(
                target,
                Kind.BENCHMARK,
                name or target.__name__,
                cases,
                "s",
                Direction.LOWER,
                device,
                timeout,
                threshold,
                warmup,
                cache,
                timer,
                tuple(tags),
                flops,
                bytes,
                baseline,
                tuple(problems),
            )
        )
        return target

    return declare if function is None else declare(function)


def metric(
    *,
    unit: str,
    direction: str = "lower",
    name: str | None = None,
    params: ParamSpec | None = None,
    tags: Iterable[str] = (),
    timeout: float | None = None,
    threshold: float | None = None,
) -> Callable[[Function], Function]:
    """Declare a function whose returned number is the measurement, once a process. `unit` is shown as given."""

    def declare(target: Function) -> Function:
        cases, problems = expand(params, target)
        problems += _check(direction=(direction, tuple(d.value for d in Direction)))
        problems += _positive(timeout=timeout, threshold=threshold)
        way = Direction(direction) if direction in tuple(Direction) else Direction.LOWER
        _declared.append(
            Declaration(
                target,
                Kind.METRIC,
                name or target.__name__,
                cases,
                unit,
                way,
                "cpu",
                timeout,
                threshold,
                None,
                None,
                "auto",
                tuple(tags),
                None,
                None,
                None,
                tuple(problems),
            )
        )
        return target

    return declare


def problem_of(declaration: Declaration, source: str, message: str) -> Problem:
    return Problem(source, f"{declaration.name}: {message}")


def _source(function: Callable[..., object]) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = function.__code__
        return repr((code.co_code, code.co_consts, code.co_names))


def _check(**choices: tuple[object, tuple[object, ...]]) -> list[str]:
    return [
        f"{name}={value!r} is not one of {', '.join(repr(c) for c in allowed)}"
        for name, (value, allowed) in choices.items()
        if value not in allowed
    ]


def _positive(**values: object) -> list[str]:
    problems = []
    for name, value in values.items():
        if value is None:
            continue
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            problems.append(f"{name}={value!r} must be a number above 0")
    return problems
