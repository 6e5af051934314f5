"""What the sampling loop needs of a device, and of its telemetry. Standard library only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from perftrack.core.company import Occupancy
from perftrack.core.model import Evidence, Reason, Timer

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timed:
    """One window as a device timed it. `samples`: (n,) seconds per call, each over `inner_reps` calls.

    `host_s`: host seconds per call spent launching, None where host and device are the same.
    """

    samples: tuple[float, ...]
    host_s: float | None = None


class Device(Protocol):
    """A thing that runs work and can time it.

    `kind` as in the fingerprint (cpu, cuda, rocm, xpu, hpu, mps, replay); `resolution_s` is the
    smallest step of its timer. Constructors find the device; they raise DeviceError where there is none.
    """

    kind: str
    index: int
    timer: Timer
    resolution_s: float

    def synchronize(self) -> None:
        """Wait until all work queued so far is done; raises DeviceError if any of it failed."""
        ...

    def time_window(self, work: Work, samples: int, inner_reps: int, *, cold: bool) -> Timed:
        """Time `samples` samples of `inner_reps` back-to-back calls.

        With `cold`, the last-level cache is flushed before each sample, outside the timed region.
        Nothing is allocated and no telemetry is read inside the timed region.
        """
        ...

    def burst(self, work: Work, calls: int) -> float:
        """Seconds per call of one amortised burst, for calibration and warm-up."""
        ...

    def check_stream(self, work: Work) -> Reason | None:
        """What was seen of the work outside of the timed region; None where nothing was."""
        ...

    def close(self) -> None:
        """Free what the device holds (flush buffers, handles)."""
        ...


@runtime_checkable
class Selecting(Protocol):
    """A device that plays back recorded samples and must be told which ones are next."""

    def select(self, case_id: str, metric: str, process_index: int) -> None: ...


class Telemetry(Protocol):
    """Evidence about a device, read outside timed regions. Reads that fail give no evidence, never a number.

    `why_none` is empty when evidence can be had, else says why there is none. `polled_share`: share of the last
    window that a thread spent reading beside the work; None where none did.
    """

    why_none: str
    polled_share: float | None

    def begin(self) -> None:
        """Mark the start of a window (reads cumulative counters and clocks)."""
        ...

    def end(self) -> Evidence:
        """Evidence of the window since `begin`."""
        ...

    def locked(self) -> bool:
        """True: the clocks are locked and were read back as such. False: not shown."""
        ...

    def occupancy(self) -> Occupancy:
        """Whether other work shares the device, as far as was seen, with the sentence that explains it."""
        ...

    def close(self) -> None: ...
