"""Which commits need no recording on a kind of machine."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.coverage import Covered, Machine, done, settled
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint, FieldValue
from tests.core.builders import HERE

H200 = Machine(frozenset({"NVIDIA H200"}), frozenset({"EPYC"}))
CPU = Machine(frozenset(), frozenset({"EPYC"}))


def on_gpu(name: FieldValue = "NVIDIA H200") -> EnvironmentFingerprint:
    return replace(HERE, device_kind="cuda", cpu_model=None, gpu_name=name)


def on_cpu(name: FieldValue = "EPYC") -> EnvironmentFingerprint:
    return replace(HERE, cpu_model=name, gpu_name=None)


def covered(run: str, sha: str, fingerprint: EnvironmentFingerprint | None, *cases: str, on: str = "") -> Covered:
    return Covered(run, sha, on, fingerprint, cases)


def test_a_run_on_the_same_accelerator_makes_a_commit_done() -> None:
    parts = [covered("1", "a", on_gpu(), "x"), covered("2", "b", on_gpu("NVIDIA A100"), "x")]
    assert done(parts, H200) == {"a"}


def test_the_processor_beside_another_accelerator_does_not() -> None:
    parts = [covered("1", "a", on_gpu("NVIDIA A100"), "x"), covered("1", "a", on_cpu(), "size")]
    assert done(parts, H200) == set()


def test_work_on_the_processor_goes_by_the_processor() -> None:
    parts = [covered("1", "a", on_cpu(), "x"), covered("2", "b", on_cpu("Xeon"), "x")]
    assert done(parts, CPU) == {"a"}
    assert done(parts, H200) == {"a"}


def test_a_run_without_measurements_goes_by_what_it_says_of_its_machine() -> None:
    parts = [
        covered("1", "a", None, on="NVIDIA H200"),
        covered("2", "b", None, on="Xeon"),
        covered("3", "c", None),
    ]
    assert done(parts, H200) == {"a"}


def test_an_unreadable_name_is_nobodys() -> None:
    assert done([covered("1", "a", on_gpu(UNKNOWN), "x")], H200) == set()


def test_each_case_is_settled_by_what_it_ran_on() -> None:
    parts = [covered("1", "a", on_gpu("NVIDIA A100"), "x"), covered("1", "a", on_cpu(), "size")]
    assert settled(parts, H200) == {"a": {"size"}}


def test_what_was_skipped_is_settled_where_the_rest_of_its_run_is() -> None:
    here = [covered("1", "a", on_gpu(), "x"), covered("1", "a", None, "skipped")]
    there = [covered("2", "a", on_gpu("NVIDIA A100"), "y"), covered("2", "a", None, "skipped there")]
    assert settled([*here, *there], H200) == {"a": {"x", "skipped"}}
