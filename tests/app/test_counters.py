"""Doctor's finding about ncu: run, and what it read or why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.app.counters import check_ncu
from perftrack.core.checkup import Checkup, Finding, Health, fail
from perftrack.ncu.kernel import PRINTS
from perftrack.ncu.probe import COUNTER
from perftrack.suite.launch import Setup
from tests import fake_ncu


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A worker's Python that prints what a kernel wrote, and an ncu that counted four instructions of it."""
    for name, value in fake_ncu.install(tmp_path / "bin").items():
        monkeypatch.setenv(name, value)
    (tmp_path / "probe.csv").write_text(fake_ncu.raw_page({COUNTER: ("4", "inst")}))
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {PRINTS}\n")
    python.chmod(0o755)
    environment = {"FAKE_NCU_CSV": str(tmp_path / "probe.csv")}
    return Setup(str(python), tmp_path, tmp_path, tmp_path, environment=environment)


def check(setup: Setup, *findings: Finding, device: str = "cuda", ncu: str = "") -> tuple[Finding, ...]:
    return check_ncu(Checkup(device, setup.python, findings), setup, ncu)


def test_a_counter_that_was_read_is_told_with_its_value(setup: Setup) -> None:
    (found,) = check(setup)
    assert (found.status, found.name, found.area, found.advice) == (Health.OK, "ncu", "profiler", "")
    assert fake_ncu.VERSION in found.seen
    assert found.numbers == {"instructions": 4.0}


def test_no_permission_is_a_warning_with_what_to_do(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_NCU_SAYS", fake_ncu.NO_PERMISSION)
    (found,) = check(setup)
    assert found.status is Health.WARN
    assert "ERR_NVGPUCTRPERM" in found.seen
    assert "record --ncu does" in found.advice


def test_without_ncu_measuring_is_still_possible(setup: Setup) -> None:
    (found,) = check(setup, ncu="/no/such/ncu")
    assert found.status is Health.WARN
    assert "Measuring does not need it" in found.advice
    assert not found.blocks


def test_on_a_device_that_cannot_be_used_it_is_not_tried(setup: Setup) -> None:
    (found,) = check(setup, fail("no driver", "Install one.", blocks=True))
    assert found.status is Health.UNKNOWN


@pytest.mark.parametrize("device", ["cpu", "replay", "rocm"])
def test_elsewhere_there_is_nothing_to_try(setup: Setup, device: str) -> None:
    assert check(setup, device=device) == ()
