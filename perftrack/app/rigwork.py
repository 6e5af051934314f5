"""The worker's side of finding ceilings: answers what is asked of the one rig that is open in it.

Standard library only. The coordinator searches and this process only measures, so that a device that fails, or
takes its process along, ends a search that keeps everything it had found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from perftrack.app.rigopen import OpenRig, find_devices, open_torch
from perftrack.ceiling.protocols import ShapeRefusedError
from perftrack.ceiling.streams import Stream
from perftrack.core.ceiling import DataType, Shape
from perftrack.core.company import CardUse
from perftrack.errors import DeviceError, PerftrackError
from perftrack.suite.messages import FailureOf, Problem, Reply, RigAction, RigRequest


class RigWork:
    """`uses`: what cards were used for before the run."""

    def __init__(self, uses: Sequence[CardUse] = ()) -> None:
        self._uses = uses
        self._open: OpenRig | None = None

    def answer(self, request: RigRequest) -> Reply:
        """What was measured, or a failure whose `where` says what it is about."""
        try:
            return Reply(rig=self._answer(request))
        except ShapeRefusedError as error:
            return _failure(FailureOf.SHAPE, error)
        except DeviceError as error:
            return _failure(FailureOf.DEVICE, error)
        except PerftrackError as error:
            return _failure(FailureOf.REQUEST, error)

    def _answer(self, request: RigRequest) -> dict[str, object]:
        if request.action is RigAction.DEVICES:
            kind, count = find_devices(request.kind)
            return {"kind": kind, "count": count}
        if request.action is RigAction.OPEN:
            self.close()
            self._open = self._opened(request)
            return _introduced(self._open)
        if self._open is None:
            raise DeviceError("no rig is open")
        return _measured(self._open, request)

    def _opened(self, request: RigRequest) -> OpenRig:
        dtype = DataType(request.dtype)
        if request.kind == "replay":
            from perftrack.app.rigreplay import open_replay  # needs NumPy, which a project may lack

            return open_replay(dtype, telemetry=request.telemetry)
        return open_torch(
            request.kind,
            request.index,
            dtype,
            telemetry=request.telemetry,
            policy=request.policy,
            uses=self._uses,
        )

    def close(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened.close()


def _introduced(opened: OpenRig) -> dict[str, object]:
    return {
        "facts": asdict(opened.rig.facts),
        "fingerprint": opened.fingerprint.to_dict(),
        "siblings": opened.rig.siblings is not None,
        "tuner": opened.rig.tuner is not None,
        "circumstances": _circumstances(opened),
        "notes": [asdict(note) for note in opened.notes],
        "now": opened.rig.now(),
    }


def _measured(opened: OpenRig, request: RigRequest) -> dict[str, object]:
    rig = opened.rig
    answer: dict[str, object] = {}
    shape = Shape(request.m, request.n, request.k)
    match request.action:
        case RigAction.BURST:
            burst = rig.burst(shape, request.iterations, warmup=request.warmup, idle_s=request.idle_s)
            answer = {"burst": asdict(burst)}
        case RigAction.IDLE:
            rig.idle(request.idle_s)
        case RigAction.STREAM:
            answer = _streamed(opened, request)
        case RigAction.WATCH if rig.siblings is not None:
            rig.siblings.begin()
        case RigAction.WATCHED if rig.siblings is not None:
            answer = {"idle": [asdict(s) for s in rig.siblings.end()]}
        case RigAction.PAUSE_TUNING if rig.tuner is not None:
            rig.tuner.pause()
        case RigAction.TUNE if rig.tuner is not None:
            rig.tuner.tune(shape)
        case RigAction.CIRCUMSTANCES:
            answer = {"circumstances": _circumstances(opened)}
        case _:
            raise DeviceError(f"this rig cannot {request.action}")
    return {**answer, "now": rig.now()}


def _circumstances(opened: OpenRig) -> dict[str, object]:
    occupancy = opened.telemetry.occupancy()
    return {
        "locked": opened.telemetry.locked(),
        "exclusivity": occupancy.exclusivity.value,
        "company": occupancy.detail,
        "no_evidence_why": opened.telemetry.why_none,
    }


def _streamed(opened: OpenRig, request: RigRequest) -> dict[str, object]:
    timing, evidence = opened.stream(Stream(request.stream), request.elements, request.iterations, request.calls)
    return {"timing": asdict(timing), "evidence": asdict(evidence)}


def _failure(about: FailureOf, error: PerftrackError) -> Reply:
    return Reply(failure=Problem(about.value, error.message, error.hint or ""))
