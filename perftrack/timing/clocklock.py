"""The record that a card's clocks are locked: kept in a file from before the lock is made until it is undone.

A process that is killed leaves the file behind, and with it what the next one needs to undo the lock. A
worker of the run that made the lock finds it there too, and checks it against the clock.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from perftrack.errors import ClockLockError
from perftrack.timing.gauge import Gauge

# The driver rounds a requested clock to the card's steps, which are 15 MHz on NVIDIA's data-centre parts.
LOCK_READBACK_TOLERANCE_MHZ = 15.0
# The driver keeps power limits in mW but cards round to whole watts.
POWER_READBACK_TOLERANCE_W = 1.0
_PREFIX = "clock-lock-"


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A lock, and how to undo it. `power_limit_mw`: limit before it was capped, None if it was not touched."""

    card: str
    target_mhz: int
    power_limit_mw: int | None
    pid: int
    started: str  # of the process, so that a reused pid is told apart
    boot: str  # locks do not outlive a reboot

    @property
    def outlived(self) -> bool:
        """Whether the machine was started anew since: the driver has forgotten the lock."""
        return self.boot != boot_id()

    @property
    def held(self) -> bool:
        """Whether the process that made the lock is still there to undo it."""
        return not self.outlived and process_start(self.pid) == self.started


def new_record(card: str, target_mhz: int, power_limit_mw: int | None) -> LockRecord:
    """The record of a lock made by this process."""
    pid = os.getpid()
    return LockRecord(card, target_mhz, power_limit_mw, pid, process_start(pid) or "", boot_id())


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    base = environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local/state") / "perftrack"


def write_record(record: LockRecord, directory: Path) -> None:
    """Make the record durable: it must survive whatever happens right after the lock is made.

    Raises ClockLockError where it can't be written: a lock that could not be undone is not made.
    """
    path = _path(record.card, directory)
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = path.with_suffix(f".{record.pid}.part")
        with partial.open("w", encoding="utf-8") as file:
            json.dump(asdict(record), file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise ClockLockError(
            f"can't write {path}: {error.strerror}; clocks are not locked without a way to undo it",
            "set XDG_STATE_HOME to a directory that can be written",
        ) from error


def remove_record(card: str, directory: Path) -> None:
    _path(card, directory).unlink(missing_ok=True)


def read_record(card: str, directory: Path) -> LockRecord | None:
    """The record of a card's lock, if there is one. Raises ClockLockError if it can't be read."""
    path = _path(card, directory)
    return _parse(path) if path.exists() else None


def read_records(directory: Path) -> tuple[LockRecord, ...]:
    """All records. Raises ClockLockError naming a file that can't be read."""
    return tuple(_parse(path) for path in sorted(directory.glob(f"{_PREFIX}*.json")))


def shown_locked(gauge: Gauge, directory: Path | None = None) -> bool:
    """Whether the card's clock is locked and reads as such.

    By a record whose process is alive, or by a clock that an administrator set; either way only if the
    clock that is read now is the one that was set.
    """
    try:
        record = read_record(gauge.card_id, directory or state_directory())
    except ClockLockError:
        record = None
    target = float(record.target_mhz) if record is not None and record.held else gauge.set_point_mhz()
    clock = gauge.clock_mhz()
    return target is not None and clock is not None and abs(clock - target) <= LOCK_READBACK_TOLERANCE_MHZ


def boot_id(root: Path = Path("/")) -> str:
    try:
        return (root / "proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def process_start(pid: int, root: Path = Path("/")) -> str | None:
    """When a process started, in the kernel's ticks; None if there is none of that id."""
    try:
        text = (root / f"proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in "ZX":
        return None  # a zombie undoes nothing any more
    return fields[19]


def _path(card: str, directory: Path) -> Path:
    return directory / f"{_PREFIX}{re.sub(r'[^A-Za-z0-9-]', '_', card)}.json"


def _parse(path: Path) -> LockRecord:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        limit = data["power_limit_mw"]
        return LockRecord(
            card=str(data["card"]),
            target_mhz=int(data["target_mhz"]),
            power_limit_mw=None if limit is None else int(limit),
            pid=int(data["pid"]),
            started=str(data["started"]),
            boot=str(data["boot"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClockLockError(
            f"{path} says that clocks were locked but can't be read: {error}",
            f"run nvidia-smi -rgc and check the power limit as root, then delete {path}",
        ) from error
