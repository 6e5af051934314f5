"""The replay device's rig: the card on paper, with the numbers that the replay file gives it under "ceiling".

They are fields of ceiling.card.CardModel, with "noise" of an iteration, "interrupt_at" or "fail_at" (the call of
the rig at which it happens), and the "l2_rate" and "l2_bytes" of its cache. Needs NumPy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from perftrack.app.rigopen import OpenRig
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.model_streams import ModelStreams
from perftrack.core.ceiling import DataType
from perftrack.core.model import Evidence
from perftrack.errors import DeviceError
from perftrack.timing.devices.replay import ReplayTelemetry, open_playback
from perftrack.timing.environment import capture

L2_RATE, L2_BYTES = 1.1e13, 60 << 20
_MODELLED = {f.name: f.type for f in dataclasses.fields(CardModel) if f.type in ("int", "float")}
_OTHERS = {"noise", "interrupt_at", "fail_at", "l2_rate", "l2_bytes"}


def open_replay(dtype: DataType, *, telemetry: bool = True) -> OpenRig:
    """Raises DeviceError where the replay file has no card, or one with numbers that do not exist."""
    recording = open_playback().recording
    given = recording.ceiling
    if not given:
        raise DeviceError(
            f'{recording.path} has no "ceiling": no card to find the ceilings of',
            'Add "ceiling": {"seed": 1} to it.',
        )
    if extra := sorted(set(given) - set(_MODELLED) - _OTHERS):
        raise DeviceError(f'{recording.path}: unknown number(s) under "ceiling": {", ".join(extra)}')
    model = CardModel(dtype=dtype, **_numbers(given))
    rig = ModelRig(
        model,
        seed=model.seed,
        noise=given.get("noise", ModelRig(model).noise),
        telemetry=telemetry,
        mishaps=Mishaps(interrupt_at=_whole(given, "interrupt_at"), fail_at=_whole(given, "fail_at")),
    )
    l2_bytes = int(given.get("l2_bytes", L2_BYTES))
    rig.facts = dataclasses.replace(rig.facts, l2_bytes=l2_bytes, memory_bytes=model.memory_bytes)
    streams = ModelStreams(model.memory_rate, given.get("l2_rate", L2_RATE), l2_bytes, model.seed)
    evidence = _Evidence(model, telemetry=telemetry)
    return OpenRig(rig, streams, capture("replay"), evidence, streams.close)


class _Evidence(ReplayTelemetry):
    """The replay's telemetry, with the model's clock and power around passes over arrays."""

    def __init__(self, model: CardModel, *, telemetry: bool) -> None:
        super().__init__(open_playback())
        self._seen = Evidence((model.top_clock_mhz,), power_w=model.idle_w * 3) if telemetry else Evidence()

    def end(self) -> Evidence:
        return self._seen


def _numbers(given: Mapping[str, float]) -> dict[str, Any]:
    return {n: int(v) if _MODELLED[n] == "int" else float(v) for n, v in given.items() if n in _MODELLED}


def _whole(given: Mapping[str, float], name: str) -> int | None:
    return int(given[name]) if name in given else None
