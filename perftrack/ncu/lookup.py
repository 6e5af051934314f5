"""A launch's counters by name, and the values of fields out of them with their units checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TypeVar, cast

from perftrack.core.launches.launch import Counter
from perftrack.core.text import quoted
from perftrack.ncu.kinds import Kind, fits
from perftrack.ncu.names import Rule, Source
from perftrack.ncu.raw import Counters

T = TypeVar("T")


class Lookup:
    """Counters of one launch, of one file or of several in order of preference.

    `problems` gathers values that were there and could not be used, each with its field and why.
    """

    def __init__(self, *pages: Counters) -> None:
        self.problems: list[str] = []
        self.pages = pages
        self._layout = _layout([page.names for page in pages])
        self._found = self._layout.usual(pages)

    def field(self, field: str, sources: Sequence[Source]) -> tuple[float | None, Source | None]:
        """The value of the first source that has one, and that source."""
        for source in self._layout.possible(sources):
            metrics = source.metrics
            if len(metrics) > 1:
                value = self.value(field, source)
            else:
                value = self.number(field, metrics[0], source.kind, source.sections)
                if value is not None and source.factor != 1.0:
                    value *= source.factor
            if value is not None:
                return value, source
        return None, None

    def value(self, field: str, source: Source) -> float | None:
        """The source's value; None where one of its metrics is missing, or is none of its kind."""
        total: float | None = None
        for metric in source.metrics:
            part = self.number(field, metric, source.kind, source.sections)
            if part is None:
                return None
            if total is None:
                total = part
            elif source.rule is Rule.RATIO:
                if part == 0:
                    return None
                total /= part
            else:
                total += part
        return None if total is None else source.factor * total

    def number(self, field: str, metric: str, kind: Kind, sections: Sequence[str] = ()) -> float | None:
        """A metric's value. One that is negative or no number, or in a unit of another kind, is a problem."""
        found = self._found.get(metric)
        if found is None:
            found = self._named(metric)
        if not found:
            return None
        counter = _of_section(found, kind, sections) if sections else found[0]
        if counter is None:
            return None
        value = counter.value
        if isinstance(value, str):
            self.problems.append(f"{field}: {quoted(value)} ({metric}) is no number")
        elif not fits(kind, counter.unit):
            unit = f"in {quoted(counter.unit)}" if counter.unit else "without a unit"
            self.problems.append(f"{field}: {value:g} {unit} ({metric}) is not {kind}")
        elif value < 0 and isfinite(value):
            self.problems.append(f"{field}: {value:g} {counter.unit}".rstrip() + f" ({metric}) is negative")
        elif isfinite(value):
            return value
        return None

    def shared(self, make: Callable[[Iterable[str]], T]) -> T:
        """What `make` makes of the names, once for all launches that have the same."""
        return self._layout.shared(make)

    def text(self, metric: str) -> str:
        """A metric's text; empty where it is missing or a number."""
        return next((c.value for c in self._named(metric) if isinstance(c.value, str)), "")

    def _named(self, metric: str) -> tuple[Counter, ...]:
        """Of all pages in order."""
        found = self._found.get(metric)
        if found is None:
            found = self._found[metric] = self._layout.named(metric, self.pages)
        return found


def _of_section(found: Sequence[Counter], kind: Kind, sections: Sequence[str]) -> Counter | None:
    for section in sections:
        for counter in found:
            if counter.section == section:
                return counter
    # A section of another name: taken where only one metric of the right kind has that label.
    alike = [c for c in found if not isinstance(c.value, str) and fits(kind, c.unit)]
    return alike[0] if len(alike) == 1 else None


class _Layout:
    """The names that launches of the same files share, and which sources can have a value among them.

    Launches of one layout are asked for the same metrics, so those that one was asked for are taken from the next
    at once.
    """

    def __init__(self, pages: Sequence[tuple[str, ...]]) -> None:
        self._pages = pages
        self.names = frozenset(name for page in pages for name in page)
        self._asked: dict[str, None] = {}
        self._absent: dict[str, tuple[Counter, ...]] = {}
        self._usual: tuple[str, ...] = ()
        self._shared: dict[Callable[..., object], object] = {}
        self._possible: dict[int, tuple[Sequence[Source], tuple[Source, ...]]] = {}

    def usual(self, pages: Sequence[Counters]) -> dict[str, tuple[Counter, ...]]:
        """What another launch was asked for, by name."""
        if len(self._usual) != len(self._asked):
            self._usual = tuple(self._asked)
        found = self._absent | pages[0].chosen(self._usual)
        for page in pages[1:]:
            for name, counters in page.chosen(self._usual).items():
                found[name] = found.get(name, ()) + counters
        return found

    def named(self, metric: str, pages: Sequence[Counters]) -> tuple[Counter, ...]:
        if metric not in self.names:
            return self._absent.setdefault(metric, ())
        self._asked[metric] = None
        return tuple(counter for page in pages for counter in page.named(metric))

    def shared(self, make: Callable[[Iterable[str]], T]) -> T:
        if make not in self._shared:
            self._shared[make] = make(dict.fromkeys(name for page in self._pages for name in page))
        return cast("T", self._shared[make])

    def possible(self, sources: Sequence[Source]) -> tuple[Source, ...]:
        """Asked for again and again with the same few lists: found again by identity, and kept alive for that."""
        kept = self._possible.get(id(sources))
        if kept is None:
            kept = sources, tuple(s for s in sources if self.names.issuperset(s.metrics))
            self._possible[id(sources)] = kept
        return kept[1]


def _layout(pages: Sequence[tuple[str, ...]]) -> _Layout:
    """Found again by identity: to hash thousands of names takes as long as to read forty values."""
    key = tuple(map(id, pages))
    kept = _layouts.get(key)
    if kept is None:
        if len(_layouts) >= _MOST_LAYOUTS:
            _layouts.clear()
        kept = _layouts[key] = pages, _Layout(pages)
    return kept[1]


_MOST_LAYOUTS = 64
# With the names themselves, so that no other object can have their identity.
_layouts: dict[tuple[int, ...], tuple[Sequence[tuple[str, ...]], _Layout]] = {}
