"""Evidence about a device around each window: clocks, why they are what they are, power, energy, heat.

Cumulative counters bracket a window and tell what an instant would miss. Clocks are read while the host
waits for the window to end (`watch`), never while it launches. Only where a card has no such
counters does a thread sample it meanwhile, and its cost is reported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from perftrack.core.model import Evidence
from perftrack.core.tiers import IDLE, POWER_CAP, Exclusivity
from perftrack.errors import DeviceError
from perftrack.timing.clocklock import shown_locked
from perftrack.timing.devices.base import Device, Telemetry
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.replay import ReplayTelemetry, open_playback
from perftrack.timing.gauge import Counters, Gauge
from perftrack.timing.occupancy import Occupancy, judge, own_processes, process_exists
from perftrack.timing.poller import Poller

# Of a card without counters. Rare enough that a launching host loses well under 1 %.
DEFAULT_POLL_S = 0.01


def open_telemetry(
    kind: str, index: int = 0, *, poll_s: float | None = None, coordinator: int | None = None
) -> Telemetry:
    """Telemetry of a device as `open_device` names it. Never fails: `why_none` says why there is no evidence.

    poll_s: sample clock and reasons in a thread this often, also during windows; None does so only where
    the card has no counters, 0 never. coordinator: process whose other descendants belong to this run too.
    """
    if kind == "replay":
        return ReplayTelemetry(open_playback())
    try:
        return GaugeTelemetry(open_gauge(kind, index), poll_s=poll_s, coordinator=coordinator)
    except DeviceError as error:
        return NoTelemetry(str(error))


def open_gauge(kind: str, index: int) -> Gauge:
    """Readings of a device. Raises DeviceError saying why there are none."""
    if kind == "cuda":
        from perftrack.timing.nvml import open_nvml

        return open_nvml(index)
    if kind == "rocm":
        from perftrack.timing.amd import open_amd

        return open_amd(index)
    if kind == "hpu":
        from perftrack.timing.habana import open_habana

        return open_habana(index)
    raise DeviceError(f"there is no telemetry for {kind} devices")


def watch(telemetry: Telemetry, device: Device) -> None:
    """Let a device's idle waiting be used to read clocks while its work runs, which costs the work nothing.

    Does nothing for devices that do not wait, and telemetry that has nothing to read.
    """
    if isinstance(telemetry, GaugeTelemetry) and isinstance(device, EventDevice):
        device.on_wait = telemetry.note


class NoTelemetry:
    """No evidence, and why."""

    def __init__(self, why_none: str) -> None:
        self.why_none = why_none

    def begin(self) -> None:
        """Nothing to read."""

    def end(self) -> Evidence:
        return Evidence()

    def locked(self) -> bool:
        return False

    def exclusivity(self) -> Exclusivity:
        return Exclusivity.UNKNOWN

    def close(self) -> None:
        """Nothing is held."""


class GaugeTelemetry:
    """Evidence from a card's readings.

    `polled_share`: share of the last window's time that the sampling thread spent reading; None if none ran.
    """

    why_none = ""

    def __init__(self, gauge: Gauge, *, poll_s: float | None = None, coordinator: int | None = None) -> None:
        self.gauge = gauge
        self.polled_share: float | None = None
        self._coordinator = coordinator
        counted = gauge.counters().readable
        every = (0.0 if counted else DEFAULT_POLL_S) if poll_s is None else poll_s
        self._poller = Poller(self.note, every) if every > 0 else None
        self._clocks: list[float] = []
        self._reasons: int | None = None
        self._before = Counters()
        self._energy: float | None = None

    def begin(self) -> None:
        self._clocks.clear()
        self._energy = self.gauge.energy_j()
        self._before = self.gauge.counters()
        self._reasons = self.gauge.event_reasons()
        if self._poller is not None:
            self._poller.start()

    def note(self) -> None:
        """Read the clock and its reasons while the work runs, or right after it.

        Not before: a card without load runs at another clock than a saturated one, and an idle one at
        another again, so that a reading from before the window would only look like an unstable clock.
        """
        reasons = self.gauge.event_reasons()
        clock = self.gauge.clock_mhz()
        if reasons is not None:
            self._reasons = (self._reasons or 0) | reasons
        if clock is not None and not (reasons is not None and reasons & IDLE):
            self._clocks.append(clock)

    def end(self) -> Evidence:
        if self._poller is not None:
            self.polled_share = self._poller.stop()
        self.note()
        power, heat = self.gauge.power_w(), self.gauge.temperature_c()
        after, energy = self.gauge.counters(), self.gauge.energy_j()
        throttled = _growth(self._before.thermal_s, after.thermal_s)
        capped = _growth(self._before.power_cap_s, after.power_cap_s)
        reasons = self._reasons
        if capped:
            # The cap comes and goes within milliseconds; its counter shows it where two instants did not.
            reasons = (reasons or 0) | POWER_CAP
        return Evidence(
            clock_mhz=tuple(self._clocks),
            event_reasons=reasons,
            throttle_s=throttled,
            power_w=power,
            # The counter advances every 20 to 100 ms: in a shorter window no growth is no reading, not 0 J.
            energy_j=_growth(self._energy, energy) or None,
            temperature_c=heat,
        )

    def locked(self) -> bool:
        return shown_locked(self.gauge)

    def exclusivity(self) -> Exclusivity:
        return self.occupancy().exclusivity

    def occupancy(self) -> Occupancy:
        """Whether other work shares the card, with the sentence that explains it."""
        return judge(
            self.gauge.processes(),
            self.gauge.bystanders(),
            own_processes(self._coordinator),
            holds_context=_holds_context(),
            exists=process_exists,
        )

    def close(self) -> None:
        if self._poller is not None:
            self._poller.stop()
        self.gauge.close()


class ClockSampler:
    """Samples the SM clock and throttle state of a CUDA device cheaply, or not at all.

    The card is the one that this process numbers `device`, whatever CUDA_VISIBLE_DEVICES and NVML's own
    order say. Where it can't be established or read, `available` is False, `why_none` says why, and
    every method returns None: no evidence rather than another card's.
    """

    def __init__(self, device: int = 0, *, open_gauge: Callable[[str, int], Gauge] = open_gauge) -> None:
        self.device = device
        self.why_none = ""
        self._gauge: Gauge | None = None
        try:
            self._gauge = open_gauge("cuda", device)
        except DeviceError as error:
            self.why_none = str(error)

    @property
    def available(self) -> bool:
        return self._gauge is not None

    def sample_clock_mhz(self) -> float | None:
        return None if self._gauge is None else self._gauge.clock_mhz()

    def event_reasons(self) -> int | None:
        """The raw bits of NVML's clocks event reasons."""
        return None if self._gauge is None else self._gauge.event_reasons()

    def throttled_now(self) -> bool | None:
        """True if any reason other than idleness holds the clock down.

        That includes the power cap, which is the normal state of saturated kernels; `judge_tier` tells it
        from the faults.
        """
        reasons = self.event_reasons()
        return None if reasons is None else bool(reasons & ~IDLE)

    def shutdown(self) -> None:
        """Release NVML; what is asked afterwards is None. Harmless to repeat."""
        gauge, self._gauge = self._gauge, None
        if gauge is not None:
            gauge.close()


def _growth(before: float | None, after: float | None) -> float | None:
    """Increase of a counter; None where either end is missing, or the driver was reloaded in between."""
    if before is None or after is None or after < before:
        return None
    return after - before


def _holds_context() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())
