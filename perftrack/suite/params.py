"""Parameter lists of a benchmark: expanded to cases, with the problems that keep them from being cases."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from perftrack.core.model import Case, Params, Scalar

MAX_CASES = 10_000
MAX_PARAM_LENGTH = 200

ParamSpec = Mapping[str, Sequence[Scalar]] | Sequence[Mapping[str, Scalar]]


def expand(params: ParamSpec | None, target: Callable[..., object]) -> tuple[tuple[Params, ...], list[str]]:
    """Cases and problems; with a problem the cases are a placeholder. Never raises for what a user wrote."""
    if params is None:
        return ((),), _accepts(target, ())
    if isinstance(params, Mapping):
        bad = [n for n, v in params.items() if isinstance(v, str) or not isinstance(v, Sequence)]
        if bad:
            return ((),), [f"params[{bad[0]!r}] must be a list of values"]
        count = math.prod(len(v) for v in params.values())
        products = itertools.islice(itertools.product(*params.values()), MAX_CASES + 1)
        combos = [dict(zip(params, values, strict=True)) for values in products]
    else:
        combos = [dict(c) for c in itertools.islice(params, MAX_CASES + 1)]
        count = len(combos)
    if count > MAX_CASES:
        return ((),), [f"{count} parameter combinations; at most {MAX_CASES}"]
    if not combos:
        return ((),), ["params give no combination at all"]
    problems = [p for p in (_scalar_problem(n, v) for c in combos for n, v in c.items()) if p]
    if problems:
        return ((),), problems[:1]
    cases = tuple(tuple(c.items()) for c in combos)
    ids = [Case("", c).id for c in cases]
    if twice := {i for i in ids if ids.count(i) > 1} if len(set(ids)) < len(ids) else set():
        return ((),), [f"two parameter combinations read the same: {min(twice)}"]
    return cases, _accepts(target, tuple(combos[0]))


def _scalar_problem(name: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str | int | float | bool):
        return (
            f"parameter {name!r} has a value of type {type(value).__name__}; "
            "use strings, numbers, booleans or None and build the object in the set-up"
        )
    if isinstance(value, float) and not math.isfinite(value):
        return f"parameter {name!r} is {value}: not a number that names a case"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return f"parameter {name!r} does not fit in 64 bits"
    if isinstance(value, str) and len(value) > MAX_PARAM_LENGTH:
        return f"parameter {name!r} has {len(value)} characters; at most {MAX_PARAM_LENGTH}"
    return None


def _accepts(target: Callable[..., object], names: tuple[str, ...]) -> list[str]:
    try:
        inspect.signature(target).bind(**dict.fromkeys(names))
    except TypeError as error:
        return [f"its parameters do not fit `params`: {error}"]
    return []
