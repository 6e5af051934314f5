"""What to do about a GPU's clocks while measuring: leave them alone, or lock them and put them back.

Nothing in perftrack locks clocks unless a LockedClockPolicy is passed or asked for by name.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from perftrack.errors import ClockLockError, DeviceError
from perftrack.timing.card import Card, find_card
from perftrack.timing.clocklock import (
    LOCK_READBACK_TOLERANCE_MHZ,
    POWER_READBACK_TOLERANCE_W,
    LockRecord,
    new_record,
    remove_record,
    state_directory,
    write_record,
)
from perftrack.timing.clockrestore import (
    RESTORE_HINT,
    nvml_for_clocks,
    pending_restore,
    restore_pending,
    settle,
    undo,
)
from perftrack.timing.clockwrites import ClockWrites, Smi, run_smi
from perftrack.timing.gauge import torch_identity
from perftrack.timing.interrupts import InterruptGuard, interrupts_held

__all__ = [
    "LOCK_READBACK_TOLERANCE_MHZ",
    "POWER_READBACK_TOLERANCE_W",
    "ClockLockError",
    "ClockPolicy",
    "LockedClockPolicy",
    "UnlockedClockPolicy",
    "pending_restore",
    "restore_pending",
]

# An idle card takes a moment to follow.
_READBACK_TRIES = 40
_READBACK_PAUSE_S = 0.05


class ClockPolicy(Protocol):
    """`locked`: the operating point is established and was read back."""

    locked: bool

    def apply(self) -> None: ...

    def restore(self) -> None: ...


class UnlockedClockPolicy:
    """Measure without locking. Honest, and all that most machines allow."""

    locked = False

    def apply(self) -> None:
        """Nothing is changed."""

    def restore(self) -> None:
        """Nothing was changed."""


class LockedClockPolicy:
    """Lock the SM clock, and optionally the power cap, verified by reading back; undo it come what may.

    target_sm_mhz: the clock; the card rounds it to a step. power_cap_w: limit in watts. device: as this
    process numbers CUDA devices. After `restore`, an exception in a `with` block, SIGINT, SIGTERM, SIGHUP or
    the interpreter's end, the SM clock floats again and the power limit is what it was before. After a
    crash `restore_pending` does it. A range to which somebody had locked the clock before can't be read,
    so it can't be put back. `nvml`, `smi` and `state` stand in for the machine's in tests.
    """

    def __init__(
        self,
        target_sm_mhz: int,
        power_cap_w: int | None = None,
        *,
        device: int = 0,
        nvml: Any = None,
        smi: Smi = run_smi,
        state: Path | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.target_sm_mhz = target_sm_mhz
        self.power_cap_w = power_cap_w
        self.device = device
        self.locked = False
        self._nvml = nvml
        self._smi = smi
        self._state = state
        self._sleep = sleep
        self._made: tuple[ClockWrites, LockRecord] | None = None
        self._guard = InterruptGuard(self._restore_quietly)

    def apply(self) -> None:
        """Establish the operating point. Raises ClockLockError, with everything put back, where it can't be."""
        if self._made is not None:
            return
        api = self._nvml or nvml_for_clocks()
        card = self._find(api)
        writes = ClockWrites(api, card.handle, card.uuid, self._smi)
        directory = self._state or state_directory()
        settle(card, writes, directory)
        before = self._power_before(writes)
        self._guard.install()
        try:
            with interrupts_held():
                record = new_record(card.uuid, self.target_sm_mhz, before)
                write_record(record, directory)
                self._made = writes, record
                atexit.register(self._restore_quietly)
                self._establish(writes)
                self.locked = True
        except BaseException as error:
            try:
                self.restore()
            except ClockLockError as failed:
                error.add_note(f"and it could not be undone: {failed.message}; {RESTORE_HINT}")
            raise

    def restore(self) -> None:
        """Undo the lock. Harmless to repeat. Raises ClockLockError if that failed; the record then stays."""
        self.locked = False
        if self._made is None:
            self._guard.remove()
            return
        with interrupts_held():
            writes, record = self._made
            undo(writes, record)
            remove_record(record.card, self._state or state_directory())
            self._made = None
            atexit.unregister(self._restore_quietly)
        self._guard.remove()
        if self._nvml is None:
            writes.api.nvmlShutdown()

    def __enter__(self) -> LockedClockPolicy:
        self.apply()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.restore()

    def _find(self, api: Any) -> Card:
        try:
            card = find_card(self.device, api, torch_identity(self.device))
        except DeviceError as error:
            raise ClockLockError(
                f"which card to lock can't be established: {error.message}", error.hint
            ) from error
        if card.is_slice:
            raise ClockLockError("the clock of a MIG slice can't be locked: other slices share it")
        return card

    def _power_before(self, writes: ClockWrites) -> int | None:
        """The limit to put back, in mW. Raises ClockLockError where it is unknown or the cap is out of range."""
        if self.power_cap_w is None:
            return None
        before, allowed = writes.power_limit_mw(), writes.power_range_mw()
        if before is None:
            raise ClockLockError("the power limit can't be read, so it could not be put back: it is not capped")
        if allowed is not None and not allowed[0] <= self.power_cap_w * 1000 <= allowed[1]:
            low, high = allowed[0] / 1000, allowed[1] / 1000
            raise ClockLockError(
                f"a power cap of {self.power_cap_w} W is outside the card's {low:g} to {high:g} W"
            )
        return before

    def _establish(self, writes: ClockWrites) -> None:
        writes.lock_sm_clock(self.target_sm_mhz)
        read = self._read_back(writes.sm_clock_mhz, self.target_sm_mhz, LOCK_READBACK_TOLERANCE_MHZ)
        if read is not None:
            raise ClockLockError(
                f"asked for {self.target_sm_mhz} MHz, the card reads {read}",
                "nvidia-smi -q -d SUPPORTED_CLOCKS lists what it can run at",
            )
        if self.power_cap_w is None:
            return
        writes.set_power_limit(self.power_cap_w * 1000)
        tolerance = POWER_READBACK_TOLERANCE_W * 1000
        read = self._read_back(writes.power_limit_mw, self.power_cap_w * 1000, tolerance)
        if read is not None:
            raise ClockLockError(f"asked for a cap of {self.power_cap_w * 1000} mW, the card reads {read}")

    def _read_back(self, read: Callable[[], float | None], wanted: float, tolerance: float) -> str | None:
        """None once the card reads as wanted; what it reads instead if it never does."""
        value = read()
        for _ in range(_READBACK_TRIES):
            if value is not None and abs(value - wanted) <= tolerance:
                return None
            self._sleep(_READBACK_PAUSE_S)
            value = read()
        return "nothing" if value is None else f"{value:g}"

    def _restore_quietly(self) -> None:
        """For signals and the interpreter's end, where nobody could handle an error: the record stays instead."""
        try:
            self.restore()
        except ClockLockError:
            return
