"""What a history's commits have been measured on: which need no recording on a kind of machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from perftrack.core.fingerprint import EnvironmentFingerprint


@dataclass(frozen=True, slots=True)
class Machine:
    """A kind of machine: the names of its accelerators, and its processor's, also of one that is played back."""

    gpus: frozenset[str]
    cpus: frozenset[str]

    @property
    def name(self) -> str:
        """What a run is filed under that has no measurement to tell it."""
        return ", ".join(sorted(self.gpus or self.cpus))


@dataclass(frozen=True, slots=True)
class Covered:
    """What one run has of one environment. `cases`: ids of those that succeeded or were skipped on purpose.

    `machine`: what the run says of where it was taken; `fingerprint`: None for cases that failed or were skipped,
    and for a run in which nothing was measured.
    """

    run_id: str
    sha: str
    machine: str
    fingerprint: EnvironmentFingerprint | None
    cases: tuple[str, ...] = ()


def done(covered: Iterable[Covered], here: Machine) -> frozenset[str]:
    """Commits with a run from this kind of machine, whether its benchmarks, or its build, succeeded or failed.

    A run that used an accelerator is of that accelerator's kind, whatever the processor beside it.
    """
    return frozenset(parts[0].sha for parts in _by_run(covered) if _is_of(parts, here))


def settled(covered: Iterable[Covered], here: Machine) -> Mapping[str, frozenset[str]]:
    """By commit, the ids of cases that have a result from this kind of machine.

    Work on the processor beside another accelerator counts: each case is filed under what it ran on.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for parts in _by_run(covered):
        own = _is_of(parts, here)
        for part in parts:
            gpu, cpu = _names(part.fingerprint)
            if gpu in here.gpus or (not gpu and (cpu in here.cpus if cpu else own)):
                found[part.sha].update(part.cases)
    return {sha: frozenset(cases) for sha, cases in found.items()}


def _by_run(covered: Iterable[Covered]) -> Iterable[list[Covered]]:
    runs: dict[str, list[Covered]] = defaultdict(list)
    for part in covered:
        runs[part.run_id].append(part)
    return runs.values()


def _is_of(parts: list[Covered], here: Machine) -> bool:
    names = [_names(p.fingerprint) for p in parts]
    if gpus := {gpu for gpu, _ in names if gpu}:
        return bool(gpus & here.gpus)
    if cpus := {cpu for _, cpu in names if cpu}:
        return bool(cpus & here.cpus)
    return any(p.machine == here.name for p in parts)


def _names(fingerprint: EnvironmentFingerprint | None) -> tuple[str, str]:
    """Accelerator and processor that the work ran on; empty what it did not use, or could not be read."""
    if fingerprint is None:
        return "", ""
    gpu, cpu = fingerprint.gpu_name, fingerprint.cpu_model
    return gpu if isinstance(gpu, str) else "", cpu if isinstance(cpu, str) else ""
