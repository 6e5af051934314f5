"""Opens the rig of a device: torch, the readings of its card, and what is known of it. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from perftrack.ceiling.formats import choose_precision, refusal
from perftrack.ceiling.protocols import Rig, RigFacts
from perftrack.ceiling.siblings import BoardWatch
from perftrack.ceiling.streams import Stream, Streams, Timing
from perftrack.ceiling.torchrig import TorchRig
from perftrack.ceiling.tunable import TunableOp, find_tunable
from perftrack.core.ceiling import DataType
from perftrack.core.company import CardUse
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Evidence, Reason, Timer
from perftrack.core.reasons import reason
from perftrack.errors import DeviceError
from perftrack.timing.devices import available, open_device
from perftrack.timing.devices.base import Device, Telemetry
from perftrack.timing.devices.cuda import import_torch
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.synchronised import SynchronisedDevice
from perftrack.timing.environment import capture
from perftrack.timing.loadgauge import LoadGauge
from perftrack.timing.telemetry import NoTelemetry, open_gauge, open_telemetry, watch

# Devices that have a library of readings: there, a ceiling without them would only look like a good one.
READABLE = ("cuda", "rocm", "hpu")
_TILES = {"cuda": (128, 256), "rocm": (128, 256)}  # what the vendors' kernels for these products mostly use
_CHECKED = ("cuda",)


class PassTimer(Protocol):
    """Times passes over arrays: ceiling's Streams, or its model of them."""

    def time(self, stream: Stream, elements: int, samples: int, calls: int) -> Timing: ...


@dataclass(frozen=True, slots=True)
class OpenRig:
    """A rig with what else is measured and read on its device. `close` gives all of it back.

    notes: what a reader of its ceilings must know of how it was opened.
    """

    rig: Rig
    streams: PassTimer
    fingerprint: EnvironmentFingerprint
    telemetry: Telemetry
    close: Callable[[], None]
    notes: tuple[Reason, ...] = ()

    def stream(self, stream: Stream, elements: int, samples: int, calls: int) -> tuple[Timing, Evidence]:
        """Timed passes over arrays, with what was read around them. Raises DeviceError where the device fails."""
        self.telemetry.begin()
        try:
            timing = self.streams.time(stream, elements, samples, calls)
        except RuntimeError as error:
            if isinstance(error, DeviceError):
                raise
            raise DeviceError(f"arrays of {elements} elements: {str(error).strip()[:300]}") from error
        finally:
            evidence = self.telemetry.end()
        return timing, evidence


def find_devices(kind: str) -> tuple[str, int]:
    """A device kind and how many there are: the first accelerator for "auto". Raises DeviceError for none."""
    if kind == "auto":
        found = [k for k in available() if k != "cpu"]
        if not found:
            raise DeviceError(
                "there is no accelerator here, and ceilings are those of accelerators",
                "perftrack doctor tells what torch and the driver see.",
            )
        kind = found[0]
    if kind == "cpu":
        raise DeviceError("ceilings are those of accelerators, not of CPUs", "Name another --device.")
    if kind in ("mps", "replay"):
        return kind, 1
    torch = import_torch(kind)
    if kind == "hpu":
        try:
            import habana_frameworks.torch as habana
        except ImportError as error:
            raise DeviceError(
                f"device hpu needs habana_frameworks: {error}", "Install Gaudi's PyTorch."
            ) from error
        return kind, int(habana.hpu.device_count())
    module = getattr(torch, "xpu", None) if kind == "xpu" else torch.cuda
    if module is None:
        return kind, 0
    if kind == "cuda" and torch.version.hip is not None:
        kind = "rocm"
    return kind, int(module.device_count()) if module.is_available() else 0


def open_torch(
    kind: str,
    index: int,
    dtype: DataType,
    *,
    telemetry: bool = True,
    policy: str = "",
    uses: Sequence[CardUse] = (),
) -> OpenRig:
    """The rig of a device, shown to multiply the data type. Raises DeviceError with the reason where not.

    telemetry: read clock and power, and refuse where that should be possible and is not. policy: of the
    fingerprint. uses: what cards were used for before the run.
    """
    torch = import_torch(kind)
    device = open_device(kind, index)
    kind = device.kind
    if why := refusal(torch, kind, index, dtype):
        raise DeviceError(f"{kind}:{index} does not multiply {dtype}: {why}", "Choose another --dtype.")
    choose_precision(torch, dtype)  # before the environment is captured: it is a field of it
    evidence: Telemetry = NoTelemetry("telemetry was switched off")
    if telemetry:
        evidence = open_telemetry(kind, index, coordinator=os.getppid(), uses=uses)
        watch(evidence, device)
    readings = open_readings(kind, index) if telemetry else None
    fingerprint = capture(kind, index, policy=policy or None, locked=evidence.locked())
    facts = _facts(torch, kind, index, dtype, fingerprint, readings)
    rig = _rig(torch, device, facts, readings)
    if why := rig.probe():
        raise DeviceError(f"{kind}:{index} does not multiply {dtype}: {why}", "Choose another --dtype.")
    streams = Streams(torch, _place(kind, index), _Windows(device))

    def close() -> None:
        streams.close()
        rig.close()
        evidence.close()
        if readings is not None:
            readings.close()
        device.close()

    notes = (reason("tunableop-off"),) if kind == "rocm" and rig.tuner is None else ()
    return OpenRig(rig, streams, fingerprint, evidence, close, notes)


def _rig(torch: Any, device: Device, facts: RigFacts, readings: LoadGauge | None) -> TorchRig:
    """The torch rig of an opened device; its board's other cards are watched where they can be read."""
    if not isinstance(device, EventDevice | SynchronisedDevice):
        raise DeviceError(f"{device.kind}:{device.index} is no device of torch")
    rig = TorchRig(
        torch,
        device.backend,
        facts,
        _place(device.kind, device.index),
        readings=readings,
        siblings=None if readings is None or not readings.separates else BoardWatch(readings),
        waited_events=device.timer is Timer.HOST,
    )
    tunable = find_tunable(torch, device.kind)
    if tunable is not None:
        rig.tuner = TunableOp(tunable, rig.run_once)
    return rig


def open_readings(kind: str, index: int) -> LoadGauge | None:
    """Clock and power of a device; None where its kind has no library for them.

    Raises DeviceError where it has one that does not work.
    """
    if kind not in READABLE:
        return None
    try:
        readings = LoadGauge(open_gauge(kind, index))
        missing = [n for n, v in (("clock", readings.clock_mhz()), ("power", readings.power_w())) if v is None]
        why = f"{readings.library} reads no {' and no '.join(missing)}" if missing else ""
        hint = ""
    except DeviceError as error:
        why, hint = error.message, error.hint or ""
    if why:
        raise DeviceError(
            f"a ceiling is validated by clock and power, which can't be read: {why}",
            f"{hint.rstrip('.') + '; or' if hint else 'Or'} measure unvalidated with --telemetry off".strip(),
        )
    return readings


def _facts(
    torch: Any,
    kind: str,
    index: int,
    dtype: DataType,
    fingerprint: EnvironmentFingerprint,
    readings: LoadGauge | None,
) -> RigFacts:
    facts = RigFacts(
        product=str(fingerprint.gpu_name or kind),
        dtype=dtype,
        tile_hint=_TILES.get(kind),
        geometry_checked=kind in _CHECKED,
        memory_bytes=_free_memory(torch, kind, index),
        power_limit_w=_number(fingerprint.power_limit_w),
    )
    if kind in ("cuda", "rocm"):
        properties = torch.cuda.get_device_properties(index)
        facts = replace(
            facts,
            unit_count=int(properties.multi_processor_count),
            l2_bytes=int(getattr(properties, "L2_cache_size", 0) or 0) or None,
        )
    if readings is None:
        return facts
    return replace(
        facts,
        max_clock_mhz=readings.rated_clock_mhz(),
        telemetry=readings.library,
        power_separates=readings.separates,
    )


def _free_memory(torch: Any, kind: str, index: int) -> int | None:
    module = torch.cuda if kind == "rocm" else getattr(torch, kind, None)
    ask = getattr(module, "mem_get_info", None)
    try:
        if ask is not None:
            return int(ask(index)[0])
        most = getattr(module, "recommended_max_memory", None)
        return None if most is None else int(most())
    except RuntimeError:  # a driver that does not tell: the allocator will
        return None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _place(kind: str, index: int) -> str:
    return {"hpu": "hpu", "mps": "mps", "xpu": f"xpu:{index}"}.get(kind, f"cuda:{index}")


class _Windows:
    """A device's windows as bandwidth wants them: back to back, launches hidden, cache as it comes."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def time_calls(self, work: Callable[[], object], samples: int, calls: int) -> tuple[float, ...]:
        return self._device.time_window(work, samples, calls, cold=False).samples
