"""Undoing a lock of a card's clocks: at once, or for a process that died before it could."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perftrack.errors import ClockLockError, DeviceError
from perftrack.timing.card import Card, load_nvml
from perftrack.timing.clocklock import (
    POWER_READBACK_TOLERANCE_W,
    LockRecord,
    read_record,
    read_records,
    remove_record,
    state_directory,
)
from perftrack.timing.clockwrites import ClockWrites, Smi, run_smi

RESTORE_HINT = "run perftrack doctor --restore-clocks as root"


def pending_restore(state: Path | None = None) -> tuple[LockRecord, ...]:
    """Locks whose process is gone without having undone them. Raises ClockLockError for an unreadable record."""
    directory = state or state_directory()
    return tuple(r for r in read_records(directory) if not r.held and not r.outlived)


def restore_pending(*, nvml: Any = None, smi: Smi = run_smi, state: Path | None = None) -> tuple[LockRecord, ...]:
    """Undo the locks that dead processes left behind; returns them. Raises ClockLockError where that failed."""
    directory = state or state_directory()
    for record in read_records(directory):
        if record.outlived:
            remove_record(record.card, directory)
    pending = pending_restore(directory)
    if not pending:
        return ()
    api = nvml or nvml_for_clocks()
    for record in pending:
        try:
            handle = api.nvmlDeviceGetHandleByUUID(record.card.encode())
        except api.NVMLError as error:
            raise ClockLockError(f"the locked card {record.card} is not found: {error}", RESTORE_HINT) from error
        undo(ClockWrites(api, handle, record.card, smi), record)
        remove_record(record.card, directory)
    if nvml is None:
        api.nvmlShutdown()
    return pending


def nvml_for_clocks() -> Any:
    try:
        return load_nvml()
    except DeviceError as error:
        raise ClockLockError(f"clocks can't be locked: {error.message}", error.hint) from error


def settle(card: Card, writes: ClockWrites, directory: Path) -> None:
    """Undo what a dead process left on the card; refuse a card that a live one has locked."""
    record = read_record(card.uuid, directory)
    if record is None:
        return
    if record.held:
        raise ClockLockError(
            f"process {record.pid} has locked this card to {record.target_mhz} MHz", "wait until it has finished"
        )
    if not record.outlived:
        undo(writes, record)
    remove_record(card.uuid, directory)


def undo(writes: ClockWrites, record: LockRecord) -> None:
    """Unlock the clock and put the power limit back, both tried whatever happens to the other."""
    failures: list[str] = []
    try:
        writes.unlock_sm_clock()
    except ClockLockError as error:
        failures.append(error.message)
    if record.power_limit_mw is not None:
        try:
            writes.set_power_limit(record.power_limit_mw)
            read = writes.power_limit_mw()
            if read is None or abs(read - record.power_limit_mw) > POWER_READBACK_TOLERANCE_W * 1000:
                failures.append(f"the power limit was {record.power_limit_mw} mW before and reads {read} mW now")
        except ClockLockError as error:
            failures.append(error.message)
    if failures:
        raise ClockLockError(f"clocks of {record.card} are not restored: {'; '.join(failures)}", RESTORE_HINT)
