"""A worker that is this process: requests and replies go through their JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec

from perftrack.app.rigopen import OpenRig
from perftrack.app.rigwork import RigWork
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.model_streams import ModelStreams
from perftrack.core.ceiling import DataType
from perftrack.errors import DeviceError
from perftrack.suite.messages import Reply, Request, RigAction, RigRequest, encode
from perftrack.suite.pool import WorkerDied
from perftrack.timing.telemetry import NoTelemetry
from tests.app.ceiling_builders import CARD


class Work(RigWork):
    """Opens the card on paper whatever is asked for, except `refused` types. `devices`: how many there are."""

    def __init__(
        self, mishaps: Mishaps | None = None, *, devices: int = 1, refused: tuple[str, ...] = (), **rig: Any
    ) -> None:
        super().__init__()
        self.devices = devices
        self.refused = refused
        self.rig = ModelRig(rig.pop("model", CardModel(seed=3)), mishaps=mishaps or Mishaps(), **rig)
        self.closed = 0

    def _answer(self, request: RigRequest) -> dict[str, object]:
        if request.action is RigAction.DEVICES:
            return {"kind": "cuda", "count": self.devices}
        return super()._answer(request)

    def _opened(self, request: RigRequest) -> OpenRig:
        if request.dtype in self.refused:
            raise DeviceError(f"does not multiply {request.dtype}")
        self.rig.facts = replace(self.rig.facts, dtype=DataType(request.dtype))
        streams = ModelStreams(4e12, 1e13, 60 << 20)
        return OpenRig(self.rig, streams, CARD, NoTelemetry("none on paper"), self._count)

    def _count(self) -> None:
        self.closed += 1


class Loopback:
    """Answers like suite.pool's WorkerProcess. `dies_at`: the number of the request at which it does."""

    def __init__(self, work: RigWork, dies_at: int | None = None) -> None:
        self.work = work
        self.alive = True
        self.asked: list[RigAction] = []
        self._dies_at = dies_at

    def ask(self, request: Request, timeout_s: float) -> Reply:
        if len(self.asked) == self._dies_at:
            self.alive = False
            raise WorkerDied("was killed by SIGKILL (out of memory?)", "the last words")
        data = json.loads(encode(request))["rig"]
        rig = RigRequest(**{**data, "action": RigAction(data["action"])})
        self.asked.append(rig.action)
        return msgspec.json.decode(encode(self.work.answer(rig)), type=Reply)

    def __enter__(self) -> Loopback:
        return self

    def __exit__(self, *_: object) -> None:
        self.alive = False

    def kill(self) -> None:
        self.alive = False
