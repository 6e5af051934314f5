"""`measure`: time a callable in this process, in several windows, with an interval and a tier."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from perftrack.core.deferral import deferral
from perftrack.core.estimate import Estimate, estimate
from perftrack.core.model import Cache, ProcessSamples, Protocol, Reason
from perftrack.core.paired import STOPPED
from perftrack.core.plan import Plan
from perftrack.core.reasons import reason
from perftrack.core.stats import bootstrap_ci, cv_percent, percentile
from perftrack.core.tiers import TierEvidence, judge_tier, throttle_faults
from perftrack.core.units import format_percent
from perftrack.errors import InvalidValueError
from perftrack.timing.clocks import ClockPolicy, UnlockedClockPolicy
from perftrack.timing.devices import open_device, resolve_kind
from perftrack.timing.devices.base import Device, Telemetry
from perftrack.timing.environment import capture
from perftrack.timing.results import TimingResult
from perftrack.timing.session import Session, check_placement, collect, prepare
from perftrack.timing.telemetry import holds_context, open_telemetry, watch
from perftrack.timing.uses import OFF_CARDS, card_uses

DEFAULT_WARMUP = 200
MIN_ITERS = 20  # an interval of the median from fewer samples is wider than most effects looked for
DEFAULT_ITERS = 100
WINDOWS = 5
MORE_WINDOWS = 4
TARGET_WIDTH = 0.005
PAUSE_S = 0.02  # long enough for clocks and neighbours to differ between windows
WARMUP_CAP_S = 3.0
BUDGET_S = 60.0


def measure(
    fn: Callable[[], object],
    *,
    warmup: int = DEFAULT_WARMUP,
    iters: int = DEFAULT_ITERS,
    device: int | str = "auto",
    flush_l2: bool | None = None,
    policy: ClockPolicy | None = None,
    min_duration_us: float | None = None,
    windows: int = WINDOWS,
    target_width: float | None = TARGET_WIDTH,
    timer: str = "auto",
) -> TimingResult:
    """Time `fn` honestly: an interval and a tier, never a bare number.

    warmup: least number of calls before timing; some are made in any case, to calibrate. iters: samples spread
    over `windows` windows with pauses between. target_width: windows of the same size are added, at most to
    four times as many and a minute, until the interval's relative half-width is this small; None takes exactly
    `iters`. device: a kind ("cpu", "cuda", …), "auto", or a CUDA index. flush_l2: cold cache before every
    sample; by default on for accelerators and off for the CPU. policy: clocks during the measurement, restored
    afterwards whatever happens. min_duration_us: least length of a sample; by default 100 steps of the timer.
    timer: "auto", "host", "event" or "graph".

    Raises InvalidValueError (a ValueError) for arguments out of range, DeviceError (a RuntimeError) where
    the device is not there, MeasurementError (a RuntimeError) for what must not be taken for a time,
    ClockLockError where the policy's clocks could not be established, and whatever `fn` raises.
    """
    check_callable(fn)
    check_amounts(warmup, iters, windows)
    check_width(target_width)
    plan = Plan(
        windows=windows,
        window_s=BUDGET_S,
        max_samples=max(1, iters // windows),
        warmup_calls=warmup,
        warmup_cap_s=WARMUP_CAP_S,
        budget_s=BUDGET_S,
        pause_s=PAUSE_S,
    )
    with opened(device, timer, policy) as (target, telemetry, locked):
        cold = is_cold(target, flush_l2)
        check_placement(target, fn)
        session = prepare(fn, target, plan, cold=cold, min_sample_s=seconds_of(min_duration_us))
        process = collect(session, telemetry, plan)
        if target_width is not None:
            process = _narrow(session, telemetry, process, target_width, windows)
        return to_result(process, target, telemetry, locked=locked, cold=cold, target_width=target_width)


def check_callable(fn: object) -> None:
    """Refuse what is no callable, or whose call only makes a coroutine or generator: no work would be timed."""
    if not callable(fn):
        raise InvalidValueError(f"fn must be a callable, got {type(fn).__name__}")
    if found := deferral(fn):
        raise InvalidValueError(f"calling fn only makes {found.what}, and no work would be timed", found.hint)


def check_amounts(warmup: int, iters: int, windows: int) -> None:
    if iters < MIN_ITERS:
        raise InvalidValueError(f"iters must be at least {MIN_ITERS}, got {iters}")
    if not 2 <= windows <= iters:
        raise InvalidValueError(f"windows must be from 2 to iters, got {windows}")
    if warmup < 0:
        raise InvalidValueError(f"warmup must not be below 0, got {warmup}")


def check_width(target_width: float | None) -> None:
    if target_width is not None and not target_width > 0:
        raise InvalidValueError(f"target_width must be above 0, or None, got {target_width}")


def seconds_of(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds * 1e-6


def is_cold(device: Device, flush_l2: bool | None) -> bool:
    return device.kind not in ("cpu", "replay") if flush_l2 is None else flush_l2


@contextlib.contextmanager
def opened(device: int | str, timer: str, policy: ClockPolicy | None) -> Iterator[tuple[Device, Telemetry, bool]]:
    """A device with its telemetry under a clock policy: (device, telemetry, clocks are locked)."""
    kind, index = ("cuda", device) if isinstance(device, int) else (device, 0)
    # Where this process has work on a card already, its memory can't be told from somebody else's.
    uses = () if resolve_kind(kind) in OFF_CARDS or holds_context() else card_uses()
    target = open_device(kind, index, timer=timer)
    telemetry = open_telemetry(target.kind, target.index, uses=uses)
    watch(telemetry, target)
    clocks = policy or UnlockedClockPolicy()
    try:
        clocks.apply()
        try:
            # Read now: restore() clears it, and a tier judged afterwards could never be A.
            yield target, telemetry, clocks.locked or telemetry.locked()
        finally:
            clocks.restore()
    finally:
        telemetry.close()
        target.close()


def to_result(
    process: ProcessSamples,
    device: Device,
    telemetry: Telemetry,
    *,
    locked: bool,
    cold: bool,
    target_width: float | None = None,
) -> TimingResult:
    """The samples of this process as a result."""
    evidence = tuple(w.evidence for w in process.windows)
    fingerprint = capture(device.kind, device.index, locked=locked)
    occupancy = telemetry.occupancy()
    tier, reasons = judge_tier(
        TierEvidence(
            locked=locked,
            windows=evidence,
            processes=1,
            exclusivity=occupancy.exclusivity,
            company=occupancy.detail,
            unknown_key_fields=fingerprint.unknown_key_fields,
            no_evidence_why=telemetry.why_none or "no telemetry for this device",
        )
    )
    estimated = estimate([process], widen=1.0 if target_width is None else STOPPED)
    assert estimated.interval is not None  # at least two windows of one sample
    milliseconds = tuple(1e3 * s for w in process.windows for s in w.samples)
    lo, hi = bootstrap_ci(milliseconds)
    clocks = [c for e in evidence for c in e.clock_mhz]
    return TimingResult(
        samples_ms=milliseconds,
        median_ms=1e3 * estimated.value,
        p10_ms=percentile(milliseconds, 0.1),
        p90_ms=percentile(milliseconds, 0.9),
        ci95_lo_ms=1e3 * estimated.interval.lo,
        ci95_hi_ms=1e3 * estimated.interval.hi,
        within_window_lo_ms=lo,
        within_window_hi_ms=hi,
        n=len(milliseconds),
        tier=tier,
        warmup=process.warmup_calls,
        inner_reps=process.inner_reps,
        protocol=Protocol(device.timer, Cache.COLD if cold else Cache.HOT),
        process=process,
        reasons=reasons,
        limitations=(*estimated.limitations, *_limitations(cold, estimated, target_width), *process.notes),
        throttle_fired=bool(throttle_faults(evidence)),
        clock_cv_pct=cv_percent(clocks) if clocks else None,
        clock_range_mhz=max(clocks) - min(clocks) if clocks else None,
    )


def _narrow(
    session: Session, telemetry: Telemetry, process: ProcessSamples, width: float, windows: int
) -> ProcessSamples:
    """More windows until the interval is narrow enough, there are MORE_WINDOWS times as many, or time is up."""
    started = time.perf_counter()
    while (
        estimate([process], widen=STOPPED).relative_half_width > width
        and len(process.windows) < MORE_WINDOWS * windows
        and time.perf_counter() - started < BUDGET_S
    ):
        time.sleep(PAUSE_S)
        session.take_window(telemetry)
        process = session.finish()
    return process


def _limitations(cold: bool, estimated: Estimate, target_width: float | None) -> tuple[Reason, ...]:
    found = [] if cold else [reason("cache-hot")]
    got = estimated.relative_half_width
    if target_width is not None and got > target_width:
        found.append(missed_width(got, target_width))
    return tuple(found)


def missed_width(got: float, wanted: float) -> Reason:
    return reason("width-target-missed", got=format_percent(100 * got), want_pct=100 * wanted)
