"""Readings of one card, whoever makes it. Each is None where it could not be read, never a number instead."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Protocol

from perftrack.core.company import CardUse
from perftrack.core.fingerprint import EnvironmentFingerprint


@dataclass(frozen=True, slots=True)
class Counters:
    """Seconds so far that the card's clock was held down, since the driver was loaded."""

    thermal_s: float | None = None
    power_cap_s: float | None = None

    @property
    def readable(self) -> bool:
        return self.thermal_s is not None


class Gauge(Protocol):
    """`card_id` identifies the card across processes; `proof` says how it was shown to be the right one."""

    card_id: str
    proof: str

    def clock_mhz(self) -> float | None: ...

    def event_reasons(self) -> int | None:
        """Why the clock is what it is, as NVML's clocks-event-reason bits; unknown bits are kept."""
        ...

    def power_w(self) -> float | None: ...

    def energy_j(self) -> float | None:
        """Consumed since the driver was loaded."""
        ...

    def temperature_c(self) -> float | None: ...

    def counters(self) -> Counters: ...

    def set_point_mhz(self) -> float | None:
        """The clock that an administrator set, where it differs from the card's default."""
        ...

    def processes(self) -> tuple[int, ...] | None:
        """Process ids with compute work on the card."""
        ...

    def bystanders(self) -> tuple[int, ...]:
        """Process ids that use the card some other way, such as a desktop or another slice of it."""
        ...

    def memory_used_bytes(self) -> int | None:
        """Device memory that processes hold, without what the driver keeps for itself."""
        ...

    def busy_pct(self) -> float | None:
        """Share of the last moments, a second at most, in which the card ran something."""
        ...

    def describe(self, fingerprint: EnvironmentFingerprint) -> EnvironmentFingerprint:
        """The fingerprint with what only the card's own library tells: limits, versions, identity."""
        ...

    def close(self) -> None: ...


def use_of(gauge: Gauge) -> CardUse:
    """What a card is used for now, while this run has nothing on it."""
    return CardUse(gauge.card_id, gauge.memory_used_bytes(), gauge.busy_pct())


@dataclass(frozen=True, slots=True)
class Identity:
    """What torch tells about the device it numbers `index`; None for what this version does not tell."""

    name: str
    uuid: str | None  # lower case, without a prefix
    pci: tuple[int, int, int] | None  # domain, bus, device
    memory_bytes: int


def torch_identity(index: int) -> Identity | None:
    """Identity of a torch.cuda device; None unless this process has imported torch and torch has devices."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available() or not 0 <= index < torch.cuda.device_count():
        return None
    properties = torch.cuda.get_device_properties(index)
    uuid = getattr(properties, "uuid", None)
    bus = getattr(properties, "pci_bus_id", None)
    pci = None
    if bus is not None:
        domain, device = getattr(properties, "pci_domain_id", 0), getattr(properties, "pci_device_id", 0)
        pci = int(domain), int(bus), int(device)
    return Identity(
        name=str(properties.name),
        uuid=None if uuid is None else str(uuid).lower().removeprefix("gpu-").removeprefix("mig-"),
        pci=pci,
        memory_bytes=int(properties.total_memory),
    )
