"""Text in the store: canonical JSON, and the texts of a batch held once."""

from __future__ import annotations

import json
from collections.abc import Iterable

from perftrack.core.identity import content_id
from perftrack.core.model import Case, Params, Reason


def canonical_json(value: object) -> str:
    """Compact JSON with sorted keys. Refuses NaN and infinity with ValueError."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def canonical_params(params: Params) -> str:
    """The parameters of a case as canonical JSON: the same text in whatever order they were declared.

    1, 1.0, true and "1" stay apart. Raises ValueError for a name given twice.
    """
    values = dict(params)
    if len(values) != len(params):
        raise ValueError(f"a parameter is given twice: {', '.join(name for name, _ in params)}")
    return canonical_json(values)


def case_key(case: Case) -> str:
    """Hash of benchmark and parameters, in whatever order: what tells one case from another in the store."""
    return content_id([case.benchmark, canonical_params(case.params)])


def reasons_json(reasons: Iterable[Reason]) -> str:
    return canonical_json([{"code": r.code, "message": r.message} for r in reasons])


class Texts:
    """Numbers the distinct texts of a batch in order of appearance."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, text: str | None) -> int:
        """The number of a text, from 1; 0 for None."""
        if text is None:
            return 0
        return self._codes.setdefault(text, len(self._codes) + 1)

    def all(self) -> tuple[str, ...]:
        """The texts by number. Raises ValueError for one that is no Unicode."""
        for text in self._codes:
            check_text(text)
        return tuple(self._codes)


def check_text(text: str) -> None:
    """Raises ValueError for a text with surrogates, which neither UTF-8 nor DuckDB has."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = text[max(0, error.start - 20) : error.end + 20]
        raise ValueError(f"not Unicode text: {place!a}") from error
