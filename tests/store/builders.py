"""Runs and commits that a store test needs, and a strategy for every run that there can be."""

from __future__ import annotations

from hypothesis import strategies as st

from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.core.model import (
    Cache,
    Case,
    Commit,
    Direction,
    Evidence,
    Interval,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Reason,
    Run,
    Status,
    Timer,
    Window,
)
from tests.core.builders import measured

SHA = "a" * 40


def commit(sha: str = SHA, *, at: int = 1_700_000_000, **fields: object) -> Commit:
    given: dict[str, object] = {
        "parents": (),
        "author": "Ann",
        "author_time": at,
        "commit_time": at,
        "subject": "Do",
    }
    return Commit(sha, **(given | fields))  # type: ignore[arg-type]


def run(*measurements: Measurement, sha: str = SHA, at: float = 1_700_000_000.0, **fields: object) -> Run:
    """A run of one good measurement, unless others are given; `at` is when it started."""
    given: dict[str, object] = {"duration_s": 2.5, "seed": 7, "dirty": False}
    chosen = measurements or (measured(1.0, 1.1, value=1.05),)
    return Run(sha=sha, started_at=at, measurements=chosen, **(given | fields))  # type: ignore[arg-type]


texts = st.text(max_size=12)
finite = st.floats(allow_nan=False, allow_infinity=False)
maybe = st.none() | finite
scalars = st.none() | st.booleans() | st.integers() | finite | texts
counts = st.integers(0, 2**63 - 1)
reasons = st.lists(st.builds(Reason, texts, texts), max_size=3).map(tuple)
cases = st.builds(Case, texts, st.dictionaries(texts, scalars, max_size=3).map(lambda d: tuple(d.items())))
fingerprints = st.builds(
    EnvironmentFingerprint,
    device_kind=st.none() | texts,
    gpu_name=st.none() | texts | st.just(UNKNOWN),
    sm_count=st.none() | st.integers(-(2**63), 2**63) | st.just(UNKNOWN),
    power_limit_w=maybe | st.just(UNKNOWN),
    ecc=st.none() | st.booleans() | st.integers(0, 1) | st.just(UNKNOWN),
    host=st.none() | texts,
    policy=st.none() | st.just("key:host"),
)
evidence = st.builds(
    Evidence,
    st.lists(finite, max_size=3).map(tuple),
    st.none() | st.integers(0, 2**64 - 1),
    maybe,
    maybe,
    maybe,
    maybe,
)
windows = st.builds(Window, st.lists(finite, max_size=4).map(tuple), evidence, maybe)
processes = st.builds(
    ProcessSamples,
    st.integers(-(2**63), 2**63 - 1),
    st.lists(windows, max_size=3).map(tuple),
    counts,
    counts,
    finite,
    finite,
    reasons,
)


def measurements(environments: list[EnvironmentFingerprint]) -> st.SearchStrategy[Measurement]:
    return st.builds(
        Measurement,
        case=cases,
        metric=texts,
        unit=texts,
        direction=st.sampled_from(Direction),
        status=st.sampled_from(Status),
        protocol=st.builds(Protocol, st.sampled_from(Timer), st.sampled_from(Cache), st.integers(1, 9)),
        tier=st.sampled_from(MeasurementTier),
        fingerprint=st.none() | st.sampled_from(environments),
        value=maybe,
        interval=st.none() | st.builds(Interval, finite, finite),
        reasons=reasons,
        limitations=reasons,
        processes=st.lists(processes, max_size=3).map(tuple),
        threshold=maybe,
        flops=maybe,
        bytes_moved=maybe,
        tags=st.lists(texts, max_size=2).map(tuple),
        source=texts,
        code_hash=texts,
        output=texts,
    )


runs = st.builds(
    Run,
    sha=st.text("0123456789abcdef", min_size=40, max_size=40),
    started_at=finite,
    duration_s=finite,
    seed=st.integers(-(2**126), 2**126),
    dirty=st.booleans(),
    measurements=st.lists(fingerprints, min_size=1, max_size=3)
    .flatmap(lambda environments: st.lists(measurements(environments), max_size=5))
    .map(tuple),
    limitations=reasons,
    perftrack_version=texts,
    host=texts,
    label=texts,
    settings=st.dictionaries(texts, scalars, max_size=3),
)
