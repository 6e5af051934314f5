"""Readings of a card while it is driven to its limits: instantaneous power, rated clock, idle neighbours.

Standard library only. A measuring session asks a gauge for a mean power now and then; finding a ceiling asks
thousands of times a second which iteration ran at what clock and power, and what the other cards do.
"""

from __future__ import annotations

from typing import Any

from perftrack.timing.amd import AmdGauge
from perftrack.timing.card import Card
from perftrack.timing.gauge import Gauge
from perftrack.timing.habana import HabanaGauge
from perftrack.timing.nvml import NvmlGauge, read_errors

# NVML's plain power reading is a running mean over a second on most parts since Ampere, in which a burst of
# milliseconds vanishes. The field's number is the same in every release that has it.
_POWER_INSTANT = 186
_CLOCK_SM = 1
_IDLE_BELOW_PCT = 10.0
_LINKS = 18


class LoadGauge:
    """A gauge's fast readings. `library`: what reads them.

    `separates`: its power was shown, on hardware, to tell a boost burst from a saturated run; elsewhere power is
    only reported.
    """

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._nvidia = gauge if isinstance(gauge, NvmlGauge) else None
        self.library = {NvmlGauge: "nvml", AmdGauge: "amdsmi", HabanaGauge: "hlml"}.get(type(gauge), "")
        self.separates = self._nvidia is not None
        self._instant = self._instant_power_w() is not None

    def clock_mhz(self) -> float | None:
        return self._gauge.clock_mhz()

    def power_w(self) -> float | None:
        """Instantaneous where the driver tells it; the running mean elsewhere."""
        return self._instant_power_w() if self._instant else self._gauge.power_w()

    def temperature_c(self) -> float | None:
        return self._gauge.temperature_c()

    def event_reasons(self) -> int | None:
        return self._gauge.event_reasons()

    def rated_clock_mhz(self) -> float | None:
        """The highest clock that the product is rated for."""
        if isinstance(self._gauge, AmdGauge):
            return self._gauge.rated_clock_mhz()
        if self._nvidia is None:
            return None
        value = _read(self._nvidia.card, "nvmlDeviceGetMaxClockInfo", self._nvidia.card.board, _CLOCK_SM)
        return float(value) if value else None

    def idle_siblings(self) -> tuple[tuple[int, float], ...]:
        """Other cards of this model that are idle, where cards are coupled: position in NVML, and percent in use.

        Cards without an active NVLink stand alone, with a power supply and cooling of their own.
        """
        if self._nvidia is None or self._nvidia.card.is_slice:
            return ()
        card = self._nvidia.card
        if not _linked(card):
            return ()
        name = _read(card, "nvmlDeviceGetName", card.board)
        found = []
        for index in range(_read(card, "nvmlDeviceGetCount") or 0):
            other = _read(card, "nvmlDeviceGetHandleByIndex", index)
            if other is None or _read(card, "nvmlDeviceGetUUID", other) == card.uuid:
                continue
            rates = _read(card, "nvmlDeviceGetUtilizationRates", other)
            if rates is None or _read(card, "nvmlDeviceGetName", other) != name:
                continue
            if rates.gpu < _IDLE_BELOW_PCT:
                found.append((index, float(rates.gpu)))
        return tuple(found)

    def close(self) -> None:
        self._gauge.close()

    def _instant_power_w(self) -> float | None:
        if self._nvidia is None or self._nvidia.card.is_slice:
            return None
        values = _read(self._nvidia.card, "nvmlDeviceGetFieldValues", self._nvidia.card.board, [_POWER_INSTANT])
        if values is None or values[0].nvmlReturn != 0:
            return None
        return 1e-3 * float(values[0].value.uiVal) or None


def _linked(card: Card) -> bool:
    links = range(getattr(card.api, "NVML_NVLINK_MAX_LINKS", _LINKS))
    return any(_read(card, "nvmlDeviceGetNvLinkState", card.board, link) == 1 for link in links)


def _read(card: Card, name: str, *arguments: object) -> Any:
    """One call; None where the library or the driver lacks it, or it failed."""
    call = getattr(card.api, name, None)
    if call is None:
        return None
    try:
        return call(*arguments)
    except read_errors(card.api):
        return None
