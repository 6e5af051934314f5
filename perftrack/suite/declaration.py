"""`benchmark`, `metric` and `skip`: how a benchmark file says what to measure. Standard library only.

Decorating never raises for a bad declaration: the problem is kept with its file and line, so that the
other benchmarks of the file still run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn, TypeVar, overload

from perftrack.core.model import Direction, Params
from perftrack.suite.declared import Declaration
from perftrack.suite.messages import Kind, Problem
from perftrack.suite.options import Checks
from perftrack.suite.params import ParamSpec, expand, names_of
from perftrack.suite.place import place_of

Function = TypeVar("Function", bound=Callable[..., object])

DEVICES = ("auto", "cpu", "cuda", "rocm", "xpu", "hpu", "mps", "replay")
CACHES = ("hot", "cold")
TIMERS = ("auto", "host", "event", "graph")


class Skip(Exception):  # noqa: N818 - reads as what it does: `raise Skip`
    """Raised by `skip`."""


def skip(reason: str) -> NoReturn:
    """Leave this case out of the run, on record: call it in a benchmark's set-up."""
    raise Skip(reason)


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
    aliases: Iterable[str] = (),
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
    aliases: Iterable[str] = (),
) -> Function | Callable[[Function], Function]:
    """Declare a benchmark. The function sets up, untimed, and returns the callable to time.

    A generator function yields the callable and tears down after it. `params` maps names to lists of
    values (every combination is a case) or lists the combinations as mappings. `flops` and `bytes`
    are per call: numbers, or functions of the parameters. `timeout` in seconds for one process;
    `threshold` is the relative change that matters; `warmup` the least number of calls before timing;
    `cache` "hot" or "cold"; `baseline` a function like this one that is timed beside it, the ratio of
    the two being stored as the metric `speedup`; `aliases` names that this benchmark had before.
    """

    def declare(target: Function) -> Function:
        checks = Checks()
        cases = _cases(checks, params, target, generator=True)
        names = () if checks.problems else names_of(cases)  # where params are refused, nothing can fit them
        checks.choice("device", device, DEVICES)
        checks.choice("cache", cache, (None, *CACHES))
        checks.choice("timer", timer, TIMERS)
        own = checks.name(name, target)
        _declared.append(
            Declaration(
                target,
                Kind.BENCHMARK,
                own,
                cases,
                "s",
                Direction.LOWER,
                device,
                checks.positive("timeout", timeout),
                checks.positive("threshold", threshold),
                checks.whole("warmup", warmup),
                cache,
                timer,
                checks.tags(tags),
                checks.amount("flops", flops, names),
                checks.amount("bytes", bytes, names),
                checks.baseline(baseline, names),
                checks.aliases(aliases, own),
                False,
                tuple(checks.problems),
                *place_of(target),
            )
        )
        return _passed(target)

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
    exact: bool = False,
    aliases: Iterable[str] = (),
) -> Callable[[Function], Function]:
    """Declare a function whose returned number is the measurement, once a process. `unit` is shown as given.

    `exact`: a count or a size that does not vary, of which any change counts; `threshold` is then its tolerance.
    """

    def declare(target: Function) -> Function:
        checks = Checks()
        cases = _cases(checks, params, target, generator=False)
        checks.choice("direction", direction, tuple(d.value for d in Direction))
        way = Direction(direction) if direction in tuple(Direction) else Direction.LOWER
        own = checks.name(name, target)
        _declared.append(
            Declaration(
                target,
                Kind.METRIC,
                own,
                cases,
                checks.unit(unit),
                way,
                "cpu",
                checks.positive("timeout", timeout),
                checks.positive("threshold", threshold),
                None,
                None,
                "auto",
                checks.tags(tags),
                None,
                None,
                None,
                checks.aliases(aliases, own),
                checks.flag("exact", exact),
                tuple(checks.problems),
                *place_of(target),
            )
        )
        return _passed(target)

    return declare


def problem_of(declaration: Declaration, source: str, message: str) -> Problem:
    return Problem(source, f"{declaration.name}: {message}")


def _cases(
    checks: Checks, params: ParamSpec | None, target: Callable[..., object], *, generator: bool
) -> tuple[Params, ...]:
    if not checks.target(target, generator=generator):
        return ((),)
    cases, problems = expand(params, target)
    checks.problems.extend(problems)
    return cases


def _passed(target: Function) -> Function:
    """What a decorator leaves behind. `@benchmark("name")` passes a name: what it returns is called next."""
    return target if callable(target) else (lambda function: function)
