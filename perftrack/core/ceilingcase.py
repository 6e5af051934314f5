"""Ceilings among measurements: the case of each, and which type a benchmark's products have. Stdlib only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from perftrack.core.ceiling import CeilingResult, DataType, Definition
from perftrack.core.model import Case, Params, Scalar

if TYPE_CHECKING:  # every worker process imports this module, and none reads a history
    from perftrack.core.history import RunSummary, Series

BENCHMARK = "ceiling"
METRIC = "rate"
SOURCE = "perftrack ceiling"
_TUNED = "tuned"

# How people write the types in parameters and tags.
_ALIASES = {
    "bf16": DataType.BFLOAT16, "fp16": DataType.FLOAT16, "f16": DataType.FLOAT16, "half": DataType.FLOAT16,
    "fp32": DataType.FLOAT32, "f32": DataType.FLOAT32, "float": DataType.FLOAT32,
    "fp8": DataType.FLOAT8_E4M3FN, "fp8_e4m3": DataType.FLOAT8_E4M3FN, "e4m3": DataType.FLOAT8_E4M3FN,
    "fp8_e4m3fn": DataType.FLOAT8_E4M3FN, "fp8_e4m3fnuz": DataType.FLOAT8_E4M3FNUZ,
}  # fmt: skip


def ceiling_case(result: CeilingResult) -> Case:
    """`ceiling[definition=…,dtype=…]`; knobs that change what a definition means make it another case."""
    params: list[tuple[str, Scalar]] = [("definition", result.definition.value)]
    if result.dtype is not None:
        params.append(("dtype", result.dtype.value))
    tuned = result.protocol.split("/")[2:]
    if tuned:
        params.append((_TUNED, "/".join(tuned)))
    return Case(BENCHMARK, tuple(params))


def definition_of(case: Case) -> Definition | None:
    """Which ceiling a case is; None for one that is none, such as a benchmark that happens to have the name."""
    if case.benchmark != BENCHMARK:
        return None
    value = dict(case.params).get("definition")
    known = {d.value: d for d in Definition}
    return known.get(value) if isinstance(value, str) else None


def only_ceilings(series: Iterable[Series], runs: Iterable[RunSummary]) -> frozenset[str]:
    """Ids of the runs that hold ceilings and nothing else: they tell nothing of their commit's code."""
    count = Counter(p.run_id for s in series if definition_of(s.case) is not None for p in s.points)
    return frozenset(r.id for r in runs if count[r.id] and count[r.id] == r.ok + r.failed + r.skipped)


def is_tuned(case: Case) -> bool:
    """Whether it was measured with knobs that change its definition, so that it is nobody else's ceiling."""
    return _TUNED in dict(case.params)


def dtype_of(params: Params, tags: Iterable[str] = ()) -> DataType | None:
    """The type that a case's products are of: its parameter `dtype`, else the one tag that names a type.

    None where neither does, or several tags do: a share of the wrong type's ceiling would be off by a factor.
    """
    named = _named(dict(params).get("dtype"))
    if named is not None:
        return named
    found = {d for tag in tags if (d := _named(tag)) is not None}
    return found.pop() if len(found) == 1 else None


def _named(value: object) -> DataType | None:
    if not isinstance(value, str):
        return None
    name = value.lower().removeprefix("torch.").replace("-", "_")
    return _ALIASES.get(name) or next((d for d in DataType if d.value == name), None)
