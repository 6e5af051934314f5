"""Checks of NVIDIA's profiler: whether it is here, and whether it may read the counters. It is not run."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from perftrack.core.checkup import Finding, ok, unknown, warn
from perftrack.timing.checks.clocks import administers
from perftrack.timing.checks.scene import Scene

_TOOLKIT = "usr/local/cuda/bin/ncu"


def ncu(scene: Scene) -> Finding:
    path = shutil.which("ncu", path=scene.environ.get("PATH", ""))
    if path is not None:
        return ok(path)
    if scene.exists(_TOOLKIT):
        folder = str(Path("/", _TOOLKIT).parent)
        return warn(f"ncu is in {folder}, which is not on PATH", f'export PATH="{folder}:$PATH"')
    return warn("ncu is not on PATH", "Install Nsight Compute to profile kernels; measuring does not need it.")


def counters(scene: Scene) -> Finding:
    """Who may read hardware counters, by the driver's own setting."""
    parameters = scene.text("proc/driver/nvidia/params")
    match = re.search(r"^RmProfilingAdminOnly:\s*(\d+)", parameters or "", re.MULTILINE)
    if match is None:
        return unknown(
            "the driver's setting can't be read", "ncu itself will say (ERR_NVGPUCTRPERM means: not allowed)."
        )
    if match[1] == "0":
        return ok("any user may read them")
    if os.geteuid() == 0 and administers(scene):
        return ok("administrators may read them, and this is one")
    return warn(
        "only administrators may read them, and this is none",
        "Profile as root (in a container with CAP_SYS_ADMIN), or load the driver with "
        "NVreg_RestrictProfilingToAdminUsers=0.",
    )
