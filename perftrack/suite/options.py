"""Checks of what the decorators are given: what is wrong is collected, and a harmless value stands in for it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import cast

from perftrack.core.deferral import deferral
from perftrack.core.quantity import finite
from perftrack.core.text import flaw, name_flaw, quoted
from perftrack.errors import InvalidValueError
from perftrack.suite.params import fit
from perftrack.suite.place import code_of

MAX_TAGS = 1000

Amount = Callable[..., float] | float | None


@dataclass(frozen=True, slots=True)
class Checks:
    """Every method returns a value that is safe to keep; `problems` says what was refused, never raised."""

    problems: list[str] = field(default_factory=list)

    def refuse(self, message: str) -> None:
        self.problems.append(message)

    def name(self, given: object, target: object) -> str:
        """The given name, or the function's; a refused one reads as it would in Python."""
        found = getattr(target, "__name__", "") if given is None else given
        wrong = name_flaw(found)
        if isinstance(found, str) and wrong is None:
            return found
        if given is not None or code_of(target) is not None:
            self.refuse(f"name={quoted(found)}: a name {wrong}")
        own = getattr(target, "__name__", None)
        return own if isinstance(own, str) and name_flaw(own) is None else quoted(target)

    def target(self, target: object, *, generator: bool) -> bool:
        """Whether this is a function that can be called for a measurement. `generator`: it may be one."""
        if isinstance(target, type) or not callable(target) or code_of(target) is None:
            what = "the class " + target.__name__ if isinstance(target, type) else quoted(target)
            self.refuse(f"only a Python function can be declared, not {what}: call it in a function of your own")
            return False
        found = deferral(target)
        if found is None or (generator and inspect.isgeneratorfunction(target)):
            return True
        self.refuse(f"calling it only makes {found.what}: declare a plain function")
        return False

    def baseline(self, value: object, names: tuple[tuple[str, ...], ...]) -> Callable[..., object] | None:
        if value is None:
            return None
        if isinstance(value, type) or not callable(value) or code_of(value) is None:
            self.refuse(f"baseline={quoted(value)} must be a function like the benchmark's")
            return None
        self.problems.extend(f"baseline: {p}" for p in fit(value, names))
        return value

    def choice(self, option: str, value: object, allowed: tuple[str | None, ...]) -> None:
        if not (value is None or isinstance(value, str)) or value not in allowed:
            self.refuse(f"{option}={quoted(value)} is not one of {', '.join(repr(c) for c in allowed)}")

    def flag(self, option: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.refuse(f"{option}={quoted(value)} must be True or False")
        return value is True

    def positive(self, option: str, value: object) -> float | None:
        if value is None:
            return None
        try:
            number = finite(value)
        except InvalidValueError:
            number = 0.0
        if number > 0:
            return number
        self.refuse(f"{option}={quoted(value)} must be a finite number above 0")
        return None

    def whole(self, option: str, value: object) -> int | None:
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31:
            return int(value)
        self.refuse(f"{option}={quoted(value)} must be a whole number above 0")
        return None

    def amount(self, option: str, value: object, names: tuple[tuple[str, ...], ...]) -> Amount:
        if value is None:
            return None
        if callable(value):
            self.problems.extend(f"{option}: {p}" for p in fit(value, names))
            return cast("Callable[..., float]", value)
        try:
            number = finite(value)
        except InvalidValueError:
            number = -1.0
        if number >= 0:
            return number
        self.refuse(f"{option}={quoted(value)} must be a finite number, not below 0, or a function of params")
        return None

    def unit(self, value: object) -> str:
        wrong = flaw(value) if isinstance(value, str) else "is no string"
        if isinstance(value, str) and not wrong:
            return value
        self.refuse(f"unit={quoted(value)} {wrong}")
        return ""

    def tags(self, value: object) -> tuple[str, ...]:
        return self._names("tags", "a tag", value)

    def aliases(self, value: object, own: object) -> tuple[str, ...]:
        """Earlier names of the benchmark that is called `own`."""
        found = self._names("aliases", "a name", value)
        if own in found:
            self.refuse(f"aliases={quoted(own)} is the name that it has")
        return found

    def _names(self, option: str, what: str, value: object) -> tuple[str, ...]:
        items: list[object] = []
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            self.refuse(f"{option}={quoted(value)} must be a list of strings")
            return ()
        try:
            items += itertools.islice(value, MAX_TAGS)
        except Exception as error:  # noqa: BLE001 - an iterator of the user's
            self.refuse(f"{option} cannot be read: {type(error).__name__}: {quoted(str(error))}")
        found = []
        for item in items:
            wrong = name_flaw(item)
            if wrong:
                self.refuse(f"{option}: {what} {wrong}")
            else:
                found.append(str(item))
        return tuple(found)
