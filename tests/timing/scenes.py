"""Scenes for the checks of the measuring environment: fake cards, and hosts that are a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perftrack.core.checkup import Finding
from perftrack.errors import DeviceError
from perftrack.timing.card import Card
from perftrack.timing.checks.scene import Scene
from perftrack.timing.checkup import findings
from perftrack.timing.devices.cpu import CpuDevice
from perftrack.timing.nvml import NvmlGauge
from tests.timing.fake_nvml import FakeCard, FakeNvml, Slice

PROOF = "UUID from torch"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def on_cpu(root: Path, files: dict[str, str] | None = None, *, resolution_s: float = 1e-7, **facts: Any) -> Scene:
    """A host whose /proc and /sys are `files`."""
    facts = {"device": CpuDevice(resolution_s, 1 << 20), "environ": {}} | facts
    return Scene("cpu", root=write(root, files or {}), state=root / "state", **facts)


def on_card(
    root: Path, nvml: FakeNvml, *, files: dict[str, str] | None = None, proof: str = PROOF, **facts: Any
) -> Scene:
    """The first card of a fake NVML, or its first slice where it is split, as the device cuda."""
    board = nvml.cards[0]
    handle: FakeCard | Slice = board.slices[0] if board.slices else board
    gauge = NvmlGauge(Card(nvml, handle, board, handle.uuid, proof))
    facts = {"gauge": gauge, "environ": {}} | facts
    return Scene("cuda", root=write(root, files or {}), state=root / "state", **facts)


def without_readings(root: Path, message: str, hint: str | None = None, kind: str = "cuda") -> Scene:
    return Scene(kind, no_gauge=DeviceError(message, hint), root=root, state=root / "state", environ={})


def finding(name: str, scene: Scene) -> Finding:
    (found,) = [f for f in findings(scene) if f.name == name]
    return found
