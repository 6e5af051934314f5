"""One call of a case for a profiler to look at, in this process. Standard library only.

The profiler is told to wait for the marks, so that set-up, compilation, autotuning and warm-up are not in the
profile and run at full speed.
"""

from __future__ import annotations

import gc
from contextlib import nullcontext

from perftrack.core.deferral import deferred
from perftrack.core.model import Status
from perftrack.errors import MeasurementError
from perftrack.suite.declared import Declaration
from perftrack.suite.messages import CaseResult, RunCase
from perftrack.suite.setup import prepared
from perftrack.timing.devices import open_device
from perftrack.timing.marking import marked

# Enough for what compiles, tunes or captures on its first calls; the profiler has no use for a steady clock.
WARM_CALLS = 3


def call_marked(declaration: Declaration, request: RunCase, source: str) -> CaseResult:
    """Set up, warm up, one call between the marks. Nothing of it is timed.

    Raises DeviceError where the device is not there or cannot be marked, MeasurementError for a callable that
    only makes its work.
    """
    with prepared(declaration, request.params, source) as (work, _):
        device = open_device(request.device or declaration.device)
        try:
            if device.kind not in ("cuda", "replay"):
                return CaseResult(Status.SKIPPED, f"it runs on {device.kind}: ncu profiles NVIDIA GPUs")
            for _ in range(max(WARM_CALLS, declaration.warmup or 0)):
                if found := deferred(work()):
                    raise MeasurementError(
                        f"the callable returned {found.what}: its work would not be profiled", found.hint
                    )
            device.synchronize()
            gc.collect()
            # A replayed device has no driver, and nothing runs on it that could be marked.
            with marked(device.index) if device.kind == "cuda" else nullcontext():
                work()
                device.synchronize()
            return CaseResult(Status.OK)
        finally:
            device.close()
