"""Benchmarks that had another name before: what was measured under it belongs to the present one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from perftrack.core.history import Point, Series
from perftrack.core.model import Case, Measurement
from perftrack.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class Renames:
    """`present`: by each earlier name the present one, which is nobody's earlier name."""

    present: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, aliases: Mapping[str, Sequence[str]]) -> Renames:
        """From the earlier names of each present one; an earlier name may itself have had others.

        Raises InvalidValueError for a name that two have had, and for a circle.
        """
        direct: dict[str, str] = {}
        problems = []
        for name, earlier in aliases.items():
            for alias in earlier:
                other = direct.setdefault(alias, name)
                if other != name:
                    problems.append(f"{alias!r} is an earlier name of both {other!r} and {name!r}")
        present = {}
        for alias in direct:
            name, seen = alias, {alias}
            while name in direct and direct[name] not in seen:
                name = direct[name]
                seen.add(name)
            if name in direct:
                problems.append(f"{alias!r} is an earlier name of itself")
            present[alias] = name
        if problems:
            raise InvalidValueError("; ".join(problems))
        return cls(present)

    def before(self, other: Renames) -> Renames:
        """Both, where this one has the last word: what it calls present is no earlier name in the other."""
        mine = set(self.present.values())
        older = {alias: name for alias, name in other.present.items() if alias not in mine}
        return Renames({a: self.present.get(n, n) for a, n in older.items()} | dict(self.present))

    def name(self, benchmark: str) -> str:
        return self.present.get(benchmark, benchmark)

    def names(self, benchmark: str) -> tuple[str, ...]:
        """A benchmark's name and all that it had before."""
        return (benchmark, *sorted(alias for alias, name in self.present.items() if name == benchmark))

    def case(self, case: Case) -> Case:
        name = self.present.get(case.benchmark)
        return case if name is None else replace(case, benchmark=name)

    def case_id(self, case_id: str) -> str:
        """A case's id under the present name of its benchmark."""
        name, bracket, params = case_id.partition("[")
        return self.name(name) + bracket + params

    def case_ids(self, case_id: str) -> tuple[str, ...]:
        """A case's id, and those that it had under earlier names of its benchmark."""
        name, bracket, params = case_id.partition("[")
        return tuple(earlier + bracket + params for earlier in self.names(name))

    def standing(self, case_ids: Iterable[str]) -> dict[str, str]:
        """Present ids by stored ones, without those that another one has as its own."""
        stored = set(case_ids)
        present = {i: self.case_id(i) for i in stored}
        return {i: now for i, now in present.items() if i == now or now not in stored}

    def measurements(self, measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
        """Of one commit, under present names. Where it has a case under both, the present name's stands alone."""
        if not self.present:
            return tuple(measurements)
        own = [m for m in measurements if m.case.benchmark not in self.present]
        taken = {identity(m.case, m.metric) for m in own}
        renamed = (replace(m, case=self.case(m.case)) for m in measurements)
        return tuple(
            new
            for old, new in zip(measurements, renamed, strict=True)
            if old.case.benchmark not in self.present or identity(new.case, new.metric) not in taken
        )

    def series(self, all_series: Sequence[Series]) -> tuple[Series, ...]:
        """Series under present names, each once, with the points of earlier ones; described by the newest.

        Of a run that has a case under both names the present name's point stands.
        """
        if not self.present:
            return tuple(all_series)
        groups: dict[tuple[object, ...], list[Series]] = defaultdict(list)
        for series in all_series:
            groups[identity(self.case(series.case), series.metric)].append(series)
        return tuple(self._joined(group) for group in groups.values())

    def _joined(self, group: Sequence[Series]) -> Series:
        if len(group) == 1:
            return replace(group[0], case=self.case(group[0].case))
        own_first = sorted(group, key=lambda s: s.case.benchmark in self.present)
        points: dict[tuple[str, int], Point] = {}
        for series in own_first:
            theirs = {p.run_id for p in points.values()}
            points.update({(p.run_id, n): p for n, p in enumerate(series.points) if p.run_id not in theirs})
        ordered = tuple(sorted(points.values(), key=lambda p: (p.started_at, p.run_id)))
        newest = max(own_first, key=lambda s: s.points[-1].started_at if s.points else 0.0)
        return replace(newest, case=self.case(newest.case), points=ordered)


def identity(case: Case, metric: str) -> tuple[object, ...]:
    """What tells series apart: to Python 1, 1.0 and True are equal, as parameters they are not."""
    return (case.benchmark, metric, *sorted((k, type(v).__name__, v) for k, v in case.params))
