"""Parameter lists of a benchmark: expanded to cases, with the problems that keep them from being cases."""

from __future__ import annotations

import inspect
import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from perftrack.core.model import Case, Params, Scalar
from perftrack.core.text import flaw, name_flaw, printable, quoted

MAX_CASES = 10_000
MAX_PARAM_LENGTH = 200

ParamSpec = Mapping[str, Sequence[Scalar]] | Sequence[Mapping[str, Scalar]]


def expand(params: ParamSpec | None, target: Callable[..., object]) -> tuple[tuple[Params, ...], list[str]]:
    """Cases and problems; with a problem the cases are a placeholder. Never raises for what a user wrote."""
    try:
        combos = _combinations(params)
        problems = [p for p in (_scalar_problem(n, v) for c in combos for n, v in c.items()) if p]
    except _RefusedError as error:
        return ((),), [str(error)]
    except Exception as error:  # noqa: BLE001 - sequences and mappings of the user's own
        return ((),), [f"params cannot be read: {type(error).__name__}: {printable(str(error))}"]
    if problems:
        return ((),), problems[:1]
    cases = tuple(tuple((n, _plain(v)) for n, v in c.items()) for c in combos)
    counts = Counter(Case("", c).id for c in cases)
    if twice := [i for i, count in counts.items() if count > 1]:
        return ((),), [f"two parameter combinations read the same: {min(twice)}"]
    return cases, fit(target, names_of(cases))


def names_of(cases: tuple[Params, ...]) -> tuple[tuple[str, ...], ...]:
    """The different sets of parameter names that cases have."""
    return tuple(dict.fromkeys(tuple(n for n, _ in case) for case in cases))


def fit(target: Callable[..., object], names: tuple[tuple[str, ...], ...]) -> list[str]:
    """Why `target` cannot be called with these parameters, at most one reason."""
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):  # a builtin that tells no signature
        return []
    for each in names:
        try:
            signature.bind(**dict.fromkeys(each))
        except TypeError as error:
            return [f"its parameters do not fit `params`: {error}"]
    return []


class _RefusedError(Exception):
    """Parameters that are no list of combinations."""


def _combinations(params: ParamSpec | None) -> list[Mapping[str, Scalar]]:
    if params is None:
        return [{}]
    if not isinstance(params, Mapping):
        return _listed(params)
    for name, values in params.items():
        if isinstance(values, str | bytes) or not isinstance(values, Sequence):
            raise _RefusedError(f"params[{quoted(name)}] must be a list of values")
    # Counted before the product is made: itertools.product copies every list first, however long.
    count = math.prod(_length(v) for v in params.values())
    if count > MAX_CASES:
        raise _RefusedError(f"{count} parameter combinations; at most {MAX_CASES}")
    if count == 0:
        raise _RefusedError("params give no combination at all")
    return [dict(zip(params, values, strict=True)) for values in itertools.product(*params.values())]


def _listed(params: object) -> list[Mapping[str, Scalar]]:
    if isinstance(params, str | bytes) or not isinstance(params, Iterable):
        raise _RefusedError(f"params={quoted(params)} must map names to lists, or list mappings")
    combos = list(itertools.islice(params, MAX_CASES + 1))
    if len(combos) > MAX_CASES:
        raise _RefusedError(f"more than {MAX_CASES} parameter combinations")
    if not combos:
        raise _RefusedError("params give no combination at all")
    if other := [c for c in combos if not isinstance(c, Mapping)]:
        raise _RefusedError(f"params must map names to lists, or list mappings; {quoted(other[0])} is none")
    return combos


def _length(values: Sequence[Scalar]) -> int:
    try:
        return len(values)
    except OverflowError:  # a range longer than the machine's words
        return sys.maxsize


def _scalar_problem(name: object, value: object) -> str | None:
    if wrong := name_flaw(name):
        return f"a parameter's name {wrong}"
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
    if isinstance(value, str) and (wrong := flaw(value)):
        return f"parameter {name!r} is {quoted(value)}, which {wrong}"
    return None


def _plain(value: Scalar) -> Scalar:
    """The value without its subclass: an enum's or NumPy's would read otherwise once it has travelled as JSON."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    return float(value) if isinstance(value, float) else int(value)
