"""A rig in a worker process, as the search sees it: every question becomes a message, every failure an error."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from perftrack.ceiling.protocols import (
    Burst,
    IdleSibling,
    KernelTuner,
    RigFacts,
    ShapeRefusedError,
    SiblingWatch,
)
from perftrack.ceiling.streams import Stream, Timing
from perftrack.core.ceiling import DataType, Shape
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Evidence, Reason
from perftrack.core.tiers import Exclusivity
from perftrack.errors import DeviceError, InvalidValueError, WorkerError
from perftrack.suite.messages import FailureOf, Request, RigAction, RigRequest
from perftrack.suite.pool import WorkerDied, WorkerProcess

OPEN_TIMEOUT_S = 300.0  # importing torch from a cold disk, and starting the device
ASK_TIMEOUT_S = 300.0
TUNE_TIMEOUT_S = 1800.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the tier of a result needs to know of its process and device."""

    locked: bool
    exclusivity: Exclusivity
    company: str
    no_evidence_why: str


class RemoteRig:
    """Asks a started worker. `interrupted`: set by another thread, it makes every call raise KeyboardInterrupt.

    Raises what protocols.Rig says; a worker that died or hung is a DeviceError.
    """

    def __init__(
        self,
        worker: WorkerProcess,
        kind: str,
        index: int,
        dtype: DataType,
        *,
        telemetry: bool = True,
        policy: str = "",
        interrupted: threading.Event | None = None,
    ) -> None:
        self._worker = worker
        self._interrupted = interrupted or threading.Event()
        self._now = 0.0
        request = RigRequest(
            RigAction.OPEN, kind=kind, index=index, dtype=dtype.value, telemetry=telemetry, policy=policy
        )
        answer = self._ask(request, OPEN_TIMEOUT_S)
        self.facts = _converted(answer["facts"], RigFacts)
        self.fingerprint = EnvironmentFingerprint.from_dict(_converted(answer["fingerprint"], dict[str, object]))
        self.circumstances = _converted(answer["circumstances"], Circumstances)
        self.notes = _converted(answer["notes"], tuple[Reason, ...])
        self.siblings: SiblingWatch | None = _Siblings(self._ask) if answer["siblings"] else None
        self.tuner: KernelTuner | None = _Tuner(self._ask) if answer["tuner"] else None

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        answer = self._ask(_of_shape(RigAction.BURST, shape, iterations=iterations, warmup=warmup, idle_s=idle_s))
        return _converted(answer["burst"], Burst)

    def idle(self, seconds: float) -> None:
        self._ask(RigRequest(RigAction.IDLE, idle_s=seconds))

    def now(self) -> float:
        """The rig's clock when it last answered: a burst ended then, and nothing has been asked since."""
        return self._now

    def stream(self, stream: Stream, elements: int, samples: int, calls: int) -> tuple[Timing, Evidence]:
        request = RigRequest(
            RigAction.STREAM, stream=stream.value, elements=elements, iterations=samples, calls=calls
        )
        answer = self._ask(request)
        return _converted(answer["timing"], Timing), _converted(answer["evidence"], Evidence)

    def look_again(self) -> Circumstances:
        """The circumstances now; those from the start where the worker is gone."""
        try:
            answer = self._ask(RigRequest(RigAction.CIRCUMSTANCES))
            self.circumstances = _converted(answer["circumstances"], Circumstances)
        except (DeviceError, KeyboardInterrupt):
            pass
        return self.circumstances

    def _ask(self, request: RigRequest, timeout_s: float = ASK_TIMEOUT_S) -> dict[str, object]:
        answer = ask(self._worker, request, timeout_s, self._interrupted)
        if isinstance(now := answer.get("now"), int | float):
            self._now = float(now)
        return answer


Ask = Callable[..., dict[str, object]]


class _Siblings:
    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def begin(self) -> None:
        self._ask(RigRequest(RigAction.WATCH))

    def end(self) -> tuple[IdleSibling, ...]:
        """Nothing where the worker is gone: that is told by what failed."""
        with contextlib.suppress(DeviceError, KeyboardInterrupt):
            return self._told()
        return ()

    def _told(self) -> tuple[IdleSibling, ...]:
        return _converted(self._ask(RigRequest(RigAction.WATCHED))["idle"], tuple[IdleSibling, ...])


class _Tuner:
    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def pause(self) -> None:
        self._ask(RigRequest(RigAction.PAUSE_TUNING))

    def tune(self, shape: Shape) -> None:
        self._ask(_of_shape(RigAction.TUNE, shape), TUNE_TIMEOUT_S)


def ask(
    worker: WorkerProcess, request: RigRequest, timeout_s: float, interrupted: threading.Event
) -> dict[str, object]:
    """A worker's answer about its rig. Raises as RemoteRig does, InvalidValueError for a request that is wrong."""
    if interrupted.is_set():
        raise KeyboardInterrupt
    if not worker.alive:
        raise DeviceError("the process that measures has ended", "perftrack doctor says more of the device.")
    try:
        reply = worker.ask(Request(rig=request), timeout_s)
    except WorkerDied as error:
        if interrupted.is_set():
            raise KeyboardInterrupt from error
        printed = error.output.strip()[-500:]
        raise DeviceError(
            f"the process that measures {error.how}" + (f":\n{printed}" if printed else ""),
            "perftrack doctor says more of the device.",
        ) from error
    if (failure := reply.failure) is not None:
        hint = failure.hint or None
        if failure.where == FailureOf.SHAPE:
            raise ShapeRefusedError(failure.message, hint)
        if failure.where == FailureOf.DEVICE:
            raise DeviceError(failure.message, hint)
        raise InvalidValueError(failure.message, hint)
    if reply.rig is None:
        raise WorkerError("the worker answered out of turn")
    return reply.rig


def find_devices(worker: WorkerProcess, kind: str, interrupted: threading.Event) -> tuple[str, int]:
    """The kind of device that `kind` means here, and how many there are."""
    answer = ask(worker, RigRequest(RigAction.DEVICES, kind=kind), OPEN_TIMEOUT_S, interrupted)
    return _converted(answer["kind"], str), _converted(answer["count"], int)


def _of_shape(action: RigAction, shape: Shape, **more: float) -> RigRequest:
    return RigRequest(action, m=shape.m, n=shape.n, k=shape.k, **more)  # type: ignore[arg-type]


def _converted(value: object, kind: type[T]) -> T:
    """A part of an answer as what it was made from. Raises WorkerError for an answer that does not fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise WorkerError(f"the worker answered what it was not asked: {error}") from error
