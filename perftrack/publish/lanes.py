"""Lanes as pages show them: a stable position (its colour), a short name, and what sets two apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.changes.silence import device_name
from perftrack.core.fingerprint import EnvironmentFingerprint, Role, differences
from perftrack.core.history import Lane
from perftrack.core.model import Protocol

_LABEL_CHARS = 60
_NAMED_FIELDS = 3


@dataclass(frozen=True, slots=True)
class LaneView:
    """`slot` is the lane's position by first use; its colour follows from it and so never changes."""

    id: str
    slot: int
    label: str
    lane: Lane


@dataclass(frozen=True, slots=True)
class LaneDifference:
    """One line of what sets two lanes apart. `refuses`: because of it they may not be compared."""

    label: str
    baseline: str
    candidate: str
    refuses: bool

    def __str__(self) -> str:
        return f"{self.label}: {self.baseline} → {self.candidate}"


def view_lanes(lanes: Sequence[Lane]) -> tuple[LaneView, ...]:
    """Views in the order given, which is the order of their slots."""
    labels = _labels(lanes)
    return tuple(LaneView(lane.id, slot, labels[slot], lane) for slot, lane in enumerate(lanes))


def lane_differences(baseline: Lane, candidate: Lane) -> tuple[LaneDifference, ...]:
    """Fields of environment and protocol that differ, those that refuse a comparison first."""
    found = [
        LaneDifference(label, a, b, True)
        for label, a, b in zip(
            _PROTOCOL_LABELS, protocol_texts(baseline.protocol), protocol_texts(candidate.protocol), strict=True
        )
        if a != b
    ]
    for d in differences(baseline.fingerprint, candidate.fingerprint):
        found.append(LaneDifference(d.field.label, d.field.show(d.baseline), d.field.show(d.candidate), d.refuses))
    return tuple(sorted(found, key=lambda d: not d.refuses))


_PROTOCOL_LABELS = ("timer", "cache", "protocol version")


def protocol_texts(protocol: Protocol) -> tuple[str, str, str]:
    """Timer, cache state and version of a protocol, for people."""
    return (protocol.timer.value, protocol.cache.value, str(protocol.version))


def device_label(fingerprint: EnvironmentFingerprint) -> str:
    """What ran the work, without the vendor's decoration."""
    name = device_name(fingerprint)
    text = re.sub(r"\((?:R|TM|C)\)|\bCPU\b|\bProcessor\b|@ .*$|^NVIDIA\b", " ", name, flags=re.IGNORECASE)
    return " ".join(text.split())[:_LABEL_CHARS] or name[:_LABEL_CHARS]


def _labels(lanes: Sequence[Lane]) -> list[str]:
    """Device names; where lanes share one, with as many differing fields as it takes to tell them apart."""
    groups: dict[str, list[Lane]] = defaultdict(list)
    for lane in lanes:
        groups[device_label(lane.fingerprint)].append(lane)
    labels: list[str] = []
    for lane in lanes:
        device = device_label(lane.fingerprint)
        labels.append(" · ".join([device, *_distinctions(groups[device], lane)]))
    seen = Counter(labels)
    return [
        f"{label} · {lane.id[:6]}" if seen[label] > 1 else label for label, lane in zip(labels, lanes, strict=True)
    ]


def _distinctions(group: Sequence[Lane], lane: Lane) -> list[str]:
    """Values of a lane in the first fields that, together, no other lane of its group shares."""
    alike = [other for other in group if other.id != lane.id]
    candidates = [_fields(other) for other in alike]
    found: list[str] = []
    for position, (label, value) in enumerate(_fields(lane)):
        if not candidates or len(found) == _NAMED_FIELDS:
            break
        # A field that the whole group shares says nothing, even before it is told apart.
        if any(fields[position][1] != value for fields in candidates):
            found.append(f"{label} {value}"[:_LABEL_CHARS])
            candidates = [fields for fields in candidates if fields[position][1] == value]
    return found


def _fields(lane: Lane) -> list[tuple[str, str]]:
    """Protocol and fingerprint fields as (label, value), in one order for every lane."""
    shown = list(zip(_PROTOCOL_LABELS, protocol_texts(lane.protocol), strict=True))
    for info in EnvironmentFingerprint.fields():
        if info.role is Role.KEY:
            shown.append((info.label, info.show(lane.fingerprint.value(info.name))))
    return shown
