"""Checks of a card: whether its readings are the right card's, who else is on it, and what holds it back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from perftrack.core.checkup import Finding, fail, ok, unknown, warn
from perftrack.core.company import CardUse, Occupancy
from perftrack.core.tiers import FAULTS, HW_SLOWDOWN, IDLE, KNOWN_BITS, POWER_CAP, Exclusivity
from perftrack.errors import DeviceError
from perftrack.timing.card import load_nvml
from perftrack.timing.checks.scene import Scene, ask
from perftrack.timing.nvml import read_errors
from perftrack.timing.telemetry import GaugeTelemetry

# Of proofs: what a card says of itself, as opposed to its place in a list.
POSITION_PROOF = "PCI order"
NO_EVIDENCE = "Without readings, results have no clock evidence and stay below tier A."
NO_LIBRARY = "See that the card's driver and its management library are installed."
READ_HINT = "nvidia-smi -q shows what the driver tells."
# A card this close to its limit will throttle within a run.
HOT_MARGIN_C = 5.0
_EVENTS = {
    0x2: "clocks set by an administrator",
    POWER_CAP: "power cap",
    HW_SLOWDOWN: "hardware slowdown",
    0x10: "sync boost",
    **FAULTS,
    0x100: "display clocks",
}
_FAULT_BITS = sum(FAULTS)
_THRESHOLD_SLOWDOWN = 1
_UNCORRECTED, _SINCE_BOOT = 1, 0


def cards(scene: Scene) -> Finding | None:
    """All cards of the host, and what the environment makes of their order."""
    try:
        api = load_nvml()
    except DeviceError:
        return None  # said where the card's readings are missing
    try:
        listed = [_described(api, i) for i in range(api.nvmlDeviceGetCount())]
    except read_errors(api) as error:
        return warn(f"NVML lists no cards: {error}", f"{READ_HINT} {NO_EVIDENCE}")
    finally:
        api.nvmlShutdown()
    names = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")
    asked = [f"{n}={scene.environ[n]}" for n in names if n in scene.environ]
    seen = "; ".join(listed + asked) or "none"
    if not listed:
        return warn(f"NVML lists no cards ({seen})", f"{READ_HINT} {NO_EVIDENCE}")
    return ok(seen, count=float(len(listed)))


def _described(api: Any, index: int) -> str:
    handle = api.nvmlDeviceGetHandleByIndex(index)
    return f"{index}: {_text(api.nvmlDeviceGetName(handle))} {_text(api.nvmlDeviceGetUUID(handle))}"


def identity(scene: Scene) -> Finding:
    """Whether readings are to be had, and of the card that runs the work."""
    if scene.gauge is None:
        why = scene.no_gauge
        hint = (why.hint if why else None) or NO_LIBRARY
        if "perftrack doctor" in hint:  # the reader is there already
            hint = "Name one of the cards above by its UUID: CUDA_VISIBLE_DEVICES=GPU-…"
        seen = f"no readings: {why.message if why else 'there is no telemetry'}"
        return warn(seen, f"{hint.rstrip('.')}. {NO_EVIDENCE}")
    seen = f"{scene.gauge.card_id}, known by: {scene.gauge.proof}"
    if scene.gauge.proof == POSITION_PROOF:
        return warn(
            f"{seen}; nothing that the card says of itself bears it out",
            "Name it by its UUID in CUDA_VISIBLE_DEVICES, or use a newer torch, which tells UUIDs.",
        )
    return ok(seen)


def exclusivity(scene: Scene) -> Finding | None:
    """Who else is on the card. numbers: its use before the work here began, as far as it is known."""
    if scene.gauge is None:
        return None
    telemetry = GaugeTelemetry(scene.gauge, poll_s=0.0, coordinator=scene.coordinator, uses=scene.uses)
    occupancy = telemetry.occupancy()
    before = next((u for u in scene.uses if u.card == scene.gauge.card_id), CardUse(scene.gauge.card_id))
    numbers = {"foreign_bytes": before.foreign_bytes, "busy_pct": before.busy_pct}
    known = {name: float(value) for name, value in numbers.items() if value is not None}
    return replace(_company(occupancy), numbers=known)


def _company(occupancy: Occupancy) -> Finding:
    if occupancy.exclusivity is Exclusivity.SHARED:
        advice = "Stop it, or choose another card: results beside other work are tier C."
        return fail(occupancy.detail, advice)
    if occupancy.exclusivity is Exclusivity.UNKNOWN:
        return unknown(
            occupancy.detail,
            "Results stay below tier A. In a container, share the host's process ids (docker run --pid=host).",
        )
    return ok(occupancy.detail)


def events(scene: Scene) -> Finding | None:
    """What holds the clock down at this moment."""
    if scene.gauge is None:
        return None
    bits = scene.gauge.event_reasons()
    if bits is None:
        return unknown("the card does not tell why its clock is what it is", "Throttling would go unseen.")
    names = [name for bit, name in _EVENTS.items() if bits & bit]
    if strange := bits & ~KNOWN_BITS:
        names.append(f"unknown bits {strange:#x}")
    seen = ", ".join(names) or ("idle" if bits & IDLE else "nothing holds the clock down")
    if bits & _FAULT_BITS:
        return fail(seen, "Results are tier C. See to cooling and power supply; wait until it has cooled down.")
    if bits & HW_SLOWDOWN:
        return warn(seen, "If it lasts over two windows, results are tier C. See to cooling and power supply.")
    if bits & POWER_CAP:
        return warn(
            seen, "The card should be idle now: look for other work on it. Power-capped results are tier B."
        )
    if strange:
        return warn(seen, "A newer perftrack may know them; until then results stay below tier A.")
    return ok(seen)


def heat(scene: Scene) -> Finding | None:
    if scene.gauge is None:
        return None
    degrees = scene.gauge.temperature_c()
    if degrees is None:
        return unknown("the temperature can't be read", READ_HINT)
    margin = _margin_c(scene, degrees)
    if margin is None:
        return ok(f"{degrees:.0f} °C; the card does not tell where it slows down", temperature_c=degrees)
    seen = f"{degrees:.0f} °C, {margin:.0f} °C below where it slows down"
    if margin <= HOT_MARGIN_C:
        advice = "Let it cool down, and see to the airflow: it is about to throttle."
        return warn(seen, advice, temperature_c=degrees, margin_c=margin)
    return ok(seen, temperature_c=degrees, margin_c=margin)


def _margin_c(scene: Scene, degrees: float) -> float | None:
    """Degrees left before the card slows down; newer cards tell that, older ones the threshold."""
    if scene.card is None:
        return None
    left = ask(scene.card, "nvmlDeviceGetMarginTemperature")
    if left.value is not None:
        return float(left.value)
    limit = ask(scene.card, "nvmlDeviceGetTemperatureThreshold", _THRESHOLD_SLOWDOWN)
    return float(limit.value) - degrees if limit.value else None


def ecc(scene: Scene) -> Finding | None:
    if scene.card is None:
        return None
    mode = ask(scene.card, "nvmlDeviceGetEccMode")
    if mode.absent:
        return ok("the card has none")
    if mode.value is None:
        return unknown(f"can't be read: {mode.why}", f"{READ_HINT} It is a key field: results stay below tier A.")
    current, pending = (bool(m) for m in mode.value)
    seen = "on" if current else "off"
    errors = ask(scene.card, "nvmlDeviceGetTotalEccErrors", _UNCORRECTED, _SINCE_BOOT).value
    if errors:
        advice = "The memory is failing: reset the card, and have it looked at if they come back."
        return fail(
            f"{seen}; {errors} uncorrected errors since the driver was loaded", advice, errors=float(errors)
        )
    if current != pending:
        return warn(
            f"{seen}, {'on' if pending else 'off'} after the next reset",
            "Reset the card before you record: results from before and after can't be compared.",
        )
    return ok(seen)


def mig(scene: Scene) -> Finding | None:
    if scene.card is None:
        return None
    if scene.card.is_slice:
        return warn(
            f"a slice ({scene.card.uuid}) is measured",
            "Power, heat and clocks are those of the whole board: keep its other slices idle.",
        )
    mode = ask(scene.card, "nvmlDeviceGetMigMode")
    if mode.absent:
        return ok("the card has none")
    if mode.value is None:
        return unknown(f"can't be read: {mode.why}", READ_HINT)
    current, pending = (bool(m) for m in mode.value)
    if current != pending:
        return warn(
            f"{'on' if current else 'off'}, {'on' if pending else 'off'} after the next reset",
            "Reset the card before you record: results from before and after can't be compared.",
        )
    return ok("off")


def _text(value: object) -> str:
    """Older versions of the library return bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)
