"""A thread that reads clock and power while bursts run, with the time of each reading. Standard library only."""

from __future__ import annotations

import threading

from perftrack.ceiling.hardware import Clock, Readings
from perftrack.ceiling.timeline import ClockReading

# A boost burst lasts some 10 ms and its clock moves in 1 ms. A long burst needs no such detail, and its
# readings would only grow in number.
FINE_S, COARSE_S = 0.0005, 0.01
FINE_READINGS = 4000
# Some drivers take milliseconds to tell an instant's power: it is then read more rarely, and the clock as often.
POWER_PAUSE = 5.0  # times what the last reading took


class Sampler:
    """Reads between `start` and `stop`, every 0.5 ms at first and every 10 ms once it has been 2 s."""

    def __init__(self, readings: Readings, clock: Clock) -> None:
        self._readings = readings
        self._clock = clock
        self._taken: list[ClockReading] = []
        self._reasons: int | None = None
        self._power_due = 0.0
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._taken = []
        self._reasons = None
        self._power_due = 0.0
        self._done.clear()
        self._thread = threading.Thread(target=self._run, name="perftrack-clocks", daemon=True)
        self._thread.start()

    def stop(self) -> tuple[tuple[ClockReading, ...], int | None]:
        """The readings in order of time, and all event reasons seen; harmless if it was not started."""
        if self._thread is not None:
            self._done.set()
            self._thread.join()
            self._thread = None
        return tuple(self._taken), self._reasons

    def _run(self) -> None:
        while True:
            self._read()
            if self._done.wait(FINE_S if len(self._taken) < FINE_READINGS else COARSE_S):
                return

    def _read(self) -> None:
        clock, power, now = self._readings.clock_mhz(), None, self._clock.now()
        if now >= self._power_due:
            power = self._readings.power_w()
            took = self._clock.now() - now
            self._power_due = now + took * (1 + POWER_PAUSE)
        self._taken.append(ClockReading(now, clock, power))
        bits = self._readings.event_reasons()
        if bits is not None:
            self._reasons = (self._reasons or 0) | bits
