"""Checks of the process that measures: its interpreter, torch, the device it opens, and that device's timer."""

from __future__ import annotations

import sys
import sysconfig
from statistics import median
from time import perf_counter_ns
from typing import Any

from perftrack.core.checkup import Finding, fail, ok, warn
from perftrack.core.model import Timer
from perftrack.timing.checks.scene import Scene
from perftrack.timing.devices import UNTESTED_ON_HARDWARE
from perftrack.timing.gauge import torch_identity
from perftrack.timing.host import cpu_model
from perftrack.timing.session import MIN_HOST_SAMPLE_S, RESOLUTION_FACTOR
from perftrack.timing.toolchain import installed_version, python_version

# Reading these takes a trip to a chip outside the processor, a microsecond or more.
SLOW_CLOCKS = ("hpet", "acpi_pm", "pit", "jiffies")
SLOW_READ_S = 1e-6
# A sample lasts 100 steps: beyond this, short benchmarks become batches of many calls.
COARSE_STEP_S = 10e-6
_NVIDIA_DRIVER = ("dev/nvidiactl", "dev/nvidia0", "proc/driver/nvidia/version", "dev/dxg")
_AMD_DRIVER = ("dev/kfd",)
INSTALL = "pip install torch in it, or name another Python with --python."
REINSTALL = "Reinstall torch in this Python, or name another with --python."


def interpreter(scene: Scene) -> Finding:
    seen = f"Python {python_version()}, {sys.executable}"
    slow = []
    if sysconfig.get_config_var("Py_DEBUG"):
        slow.append("it is a debug build")
    if sys.flags.dev_mode:
        slow.append("development mode is on")
    if sys.gettrace() is not None or sys.getprofile() is not None:
        slow.append("a tracer or profiler is set")
    if malloc := scene.environ.get("PYTHONMALLOC", ""):
        slow += [f"PYTHONMALLOC={malloc} checks every allocation"] if "debug" in malloc else []
    if slow:
        return warn(f"{seen}: {'; '.join(slow)}", "Measure with a release build run as your users run it.")
    return ok(seen)


def torch(scene: Scene) -> Finding:
    loaded: Any = sys.modules.get("torch")
    if scene.torch_problem:
        return fail(scene.torch_problem, REINSTALL)
    if loaded is not None:
        return _loaded_torch(scene, loaded)
    version = installed_version("torch")
    if scene.on_accelerator:
        if version is not None:
            return fail(f"torch {version} is installed, but can't be imported", REINSTALL)
        return fail("torch is not installed in this Python", INSTALL)
    if version is not None:
        return ok(f"torch {version} is installed; device {scene.kind} does not need it")
    if driver := _driver(scene):
        return warn(f"{driver}, but torch is not installed in this Python: only the CPU can be measured", INSTALL)
    return ok("not installed; only work on a GPU needs it")


def _loaded_torch(scene: Scene, loaded: Any) -> Finding:
    hip, cuda = loaded.version.hip, loaded.version.cuda
    built = f"built for HIP {hip}" if hip else f"built for CUDA {cuda}" if cuda else "built without CUDA and HIP"
    seen = f"torch {loaded.__version__}, {built}"
    if scene.kind in ("cuda", "rocm") and not (hip or cuda):
        return fail(seen, "Install a build of torch for this machine's GPU (pytorch.org says which).")
    if scene.kind == "cpu" and (driver := _driver(scene)):
        return warn(
            f"{seen}; {driver}, but torch sees no GPU",
            "Check CUDA_VISIBLE_DEVICES, and that torch's build fits the driver.",
        )
    return ok(seen)


def device(scene: Scene) -> Finding:
    if scene.device is None:
        refusal = scene.refusal
        seen = refusal.message if refusal else f"no device {scene.kind}"
        hint = (refusal.hint if refusal else None) or "Name another with --device."
        return fail(seen, hint, blocks=True)
    if scene.kind == "replay":
        return ok("replay: recorded samples are played back, nothing is measured")
    name = f"{scene.kind}:{scene.device.index}"
    identity = torch_identity(scene.device.index) if scene.kind in ("cuda", "rocm") else None
    model = identity.name if identity else str(cpu_model(scene.root)) if scene.kind == "cpu" else ""
    return ok(f"{name} {model}".rstrip())


def backend(scene: Scene) -> Finding | None:
    if scene.kind not in UNTESTED_ON_HARDWARE:
        return None
    return warn(
        f"{scene.kind}: untested on hardware",
        "It was written against the vendor's documentation: hold its times against a profiler's, and report both.",
    )


def timer(scene: Scene) -> Finding | None:
    if scene.device is None or scene.kind == "replay":
        return None
    step = scene.device.resolution_s
    host = scene.device.timer is Timer.HOST
    shortest = max(RESOLUTION_FACTOR * step, MIN_HOST_SAMPLE_S if host else 0.0)
    least = f"a sample lasts at least {_time(shortest)}"
    seen = f"{scene.device.timer.value}, steps of {_time(step)}: {least}"
    if scene.kind != "cpu":
        if step > COARSE_STEP_S:
            return warn(seen, "Short kernels are measured many calls at a time.", resolution_s=step)
        return ok(seen, resolution_s=step)
    cost = clock_read_s()
    source = scene.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
    seen = f"{seen}; a read takes {_time(cost)}" + (f" (clock source {source})" if source else "")
    if source in SLOW_CLOCKS or cost > SLOW_READ_S or step > COARSE_STEP_S:
        return warn(
            seen,
            "The kernel has no fast clock here; dmesg says why it gave up tsc. A newer hypervisor may help.",
            resolution_s=step,
            read_s=cost,
        )
    return ok(seen, resolution_s=step, read_s=cost)


def clock_read_s(rounds: int = 5, reads: int = 1000) -> float:
    """Seconds that one read of the host's clock takes: median of `rounds`, loop included."""
    spent = []
    for _ in range(rounds):
        started = perf_counter_ns()
        for _ in range(reads):
            perf_counter_ns()
        spent.append(perf_counter_ns() - started)
    return median(spent) * 1e-9 / reads


def _driver(scene: Scene) -> str:
    if scene.exists(*_NVIDIA_DRIVER):
        return "an NVIDIA driver is here"
    return "an AMD driver is here" if scene.exists(*_AMD_DRIVER) else ""


def _time(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
