"""The checkup on a real GPU. Run with -s to see all of it. Sets nothing on the device."""

from __future__ import annotations

import os
from typing import Any

import pytest

from perftrack.core.checkup import Health
from perftrack.timing.checkup import check_up

torch: Any = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def test_every_check_finds_something_out() -> None:
    checkup = check_up("cuda", coordinator=os.getppid())
    found = {f.name: f for f in checkup.findings}
    for f in checkup.findings:
        print(f"{f.status:8}{f.name:17}{f.seen}" + (f"\n{'':25}-> {f.advice}" if f.advice else ""))
    assert checkup.possible
    assert not [f for f in checkup.findings if "the check failed" in f.seen]
    assert found["device"].status is Health.OK
    assert "UUID" in found["card"].seen
    assert 0 < found["timer"].numbers["resolution_s"] < 1e-5
    assert 0 < found["power-limit"].numbers["limit_w"] < 5000
    assert 0 < found["heat"].numbers["temperature_c"] < 110
    assert 0 < found["telemetry-cost"].numbers["clock_us"] < 1000
    assert found["clock-lock"].numbers["clock_mhz"] > 0


def test_auto_is_the_gpu() -> None:
    assert check_up("auto").device in ("cuda", "rocm")
