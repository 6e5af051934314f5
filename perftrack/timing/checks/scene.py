"""What the checks look at: the device as it would be measured on, its readings, and the host."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perftrack.core.company import CardUse
from perftrack.errors import DeviceError, PerftrackError
from perftrack.timing import host
from perftrack.timing.card import Card
from perftrack.timing.clocklock import state_directory
from perftrack.timing.devices import available, open_device, resolve_kind
from perftrack.timing.devices.base import Device
from perftrack.timing.gauge import Gauge
from perftrack.timing.nvml import NvmlGauge, read_errors
from perftrack.timing.telemetry import open_gauge

ACCELERATORS = ("cuda", "rocm", "xpu", "hpu", "mps")


@dataclass(frozen=True, slots=True)
class Scene:
    """`refusal`: why there is no device; `no_gauge`: why there are no readings of it.

    torch_problem: what kept torch from being asked for devices. root: where / is, so that tests can bring
    their own /proc and /sys. state: where locks are on record. uses: what cards were used for before.
    """

    kind: str
    device: Device | None = None
    refusal: PerftrackError | None = None
    gauge: Gauge | None = None
    no_gauge: PerftrackError | None = None
    torch_problem: str = ""
    root: Path = host.ROOT
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    state: Path = field(default_factory=state_directory)
    coordinator: int | None = None
    uses: tuple[CardUse, ...] = ()

    @property
    def card(self) -> Card | None:
        """The card in NVML's terms; None where NVML does not read it."""
        return self.gauge.card if isinstance(self.gauge, NvmlGauge) else None

    @property
    def on_accelerator(self) -> bool:
        return self.kind in ACCELERATORS

    def exists(self, *names: str) -> bool:
        return any((self.root / name).exists() for name in names)

    def text(self, name: str) -> str | None:
        """Contents of a file under the root; None where it can't be read."""
        try:
            return (self.root / name).read_text(errors="replace").strip()
        except OSError:
            return None


@dataclass(frozen=True, slots=True)
class Answer:
    """Of a library's call: its value, or why there is none. `absent`: the card has no such thing."""

    value: Any = None
    why: str = ""
    absent: bool = False


def ask(card: Card, name: str, *arguments: object) -> Answer:
    """One call of NVML about the card's board."""
    call = getattr(card.api, name, None)
    if call is None:
        return Answer(why=f"this version of nvidia-ml-py has no {name}")
    try:
        return Answer(call(card.board, *arguments))
    except card.api.NVMLError_NotSupported as error:
        return Answer(why=str(error), absent=True)
    except read_errors(card.api) as error:
        return Answer(why=str(error))


@contextmanager
def opened(asked: str, coordinator: int | None = None, uses: Sequence[CardUse] = ()) -> Iterator[Scene]:
    """The scene for a device kind, or for the one that "auto" would mean; its device is released at the end."""
    kind, problem = _kind(asked)
    device: Device | None = None
    gauge: Gauge | None = None
    refusal: PerftrackError | None = None
    no_gauge: PerftrackError | None = None
    try:
        device = open_device(kind)
        kind = device.kind
    except PerftrackError as error:
        refusal = error
    except Exception as error:  # noqa: BLE001 - a broken torch fails in ways of its own
        refusal = DeviceError(f"{kind} failed while it was opened: {type(error).__name__}: {error}"[:400])
    if kind in ACCELERATORS:
        try:
            gauge = open_gauge(kind, 0)
        except DeviceError as error:
            no_gauge = error
    try:
        yield Scene(kind, device, refusal, gauge, no_gauge, problem, coordinator=coordinator, uses=tuple(uses))
    finally:
        if gauge is not None:
            gauge.close()
        if device is not None:
            device.close()


def _kind(asked: str) -> tuple[str, str]:
    """The kind to look at, and what kept accelerators from being looked for."""
    if asked != "auto":
        return resolve_kind(asked), ""
    try:
        kinds = available()
    except Exception as error:  # noqa: BLE001 - importing torch runs whatever is installed
        return "cpu", f"importing torch failed: {type(error).__name__}: {error}"[:400]
    return next((k for k in kinds if k in ACCELERATORS), "cpu"), ""
