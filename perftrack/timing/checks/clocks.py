"""Checks of what sets a card's clock: locks and who may make them, power limit, persistence. Nothing is set."""

from __future__ import annotations

import os

from perftrack.core.checkup import Finding, fail, ok, unknown, warn
from perftrack.errors import ClockLockError
from perftrack.timing.checks.card import READ_HINT
from perftrack.timing.checks.scene import Scene, ask
from perftrack.timing.clocklock import (
    POWER_READBACK_TOLERANCE_W,
    LockRecord,
    read_record,
    shown_locked,
)
from perftrack.timing.clockrestore import RESTORE_HINT, pending_restore

CAP_SYS_ADMIN = 21


def left_behind(scene: Scene) -> Finding:
    """Locks that a process made and died with."""
    try:
        pending = pending_restore(scene.state)
    except ClockLockError as error:
        return fail(error.message, error.hint or RESTORE_HINT)
    if pending:
        return fail("; ".join(map(described, pending)), f"{RESTORE_HINT[0].upper()}{RESTORE_HINT[1:]}.")
    return ok("no lock was left behind by a crash")


def described(record: LockRecord) -> str:
    limit = (
        "" if record.power_limit_mw is None else f" and capped (limit before: {record.power_limit_mw / 1000:g} W)"
    )
    return (
        f"{record.card} is still locked to {record.target_mhz} MHz{limit} by process {record.pid}, which is gone"
    )


def clock_control(scene: Scene) -> Finding | None:
    """Whether clocks could be locked here, as far as can be told without trying."""
    if scene.card is None:
        return None
    if scene.card.is_slice:
        return warn("the clock of a MIG slice can't be locked", "For tier A, measure on a card that is not split.")
    if os.geteuid() != 0:
        return warn("not root: clocks can't be locked", "For tier A, measure as root with a LockedClockPolicy.")
    if not administers(scene):
        return warn(
            "root, but without CAP_SYS_ADMIN: the driver will refuse to lock clocks",
            "For tier A, give the container that capability (docker run --cap-add SYS_ADMIN).",
        )
    return ok("root: clocks may be locked (not tried)")


def clock_lock(scene: Scene) -> Finding | None:
    """Whether the clock is locked now, by what is on record and what it reads."""
    if scene.gauge is None:
        return None
    clock = scene.gauge.clock_mhz()
    if clock is None:
        return unknown("the clock can't be read", f"{READ_HINT} Results stay below tier A.")
    state = scene.state
    if shown_locked(scene.gauge, state):
        return ok(f"locked, and reads {clock:g} MHz", clock_mhz=clock)
    try:
        record = read_record(scene.gauge.card_id, state)
    except ClockLockError:
        record = None
    target = float(record.target_mhz) if record and record.held else scene.gauge.set_point_mhz()
    if target is not None:
        return warn(
            f"set to {target:g} MHz, but reads {clock:g} MHz",
            "An idle card may take a moment; if it stays so, heat or power holds it down.",
            clock_mhz=clock,
        )
    return warn(
        f"floating, {clock:g} MHz now: results stay below tier A",
        "For tier A, measure with a LockedClockPolicy. Tier B needs nothing: its intervals carry the variance.",
        clock_mhz=clock,
    )


def persistence(scene: Scene) -> Finding | None:
    if scene.card is None:
        return None
    mode = ask(scene.card, "nvmlDeviceGetPersistenceMode")
    if mode.absent:
        return ok("this driver has no such mode")
    if mode.value is None:
        return unknown(f"can't be read: {mode.why}", READ_HINT)
    if not mode.value:
        return warn(
            "off: the driver lets the card go between processes, with its clock and power settings",
            "As root: nvidia-smi -pm 1, or run nvidia-persistenced.",
        )
    return ok("on")


def power_limit(scene: Scene) -> Finding | None:
    """The limit that is set, against the card's default and against what is enforced."""
    if scene.card is None:
        return None
    answers = {
        name: ask(scene.card, f"nvmlDeviceGet{call}")
        for name, call in (
            ("limit_w", "PowerManagementLimit"),
            ("default_w", "PowerManagementDefaultLimit"),
            ("enforced_w", "EnforcedPowerLimit"),
        )
    }
    watts = {name: float(a.value) / 1000 for name, a in answers.items() if a.value is not None}
    limit, default, enforced = (watts.get(name) for name in answers)
    if limit is None:
        why = answers["limit_w"].why
        return unknown(
            f"can't be read: {why}", f"{READ_HINT} It is a key field: results stay below tier A.", **watts
        )
    if enforced is not None and enforced < limit - POWER_READBACK_TOLERANCE_W:
        return warn(
            f"{limit:g} W is set, but {enforced:g} W is enforced",
            "The chassis or its management holds the card lower: see to its power settings.",
            **watts,
        )
    if default is not None and abs(limit - default) > POWER_READBACK_TOLERANCE_W:
        return warn(
            f"{limit:g} W; the card's default is {default:g} W",
            f"Fine if it is always so: the limit is a key field. As root: nvidia-smi -pl {default:g}",
            **watts,
        )
    if default is None:
        return ok(f"{limit:g} W; the card does not tell its default", **watts)
    return ok(f"{limit:g} W, the card's default", **watts)


def administers(scene: Scene) -> bool:
    """Whether the kernel gives this process CAP_SYS_ADMIN; true where it does not say."""
    for line in (scene.text("proc/self/status") or "").splitlines():
        name, _, value = line.partition(":")
        if name == "CapEff":
            return bool(int(value, 16) >> CAP_SYS_ADMIN & 1)
    return True
