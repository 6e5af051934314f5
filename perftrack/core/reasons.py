"""Reason and limitation codes: one table, so that every code that can be printed has one sentence.

A *reason* explains a tier or a verdict. A *limitation* says what a result does not show. Both are
`model.Reason` values; `reason(code, **facts)` fills the sentence's blanks.
"""

from __future__ import annotations

from perftrack.core.model import Reason
from perftrack.errors import InvalidValueError

REASONS: dict[str, str] = {
    # Tiers
    "clocks-locked": "clocks locked and verified: range {range_mhz:.0f} MHz over all windows",
    "clocks-floating": "clocks were not locked",
    "no-clock-evidence": "no clock evidence: {why}",
    "clock-unstable": "SM clock varied by {cv_pct:.1f} % (limit {limit_pct:g} %)",
    "clock-range": "locked clocks moved by {range_mhz:.0f} MHz (limit {limit_mhz:g} MHz)",
    "throttled": "throttled while measuring: {bits}",
    "power-capped": "software power cap active: this is the sustained regime, not the boost clock",
    "unknown-event-reasons": "clock event reasons with unknown bits {bits}",
    "few-processes": "{count} process(es); tier A needs at least {need}",
    "exclusivity-unknown": "whether other work shared the device is unknown",
    "device-shared": "other processes used the device: {detail}",
    "unknown-key-field": "key fingerprint field(s) could not be read: {names}",
    "dirty-tree": "the working tree had uncommitted changes",
    "benchmark-failed": "{detail}",
    "benchmark-skipped": "{detail}",
    "launch-bound": "the host took {host_us:.1f} µs to launch what the device ran in {device_us:.1f} µs",
    "work-outside-timing": "the callable's work was not inside the timed region: {detail}",
    # Verdicts
    "effect-above-threshold": "worse by {change}, interval excludes 0, threshold {threshold_pct:g} %",
    "effect-below-minus-threshold": "better by {change}, interval excludes 0, threshold {threshold_pct:g} %",
    "within-threshold": "interval lies inside ±{threshold_pct:g} %",
    "effect-below-threshold": (
        "a difference of {change} is established but is below the threshold of {threshold_pct:g} %"
    ),
    "interval-too-wide": (
        "the interval includes both no change and a change of {threshold_pct:g} %; "
        "an effect of {mde} would be detected 4 times in 5"
    ),
    "fdr": "not significant among {count} comparisons (Benjamini-Hochberg, q = {q:g})",
    "tier-c": "{side} is tier C: no verdict is valid",
    "one-process-side": "{side} has {count} process(es): no between-process variance, record at least 3",
    "fingerprint-mismatch": "{fields}",
    "protocol-mismatch": "measured differently: {baseline} against {candidate}",
    "unit-mismatch": "unit or direction changed: {baseline} against {candidate}",
    "benchmark-changed": "the benchmark's own code or settings changed between the two",
    "missing-side": "not measured in {side}",
    "failed-side": "failed in {side}: {detail}",
    "skipped-side": "skipped in {side}: {detail}",
    "zero-value": "{side} has a value of zero or below: no ratio exists",
    "exact-equal": "every process read the same value on both sides",
    "exact-change": "every process of a side read the same value, and the sides differ by {change}",
    "no-lane-history": "the lane's run-to-run variance is unknown: runs taken apart may differ by more than shown",
    "assumed-lane-noise": (
        "fewer than {need} runs in this lane: a run-to-run standard deviation of {pct:.2g} % is assumed; "
        "compare --live needs no assumption"
    ),
    "live": "both sides took turns for {rounds} rounds; running second in a round cost {slot_pct:.2g} %",
    "lane-noise": "includes the lane's run-to-run standard deviation of {pct:.2g} % ({runs} runs)",
    # Limitations
    "benchmarks-uncommitted": "the benchmark files had uncommitted changes: {paths}",
    "no-submodules": "submodules are not checked out in a commit's worktree: have the build command do it",
    "suite-problems": "{count} benchmark file(s) or declaration(s) could not be used: {where}",
    "one-process": "one process: variance between processes is not in the interval",
    "one-window": "one window: drift between windows is not in the interval",
    "one-sample": "one sample: no interval can be given",
    "clocks-unlocked": "clocks were free to move",
    "host-timer": "timed on the host: includes call overhead",
    "quick": "recorded with --quick: fewer processes and windows than the default",
    "dirty": "the tree had uncommitted changes: not the commit's own code",
    "cache-hot": "inputs may be in cache: repeated calls on the same data",
    "below-timer-target": "a sample lasts {factor:.0f}× the timer's resolution; the target is {target:g}×",
    "warmup-capped": "warm-up ended at its time limit before throughput was seen to be steady",
    "width-target-missed": "half-width {got}; the target of {want_pct:g} % was not reached in the time allowed",
    "process-start-included": "times a whole command: process start is included",
}


def reason(code: str, **facts: object) -> Reason:
    """A filled reason. Raises InvalidValueError for a code that the table does not have."""
    try:
        return Reason(code, REASONS[code].format(**facts))
    except KeyError as error:
        raise InvalidValueError(f"reason {code!r}: {error} is not in the table") from error
