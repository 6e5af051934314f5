"""The environment here, and the recorded ones."""

from __future__ import annotations

from perftrack.app.amounts import policy
from perftrack.app.project import Project
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.errors import StoreError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Request
from perftrack.suite.pool import WorkerDied, WorkerProcess


def current(project: Project, device: str, python: str | None) -> EnvironmentFingerprint:
    """The fingerprint that a worker started now would have.

    Raises UsageError for a kind of device that does not exist, WorkerError for one that is not there.
    """
    project.device(device)
    setup = Setup(
        python=project.interpreter(python),
        base=project.root,
        folder=project.root,
        home=project.root,
        environment=dict(project.config.environment),
    )
    try:
        with WorkerProcess(setup) as worker:
            reply = worker.ask(Request(environment=device, policy=policy(project)), 120.0)
    except WorkerDied as error:
        printed = error.output.strip()[-1000:]
        raise WorkerError(
            f"the worker {error.how} while it looked at device {device}" + (f":\n{printed}" if printed else ""),
            "perftrack doctor says more.",
        ) from error
    if reply.failure is not None:
        raise WorkerError(reply.failure.message, reply.failure.hint or None)
    if reply.fingerprint is None:
        raise WorkerError("the worker answered out of turn")
    return EnvironmentFingerprint.from_dict(reply.fingerprint)


def stored_pair(
    project: Project, baseline: str, candidate: str
) -> tuple[EnvironmentFingerprint, EnvironmentFingerprint]:
    """Two recorded environments, each by id, by key, or by a revision that has one (its newest)."""
    return _stored(project, baseline), _stored(project, candidate)


def _stored(project: Project, name: str) -> EnvironmentFingerprint:
    known = project.store.fingerprints()
    for fingerprint in known.values():
        if len(name) >= 8 and (fingerprint.id.startswith(name) or fingerprint.key_id.startswith(name)):
            return fingerprint
    sha = project.repository.resolve(name)
    for measurement in project.store.measurements(sha):
        if measurement.fingerprint is not None:
            return measurement.fingerprint
    raise StoreError(f"no environment is recorded for {name} ({sha[:12]})", f"perftrack record {name}")
