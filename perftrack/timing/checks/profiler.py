"""Who may read the GPU's counters, without trying: the profiler itself is tried by the coordinator."""

from __future__ import annotations

import os
import re

from perftrack.core.checkup import Finding, ok, unknown, warn
from perftrack.timing.checks.clocks import administers
from perftrack.timing.checks.scene import Scene


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
