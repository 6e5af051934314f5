"""A search as plain data that JSON holds, and back: what makes a search outlive a kill or a reboot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import TypeVar

from perftrack.core.model import Direction
from perftrack.core.quantity import LIMIT
from perftrack.core.search.bisection import Search
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.reproduction import Reproduction, Standing
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.visits import Failure, FailureKind, Phase, Recorded, Side, Visit
from perftrack.core.text import quoted
from perftrack.errors import InvalidValueError

FORMAT = 1
HINT = "The file is damaged or of another version: begin anew without it."

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


def to_dict(search: Search) -> dict[str, object]:
    """All that the search rests on. `from_dict` gives a search that asks for the same probes."""
    graph, seen = search.graph, search.reproduction
    return {
        "format": FORMAT,
        "good": graph.good,
        "bad": graph.bad,
        "base": graph.base,
        "commits": [[sha, *parents] for sha, parents in zip(graph.shas, graph.parents, strict=True)],
        "settings": {f.name: _plain(getattr(search.settings, f.name)) for f in fields(SearchSettings)},
        "seed": search.seed,
        "prior": list(search.prior),
        "recorded": [{"commit": r.commit, "values": list(r.values), "apart": r.apart} for r in search.recorded],
        "visits": [_visit_out(v) for v in search.visits],
        "reproduction": {f.name: _plain(getattr(seen, f.name)) for f in fields(Reproduction)},
        "earlier": list(search.earlier),
    }


def from_dict(data: object) -> Search:
    """A search from what `to_dict` gave. Raises InvalidValueError, naming the place, for anything else."""
    top = _Reader(data, "search")
    if top.take("format", int) != FORMAT:
        raise InvalidValueError(f"a search of format {quoted(top.take('format', int))}, not {FORMAT}", HINT)
    commits = [_texts(c, "commits") for c in top.rows("commits")]
    if not all(commits):
        raise top.wrong("commits", "a commit without a SHA")
    good, bad, base = top.take("good", str), top.take("bad", str), top.optional("base", str)
    graph = CommitGraph.of(good, bad, base, [c[0] for c in commits], [c[1:] for c in commits])
    prior = top.numbers("prior")
    if len(prior) != len(graph) or any(p < 0 for p in prior) or not math.isclose(sum(prior), 1.0, rel_tol=1e-6):
        raise top.wrong("prior", "not one probability for each commit")
    return Search.resumed(
        graph,
        _settings(top.part("settings")),
        top.take("seed", int),
        prior,
        tuple(_recorded(r) for r in top.rows("recorded")),
        tuple(_visit(v) for v in top.rows("visits")),
        _reproduction(top.part("reproduction")),
        _texts(top.rows("earlier"), "earlier"),
    )


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else list(value) if isinstance(value, tuple) else value


def _visit_out(visit: Visit) -> dict[str, object]:
    return {
        "phase": visit.phase.value,
        "sides": [
            {
                "commit": side.commit,
                "values": list(side.values),
                "failure": None if side.failure is None else [side.failure.kind.value, side.failure.detail],
            }
            for side in visit.sides
        ],
        "seconds": visit.seconds,
        "build_seconds": visit.build_seconds,
    }


def _settings(reader: _Reader) -> SearchSettings:
    return SearchSettings(
        direction=reader.one_of("direction", Direction),
        confidence=reader.number("confidence"),
        skip=_texts(reader.rows("skip"), "settings.skip"),
        measurements=reader.optional("measurements", int),
        seconds=reader.optional_number("seconds"),
        batch_least=reader.take("batch_least", int),
        batch_most=reader.take("batch_most", int),
        build_cost=reader.optional_number("build_cost"),
        end_share=reader.number("end_share"),
        reproduce=reader.take("reproduce", bool),
        checks=reader.take("checks", int),
        confirm=reader.take("confirm", int),
    )


def _recorded(row: object) -> Recorded:
    reader = _Reader(row, "recorded")
    return Recorded(reader.take("commit", str), reader.numbers("values"), reader.number("apart"))


def _visit(row: object) -> Visit:
    reader = _Reader(row, "visits")
    sides = tuple(_side(s) for s in reader.rows("sides"))
    return Visit(reader.one_of("phase", Phase), sides, reader.number("seconds"), reader.number("build_seconds"))


def _side(row: object) -> Side:
    reader = _Reader(row, "visits.sides")
    if reader.optional("failure", list) is None:
        return Side(reader.take("commit", str), reader.numbers("values"))
    kind, detail = (*_texts(reader.rows("failure"), "visits.sides.failure"), "", "")[:2]
    try:
        found = Failure(FailureKind(kind), detail)
    except ValueError as error:
        raise reader.wrong("failure", f"{quoted(kind)} is no kind of failure") from error
    return Side(reader.take("commit", str), reader.numbers("values"), found)


def _reproduction(reader: _Reader) -> Reproduction:
    return Reproduction(
        reader.one_of("standing", Standing),
        reader.take("established", bool),
        reader.number("p_value"),
        reader.take("good", int),
        reader.take("bad", int),
    )


def _texts(rows: object, where: str) -> tuple[str, ...]:
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not all(isinstance(r, str) for r in rows):
        raise InvalidValueError(f"{where} of a stored search must be a list of texts, not {quoted(rows)}", HINT)
    return tuple(rows)


class _Reader:
    """Typed access to one object of the document."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, Mapping):
            raise InvalidValueError(f"{where} must be an object, not {quoted(data)}", HINT)
        self._data, self._where = data, where

    def wrong(self, key: str, why: str) -> InvalidValueError:
        return InvalidValueError(f"{self._where}.{key} of a stored search: {why}", HINT)

    def take(self, key: str, kind: type[T]) -> T:
        value = self._data.get(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.wrong(key, f"{quoted(value)} is no {kind.__name__}")
        return value

    def optional(self, key: str, kind: type[T]) -> T | None:
        return None if self._data.get(key) is None else self.take(key, kind)

    def number(self, key: str) -> float:
        return _number(self._data.get(key), f"{self._where}.{key}")

    def optional_number(self, key: str) -> float | None:
        return None if self._data.get(key) is None else self.number(key)

    def numbers(self, key: str) -> tuple[float, ...]:
        return tuple(_number(v, f"{self._where}.{key}") for v in self.rows(key))

    def rows(self, key: str) -> list[object]:
        return self.take(key, list)

    def part(self, key: str) -> _Reader:
        return _Reader(self._data.get(key), f"{self._where}.{key}")

    def one_of(self, key: str, kind: type[E]) -> E:
        value = self._data.get(key)
        for member in kind:
            if member.value == value:
                return member
        raise self.wrong(key, f"{quoted(value)} is none of {', '.join(str(m.value) for m in kind)}")


def _number(value: object, where: str) -> float:
    if not isinstance(value, bool) and isinstance(value, int | float) and abs(value) < LIMIT:
        return float(value)
    raise InvalidValueError(f"{where} of a stored search: {quoted(value)} is no finite number", HINT)
