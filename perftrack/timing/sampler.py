"""Clock and throttle state of a CUDA device, for people who sample it themselves."""

from __future__ import annotations

from collections.abc import Callable

from perftrack.core.tiers import IDLE
from perftrack.errors import DeviceError
from perftrack.timing.gauge import Gauge
from perftrack.timing.telemetry import open_gauge


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
