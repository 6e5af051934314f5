"""Doctor's look at the profiler: it is run, on a kernel of its own, and a counter is read."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.checkup import Checkup, Finding, ok, unknown, warn
from perftrack.errors import ProfileError
from perftrack.ncu.probe import COUNTER, Probe
from perftrack.ncu.tool import find_tool
from perftrack.suite.launch import Setup

_NOT_NEEDED = "Measuring does not need it; record --ncu does."


def check_ncu(checkup: Checkup, setup: Setup, ncu: str) -> tuple[Finding, ...]:
    """What ncu says where kernels would be measured, on an NVIDIA GPU; nothing elsewhere. `ncu`: as configured."""
    if checkup.device != "cuda":
        return ()
    return (replace(_try(checkup, setup, ncu), name="ncu", area="profiler"),)


def _try(checkup: Checkup, setup: Setup, ncu: str) -> Finding:
    try:
        tool = find_tool(ncu)
    except ProfileError as error:
        return warn(error.message, f"{error.hint or ''} {_NOT_NEEDED}".strip())
    found = f"{tool.path}, version {tool.version}"
    if not checkup.possible:
        return unknown(f"{found}: not tried", "It is tried once the device can be used.")
    try:
        count = Probe(tool, setup.python, dict(setup.environment)).read_counter()
    except ProfileError as error:
        return warn(f"{found}: {error.message}", f"{error.hint or ''} {_NOT_NEEDED}".strip())
    return ok(f"{found}: read {COUNTER} of a kernel ({count:g})", instructions=count)
