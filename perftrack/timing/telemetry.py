"""Evidence about a device around each window: clocks, why they are what they are, power, energy, heat.

Cumulative counters bracket a window and tell what an instant would miss. Clocks are read while the host
waits for the window to end (`watch`), never while it launches. Only where a card has no such
counters does a thread sample it meanwhile, and its cost is reported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from perftrack.core.company import CardUse, Occupancy, worst
from perftrack.core.model import Evidence
from perftrack.core.tiers import IDLE, POWER_CAP, Exclusivity
from perftrack.errors import DeviceError
from perftrack.timing.clocklock import shown_locked
from perftrack.timing.devices.base import Device, Telemetry
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.replay import ReplayTelemetry, open_playback
from perftrack.timing.gauge import Counters, Gauge
from perftrack.timing.occupancy import judge, lists_whole_host, own_processes, process_exists
from perftrack.timing.poller import Poller

# Of a card without counters. Rare enough that a launching host loses well under 1 %.
DEFAULT_POLL_S = 0.01


def open_telemetry(
    kind: str,
    index: int = 0,
    *,
    poll_s: float | None = None,
    coordinator: int | None = None,
    uses: Sequence[CardUse] = (),
) -> Telemetry:
    """Telemetry of a device as `open_device` names it. Never fails: `why_none` says why there is no evidence.

    poll_s: sample clock and reasons in a thread this often, also during windows; None does so only where
    the card has no counters, 0 never. coordinator: process whose other descendants belong to this run too.
    uses: what cards were used for before the run.
    """
    if kind == "replay":
        return ReplayTelemetry(open_playback())
    try:
        return GaugeTelemetry(open_gauge(kind, index), poll_s=poll_s, coordinator=coordinator, uses=uses)
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

    polled_share: float | None = None

    def __init__(self, why_none: str) -> None:
        self.why_none = why_none

    def begin(self) -> None:
        """Nothing to read."""

    def end(self) -> Evidence:
        return Evidence()

    def locked(self) -> bool:
        return False

    def occupancy(self) -> Occupancy:
        return Occupancy(Exclusivity.UNKNOWN, self.why_none)

    def close(self) -> None:
        """Nothing is held."""


class GaugeTelemetry:
    """Evidence from a card's readings.

    `polled_share`: share of the last window's time that the sampling thread spent reading; None if none ran.
    """

    why_none = ""

    def __init__(
        self,
        gauge: Gauge,
        *,
        poll_s: float | None = None,
        coordinator: int | None = None,
        uses: Sequence[CardUse] = (),
    ) -> None:
        self.gauge = gauge
        self.polled_share: float | None = None
        self._coordinator = coordinator
        self._use = next((u for u in uses if u.card == gauge.card_id), None)
        self._first: Occupancy | None = None
        counted = gauge.counters().readable
        every = (0.0 if counted else DEFAULT_POLL_S) if poll_s is None else poll_s
        self._poller = Poller(self.note, every) if every > 0 else None
        self._clocks: list[float] = []
        self._reasons: int | None = None
        self._before = Counters()
        self._energy: float | None = None

    def begin(self) -> None:
        if self._first is None:
            self._first = self._look()
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

    def occupancy(self) -> Occupancy:
        """Whether other work shares the card: the worse of before the first window and now."""
        now = self._look()
        return now if self._first is None else worst((self._first, now))

    def _look(self) -> Occupancy:
        return judge(
            self.gauge.processes(),
            self.gauge.bystanders(),
            own_processes(self._coordinator),
            holds_context=holds_context(),
            exists=process_exists,
            before=self._use,
            whole=lists_whole_host(),
        )

    def close(self) -> None:
        if self._poller is not None:
            self._poller.stop()
        self.gauge.close()


def _growth(before: float | None, after: float | None) -> float | None:
    """Increase of a counter; None where either end is missing, or the driver was reloaded in between."""
    if before is None or after is None or after < before:
        return None
    return after - before


def holds_context() -> bool:
    """Whether torch has put this process on a CUDA or ROCm device."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())
