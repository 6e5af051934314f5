"""Recorded data as a device: a deterministic stand-in, so that whole commands can be tested exactly.

`recording` documents the file. Its fingerprint has the device kind `replay`, so nothing replayed is ever
compared with something measured.
"""

from __future__ import annotations

import math
import os
import random
from functools import cache
from pathlib import Path

from perftrack.core.company import Occupancy
from perftrack.core.model import Evidence, Reason, Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.base import Timed, Work
from perftrack.timing.devices.recording import Recording, Script, pick, read_recording

PATH_VARIABLE = "PERFTRACK_REPLAY"


class Playback:
    """Where a recording is being played: shared by the device and its telemetry."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.window = -1
        self.process = 0
        self.script = Script(levels=(1.0,))
        self._key = ("", "")
        self._taken = 0

    def select(self, case_id: str, metric: str, process: int) -> None:
        """Start at the beginning of a case's metric. Raises DeviceError if the file has no such script."""
        self._key = case_id, metric
        try:
            self.script = self.recording.scripts[self._key]
        except KeyError:
            raise DeviceError(
                f"{self.recording.path} has no samples for {metric!r} of {case_id!r}",
                f"add it under cases, or point {PATH_VARIABLE} to another file",
            ) from None
        self.process, self.window, self._taken = process, -1, 0

    def take(self, count: int) -> tuple[float, ...]:
        """The next window of `count` samples."""
        script, process = self.script, self.process
        self.window += 1
        if script.fail and script.fail_process in (None, process):
            raise DeviceError(script.fail)
        first, self._taken = self._taken, self._taken + count
        if script.samples:
            mine = pick(script.samples, process)
            return tuple(mine[(first + i) % len(mine)] for i in range(count))
        level = pick(script.levels, process) * (1 + script.drift * self.window)
        draw = random.Random(f"{self.recording.seed}/{self._key}/{process}/{self.window}")
        return tuple(level * math.exp(script.noise * draw.gauss(0, 1)) for _ in range(count))

    def evidence(self) -> Evidence:
        return pick(self.script.evidence, max(self.window, 0)) if self.script.evidence else Evidence()


class ReplayDevice:
    """Plays back samples; calls the work once per window and burst, so that its failures and output are real."""

    kind = "replay"
    index = 0
    timer = Timer.REPLAY

    def __init__(self, playback: Playback) -> None:
        self.resolution_s = playback.recording.resolution_s
        self._playback = playback

    def select(self, case_id: str, metric: str, process_index: int) -> None:
        """Choose what to play next, also for the telemetry of this process."""
        self._playback.select(case_id, metric, process_index)

    def synchronize(self) -> None:
        """Nothing is queued."""

    def time_window(self, work: Work, samples: int, inner_reps: int, *, cold: bool) -> Timed:
        del inner_reps, cold
        work()
        return Timed(self._playback.take(samples), self._playback.script.host_s)

    def burst(self, work: Work, calls: int) -> float:
        """The middle of the process's samples; none of them is used up."""
        del calls
        work()
        return self._playback.script.middle(self._playback.process)

    def check_stream(self, work: Work) -> Reason | None:
        del work
        return None

    def close(self) -> None:
        """Nothing is held."""


class ReplayTelemetry:
    """The evidence that a recording holds for the window just played."""

    why_none = ""
    polled_share: float | None = None

    def __init__(self, playback: Playback) -> None:
        self._playback = playback

    def select(self, case_id: str, metric: str, process_index: int) -> None:
        """Choose what to play next; not needed where the device of the same process was told."""
        self._playback.select(case_id, metric, process_index)

    def begin(self) -> None:
        """The device moves the playback on."""

    def end(self) -> Evidence:
        return self._playback.evidence()

    def locked(self) -> bool:
        return self._playback.script.locked

    def occupancy(self) -> Occupancy:
        return Occupancy(self._playback.script.exclusivity, "as recorded")

    def close(self) -> None:
        """Nothing is held."""


def open_playback(path: str | None = None) -> Playback:
    """The playback of this process for a file (PERFTRACK_REPLAY by default); one per path.

    Raises DeviceError where the variable is not set or the file is no recording.
    """
    path = path or os.environ.get(PATH_VARIABLE)
    if not path:
        raise DeviceError(f"device replay needs a recording: {PATH_VARIABLE} is not set")
    return _playback(Path(path).absolute())


@cache
def _playback(path: Path) -> Playback:
    return Playback(read_recording(path))
