"""Measured ceilings for tests of what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from perftrack.app.deviceceilings import DeviceCeilings, Part
from perftrack.app.remoterig import Circumstances
from perftrack.ceiling.protocols import RigFacts
from perftrack.core.ceiling import CeilingReport, CeilingResult, DataType, Definition, Ending, Shape
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Interval
from perftrack.core.tiers import Exclusivity

CARD = EnvironmentFingerprint(device_kind="cuda", gpu_name="NVIDIA H200", driver_version="580.1", host="node7")
ALONE = Circumstances(False, Exclusivity.EXCLUSIVE, "", "")
FACTS = RigFacts("NVIDIA H200", DataType.BFLOAT16, unit_count=132, l2_bytes=60 << 20, telemetry="nvml")
MAMF = CeilingResult(
    Definition.MAMF,
    "v1/mamf-median5",
    8.5e14,
    Interval(8.45e14, 8.55e14),
    Shape(1536, 2816, 40960),
    DataType.BFLOAT16,
    peak=8.6e14,
    repeats=(8.49e14, 8.5e14, 8.51e14),
    clock_mhz=1980.0,
    power_w=520.0,
    temperature_c=50.0,
    event_reasons=0,
    validated=True,
)
MSMF = replace(
    MAMF,
    definition=Definition.MSMF,
    protocol="v1/msmf-repeats",
    value=7.5e14,
    interval=None,
    shape=Shape(1536, 2816, 6144),
    peak=7.6e14,
    repeats=(7.5e14,),
    event_reasons=4,
)
COPY = CeilingResult(
    Definition.COPY_DEVICE, "v1/copy-device", 4.2e12, None, peak=4.3e12, repeats=(4.2e12,), clock_mhz=1700.0,
    validated=True,
)  # fmt: skip


def part(*results: CeilingResult, **fields: Any) -> Part:
    report = CeilingReport(tuple(r for r in results if r.dtype), Ending.COMPLETE, shapes=467, bursts=700)
    bandwidth = tuple(r for r in results if not r.dtype)
    given = {"report": report, "bandwidth": bandwidth} | fields
    return Part(
        DataType.BFLOAT16, FACTS, given.pop("fingerprint", CARD), given.pop("circumstances", ALONE), **given
    )


def device(*parts: Part, name: str = "cuda:0") -> DeviceCeilings:
    return DeviceCeilings(name, parts, None, 130.0)
