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
    "exclusivity-unknown": "whether other work shared the device is unknown: {detail}",
    "device-shared": "other work shared the device: {detail}",
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
    "noise-unknown": (
        "{baseline} against {candidate} process(es), and fewer than {runs} runs to learn the lane's noise from: "
        "record both with --processes {need} or more, or compare --live"
    ),
    "fingerprint-mismatch": "{fields}",
    "protocol-mismatch": "measured differently: {baseline} against {candidate}",
    "unit-mismatch": "the unit changed: {baseline} against {candidate}",
    "direction-mismatch": "which way is better changed: {baseline} against {candidate}",
    "benchmark-changed": (
        "the benchmark's own code or settings changed between the two, which begins a new series; "
        "record the baseline again to measure it with the present ones"
    ),
    "duplicate-case": "{side} has {count} measurements of this name in one lane: it cannot be told which is meant",
    "missing-side": "not measured in {side}",
    "failed-side": "failed in {side}: {detail}",
    "skipped-side": "skipped in {side}: {detail}",
    "history-cut": (
        "the clone is shallow, and noise is not learnt from runs of commits that it lacks: git fetch --unshallow"
    ),
    "zero-value": "{side} has a value of zero or below: no ratio exists",
    "not-finite": "{side} has a sample that is no finite number",
    "not-exact": "declared exact, but the processes of {side} read {read}",
    "exact-equal": "every process read the same value on both sides",
    "exact-change": "every process of a side read the same value, and the sides differ by {change}",
    "permutation": (
        "a permutation test of {baseline} against {candidate} processes; the lane's run-to-run variance is "
        "unknown: runs taken apart may differ by more"
    ),
    "live": "both sides took turns for {rounds} rounds; running second in a round cost {slot_pct:.2g} %",
    "equal-code-noise": (
        "includes a run-to-run standard deviation of {pct:.2g} %, from {pairs} pair(s) of runs of equal code "
        "and {rest}"
    ),
    "equal-code": (
        "both sides ran the same machine code, in launches of the same shape that did the same work: a change of "
        "{change} is noise, the environment or work outside of kernels"
    ),
    "lane-noise": "includes the lane's run-to-run standard deviation of {pct:.2g} % ({runs} runs)",
    # Changes over history
    "tier-c-change": "suspect: it shows only with measurements of tier C: re-measure the commits of the range",
    "equal-code-range": (
        "suspect: none of the {count} commit(s) of the range changed the code that ran: noise, the environment or "
        "work outside of it; re-measure"
    ),
    "recovered": "a later change took it back",
    "accepted": "accepted at {sha}: {why}",
    "since-accepted": "compared with {sha}, at which an earlier change is accepted: {why}",
    "environment-changed": "the environment changed in that range: {fields}",
    "recorder-changed": "recorded by perftrack {baseline} before and {candidate} after",
    "benchmark-files-changed": "benchmark files changed in that range: {paths}",
    "dependencies-changed": "dependency files changed in that range: {paths}",
    # Ceilings
    "ceiling-at": "measured at {where}",
    "ceiling-partial": "the search ended before this was measured as its definition asks: it may be higher",
    "ceiling-conditions": "telemetry did not show that the conditions of the definition held",
    "search-ended-early": "the search ended early: {why}; this is the best until then",
    "ceiling-unvalidated": "no telemetry: neither the boost clock nor saturation could be checked, unvalidated",
    "power-not-separating": (
        "power as {telemetry} reads it was not shown to tell a boost burst from a saturated run: "
        "no shape was excluded by it"
    ),
    "clock-below-rated": (
        "the highest SM clock of the run was {clock_mhz:.0f} MHz, rated {rated_mhz:.0f} MHz: "
        "clocks locked or capped, or the card too hot"
    ),
    "geometry-unchecked": (
        "the automatic search was not compared with an exhaustive grid on a device like {product}: "
        "check its pick with a small --search grid"
    ),
    "shapes-skipped": "{count} shape(s) could not be run: {detail}",
    "tunableop-off": (
        "TunableOp is off, and without it AMD's libraries seldom choose their fastest kernels: "
        "set PYTORCH_TUNABLEOP_ENABLED=1"
    ),
    "kernels-tuned": "kernels were tuned for {count} shortlisted shape(s); all others ran with the default ones",
    "no-clock-readings": "the SM clock could not be read: not shown to have run at boost clock",
    "no-boost-clock": (
        "no five iterations ran at {clock_mhz:.0f} MHz or more: a rate at a lower clock, not an achievable burst"
    ),
    "no-saturated-anchor": (
        "no confirmed shape drew full power at a readable clock: nothing to tell saturated from boosting by; "
        "include shapes that are large in every dimension"
    ),
    "sustained-fallback": (
        "no confirmed shape passed every check; the best available one {flaw}: include larger shapes or a higher K"
    ),
    "soak-capped": "heating ended at its time limit while the device had not settled: may read high",
    "siblings-idle": (
        "{count} other card(s) of this board idled while it was measured (share of the time: {shares}): "
        "reads higher than with all of them busy"
    ),
    "not-steady": "the second half of a window was {drop_pct:.1f} % slower (limit {limit_pct:g} %)",
    # Limitations
    "benchmarks-uncommitted": "the benchmark files had uncommitted changes: {paths}",
    "build-failed": "{detail}",
    "nothing-to-measure": "{detail}",
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
    "telemetry-polled": (
        "the card counts no throttling: a thread read its clocks beside the work, {pct:.2g} % of the time"
    ),
    "width-target-missed": "half-width {got}; the target of {want_pct:g} % was not reached in the time allowed",
    "process-start-included": "times a whole command: process start is included",
}


def reason(code: str, **facts: object) -> Reason:
    """A filled reason. Raises InvalidValueError for a code that the table does not have."""
    try:
        return Reason(code, REASONS[code].format(**facts))
    except KeyError as error:
        raise InvalidValueError(f"reason {code!r}: {error} is not in the table") from error
