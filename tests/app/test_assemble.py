"""From the processes' answers to measurements."""

from __future__ import annotations

import pytest

from perftrack.app.assemble import Circumstances, assemble
from perftrack.app.visit import Outcome
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.core.model import (
    Cache,
    Case,
    Direction,
    Evidence,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Reason,
    Status,
    Timer,
    Window,
)
from perftrack.core.tiers import Exclusivity
from perftrack.suite.messages import CaseResult, Declared, Kind, MetricSamples
from perftrack.suite.selection import Selected

SELECTED = Selected(Declared("x", Kind.BENCHMARK, "b.py:1", tags=("t",), code_hash="h"), Case("x"))
PLAIN = Circumstances(dirty=False, quick=False, threshold=0.02)


def answer(
    index: int,
    *windows: float,
    metric: str = "time",
    cpu: object = "c",
    evidence: Evidence | None = None,
    notes: tuple[Reason, ...] = (),
    **options: object,
) -> Outcome:
    process = ProcessSamples(
        index, tuple(Window((w, w), evidence or Evidence()) for w in windows or (1e-3, 1.1e-3)), notes=notes
    )
    protocol = Protocol(Timer.HOST, Cache.HOT)
    samples = MetricSamples(metric, "s", Direction.LOWER, protocol, process)
    fingerprint = EnvironmentFingerprint(device_kind="cpu", cpu_model=cpu).to_dict()
    return Outcome(CaseResult(Status.OK, metrics=(samples,), fingerprint=fingerprint, **options), "")


def codes(reasons: tuple[Reason, ...]) -> list[str]:
    return [r.code for r in reasons]


def test_processes_join_to_one_measurement():
    (m,) = assemble(SELECTED, [answer(0), answer(1), answer(2)], PLAIN)
    assert (m.status, m.tags, m.source, m.code_hash, m.threshold) == (Status.OK, ("t",), "b.py:1", "h", 0.02)
    assert len(m.processes) == 3
    assert m.interval is not None
    assert m.interval.contains(m.value)


def test_samples_are_stored_as_hashed_rounded_to_a_nanosecond():
    (m,) = assemble(SELECTED, [answer(0, 1.23456789123e-3)], PLAIN)
    assert m.processes[0].windows[0].samples[0] == 1.234568e-3


@pytest.mark.parametrize("status", [Status.FAILED, Status.SKIPPED])
def test_one_process_that_failed_or_skipped_settles_the_case(status):
    bad = Outcome(CaseResult(status, "no luck"), "printed")
    (m,) = assemble(SELECTED, [answer(0), bad, answer(2)], PLAIN)
    assert (m.status, m.value, m.interval, m.processes) == (status, None, None, ())
    assert "no luck" in m.reasons[0].message
    assert m.output == "printed"


def test_a_failure_names_its_process():
    bad = Outcome(CaseResult(Status.FAILED, "no luck"), "")
    (m,) = assemble(SELECTED, [answer(0), bad], PLAIN)
    assert m.reasons[0].message == "no luck (process 2 of 2)"


def test_an_environment_that_changed_between_processes_is_no_measurement():
    (m,) = assemble(SELECTED, [answer(0), answer(1, cpu="other")], PLAIN)
    assert m.status is Status.FAILED
    assert "CPU: c → other" in m.reasons[0].message


def test_processes_with_different_metrics_are_no_measurement():
    (m,) = assemble(SELECTED, [answer(0), answer(1, metric="other")], PLAIN)
    assert m.status is Status.FAILED


def test_no_telemetry_is_tier_b_and_says_why():
    (m,) = assemble(SELECTED, [answer(n, no_evidence_why="no NVML") for n in range(3)], PLAIN)
    assert m.tier is MeasurementTier.B
    assert "no clock evidence: no NVML" in [r.message for r in m.reasons]


def test_throttling_in_any_window_is_tier_c():
    hot = answer(1, evidence=Evidence(clock_mhz=(1980.0,), event_reasons=0x40))
    (m,) = assemble(SELECTED, [answer(0), hot, answer(2)], PLAIN)
    assert m.tier is MeasurementTier.C


def test_the_worst_exclusivity_counts():
    shared = answer(1, exclusivity=Exclusivity.SHARED, company="process(es) 7 on the card")
    (m,) = assemble(SELECTED, [answer(0, exclusivity=Exclusivity.EXCLUSIVE), shared], PLAIN)
    assert m.tier is MeasurementTier.C
    assert [r.message for r in m.reasons] == ["other work shared the device: process(es) 7 on the card"]


def test_locked_clocks_with_all_evidence_are_tier_a():
    good = Evidence(clock_mhz=(1500.0, 1500.0), event_reasons=0)
    outcomes = [answer(n, evidence=good, locked=True, exclusivity=Exclusivity.EXCLUSIVE) for n in range(3)]
    (m,) = assemble(SELECTED, outcomes, PLAIN)
    assert m.tier is MeasurementTier.A
    assert "clocks-unlocked" not in codes(m.limitations)


def test_an_unknown_key_field_keeps_it_from_a():
    good = Evidence(clock_mhz=(1500.0, 1500.0), event_reasons=0)
    outcomes = [
        answer(n, evidence=good, locked=True, exclusivity=Exclusivity.EXCLUSIVE, cpu=UNKNOWN) for n in range(3)
    ]
    (m,) = assemble(SELECTED, outcomes, PLAIN)
    assert (m.tier, codes(m.reasons)) == (MeasurementTier.B, ["unknown-key-field"])


def test_circumstances_become_limitations():
    (m,) = assemble(SELECTED, [answer(0)], Circumstances(dirty=True, quick=True, threshold=0.02))
    assert {"one-process", "clocks-unlocked", "host-timer", "cache-hot", "quick", "dirty"} <= set(
        codes(m.limitations)
    )


def test_notes_of_the_processes_are_told_once():
    note = Reason("warmup-capped", "w")
    (m,) = assemble(SELECTED, [answer(0, notes=(note,)), answer(1, notes=(note,))], PLAIN)
    assert codes(m.limitations).count("warmup-capped") == 1


def test_flops_belong_to_the_time_alone():
    (m,) = assemble(SELECTED, [answer(0, flops=10.0)], PLAIN)
    assert m.flops == 10.0
    (other,) = assemble(SELECTED, [answer(0, metric="baseline_time", flops=10.0)], PLAIN)
    assert other.flops is None


@pytest.mark.parametrize(("declared", "threshold"), [(None, 0.0), (0.05, 0.05)])
def test_what_is_exact_has_no_tolerance_but_a_declared_one(declared: float | None, threshold: float):
    exact = Selected(Declared("x", Kind.METRIC, "b.py:1", threshold=declared, exact=True), Case("x"))
    assert assemble(exact, [answer(0)], PLAIN)[0].threshold == threshold


@pytest.mark.parametrize(
    ("kind", "exact", "timer"),
    [(Kind.METRIC, True, Timer.EXACT), (Kind.METRIC, False, Timer.VALUE), (Kind.BENCHMARK, False, Timer.HOST)],
)
def test_a_failed_case_has_the_protocol_that_it_would_have_had(kind: Kind, exact: bool, timer: Timer):
    selected = Selected(Declared("x", kind, "b.py:1", exact=exact), Case("x"))
    (m,) = assemble(selected, [Outcome(CaseResult(Status.FAILED, "broken"), "")], PLAIN)
    assert m.protocol.timer is timer
