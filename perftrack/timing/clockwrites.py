"""Setting a card's clocks and power limit: through NVML, and through nvidia-smi where NVML refuses.

What a call returns proves nothing: both can report success for a write that did not happen, so callers
read back.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from perftrack.errors import ClockLockError

Smi = Callable[[Sequence[str]], None]
_SMI_TIMEOUT_S = 30.0


def run_smi(arguments: Sequence[str]) -> None:
    """Run nvidia-smi. Raises ClockLockError with what it printed where it is missing, hangs or fails."""
    path = shutil.which("nvidia-smi")
    if path is None:
        raise ClockLockError("nvidia-smi is not installed")
    try:
        done = subprocess.run(
            [path, *arguments], capture_output=True, text=True, timeout=_SMI_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ClockLockError(f"nvidia-smi did not answer within {_SMI_TIMEOUT_S:g} s") from error
    except OSError as error:
        raise ClockLockError(f"nvidia-smi can't be run: {error.strerror}") from error
    if done.returncode != 0:
        text = (done.stdout + done.stderr).strip().splitlines()
        raise ClockLockError(f"nvidia-smi: {text[0] if text else f'exit code {done.returncode}'}")


@dataclass(frozen=True, slots=True)
class ClockWrites:
    """The writes to one card. Each raises ClockLockError where NVML and nvidia-smi both refuse."""

    api: Any
    handle: Any
    uuid: str
    smi: Smi = run_smi

    def lock_sm_clock(self, mhz: int) -> None:
        self._write("lock the SM clock", ["-lgc", f"{mhz},{mhz}"], "nvmlDeviceSetGpuLockedClocks", mhz, mhz)

    def unlock_sm_clock(self) -> None:
        self._write("unlock the SM clock", ["-rgc"], "nvmlDeviceResetGpuLockedClocks")

    def set_power_limit(self, milliwatts: int) -> None:
        watts = f"{milliwatts / 1000:g}"
        self._write("set the power limit", ["-pl", watts], "nvmlDeviceSetPowerManagementLimit", milliwatts)

    def sm_clock_mhz(self) -> float | None:
        return self._read("nvmlDeviceGetClockInfo", 1)

    def power_limit_mw(self) -> int | None:
        value = self._read("nvmlDeviceGetPowerManagementLimit")
        return None if value is None else int(value)

    def power_range_mw(self) -> tuple[int, int] | None:
        try:
            low, high = self.api.nvmlDeviceGetPowerManagementLimitConstraints(self.handle)
        except self.api.NVMLError:
            return None
        return int(low), int(high)

    def _read(self, name: str, *arguments: object) -> float | None:
        try:
            return float(getattr(self.api, name)(self.handle, *arguments))
        except self.api.NVMLError:
            return None

    def _write(self, what: str, smi_arguments: list[str], name: str, *arguments: object) -> None:
        try:
            getattr(self.api, name)(self.handle, *arguments)
        except (self.api.NVMLError, AttributeError) as refused:
            try:
                self.smi(["-i", self.uuid, *smi_arguments])
            except ClockLockError as error:
                raise ClockLockError(f"could not {what}: NVML: {refused}; {error.message}", _hint()) from error


def _hint() -> str:
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        return "changing clocks needs root: run as root, or measure with unlocked clocks"
    return "the card or its driver does not allow this; measure with unlocked clocks"
