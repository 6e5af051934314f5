"""What a search on disk is about, and what it was begun with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.text import quoted


@dataclass(frozen=True, slots=True)
class Heading:
    """What a search is about and was begun with, as it outlives it.

    `build`: its command; `python`, `env`: as they were given; `configured`: what of the configuration changes what
    is measured, by key.
    """

    case_id: str
    metric: str
    unit: str
    lane: str
    code_hash: str
    good: str
    bad: str
    build: str
    python: str | None
    env: str | None
    first_parent: bool
    configured: Mapping[str, str]
    environment: Mapping[str, object]

    @property
    def fingerprint(self) -> EnvironmentFingerprint:
        return EnvironmentFingerprint.from_dict(dict(self.environment))

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_dict(cls, document: Mapping[str, object]) -> Heading:
        """Raises TypeError and ValueError for anything that no search wrote."""
        heading = cls(**document)  # type: ignore[arg-type]
        maybe = (str, NoneType)
        allowed = {"python": maybe, "env": maybe, "first_parent": (bool,), "configured": (dict,)}
        allowed["environment"] = (dict,)
        for name in cls.__slots__:
            if not isinstance(getattr(heading, name), allowed.get(name, (str,))):
                raise TypeError(f"heading.{name} is {quoted(getattr(heading, name))}")
        EnvironmentFingerprint.from_dict(dict(heading.environment))
        return heading
