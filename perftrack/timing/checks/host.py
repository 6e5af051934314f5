"""Checks of the host: what moves its clock, and who else takes its time."""

from __future__ import annotations

import os

from perftrack.core.checkup import Finding, ok, unknown, warn
from perftrack.core.fingerprint import UNKNOWN
from perftrack.timing import host
from perftrack.timing.checks.scene import Scene

# Runnable processes a core, over the last minute, beside which nothing is undisturbed; half of one at least.
BUSY_SHARE = 0.1
BUSY_LEAST = 0.5
# Share of a guest's time that its host gave to others.
STEAL_SHARE = 0.002
SCALING_HINT = "As root: cpupower frequency-set --governor performance"


def governor(scene: Scene) -> Finding:
    found = host.governor_class(scene.root)
    if found is UNKNOWN:
        return unknown(
            "cpufreq is there, but its governor can't be read", "Look in /sys/devices/system/cpu/cpu0/cpufreq."
        )
    if found is None:
        return _out_of_sight(scene, "no frequency scaling is visible")
    if found == "performance":
        return ok("performance on every core in use")
    return warn("the clock follows the load on at least one core in use", SCALING_HINT)


def turbo(scene: Scene) -> Finding:
    on = host.turbo(scene.root)
    if on is None or on is UNKNOWN:
        return _out_of_sight(scene, "no turbo control is visible")
    if not on:
        return ok("off")
    off = "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
    if not scene.exists("sys/devices/system/cpu/intel_pstate/no_turbo"):
        off = "echo 0 > /sys/devices/system/cpu/cpufreq/boost"
    return warn(
        "on: the clock depends on heat and on what other cores do", f"For steadier numbers, as root: {off}"
    )


def smt(scene: Scene) -> Finding:
    on = host.smt(scene.root)
    if on is None or on is UNKNOWN:
        return _out_of_sight(scene, "the kernel does not say")
    if not on:
        if hypervisor(scene) is not None:
            return _out_of_sight(scene, "no second thread is visible")
        return ok("off: every core runs one thread")
    return warn(
        "on: cores in use may run a second thread",
        "Keep their siblings free (lscpu -e shows them, taskset pins), or as root: "
        "echo off > /sys/devices/system/cpu/smt/control",
    )


def load(scene: Scene) -> Finding:
    try:
        average = float((scene.text("proc/loadavg") or str(os.getloadavg()[0])).split()[0])
    except (OSError, ValueError):
        return unknown("the load average can't be read", "See with top that the machine is idle.")
    cores = os.cpu_count() or 1
    seen = f"{average:.2f} over the last minute, on {cores} core{'s' * (cores != 1)}"
    if average > max(BUSY_LEAST, BUSY_SHARE * cores):
        return warn(
            seen, "Something else is running, or was just now: let it finish (top shows it).", load=average
        )
    return ok(seen, load=average)


def cores(scene: Scene) -> Finding:
    """The affinity mask of the worker, which it inherits."""
    used, there = host.cores_in_use(), os.cpu_count()
    if not isinstance(used, int) or there is None:
        return unknown("can't be read", "See which cores the process may use.")
    isolated = scene.text("sys/devices/system/cpu/isolated")
    seen = f"{used} of {there}" + (f"; isolated: {isolated}" if isolated else "")
    if used == 1:
        return warn(
            f"{seen}: the worker, its coordinator and the system share it",
            "Give it more than one (taskset, docker run --cpuset-cpus).",
            cores=1.0,
        )
    return ok(seen, cores=float(used))


def virtualisation(scene: Scene) -> Finding:
    """Whether a hypervisor is underneath, and how much time it took away."""
    name = hypervisor(scene)
    where = host.container(scene.root, scene.environ)
    inside = f", in a container ({where})" if where else ""
    stolen = steal_share(scene)
    if name is None:
        return ok(f"no hypervisor is seen{inside}")
    seen = f"{name}{inside}"
    numbers = {} if stolen is None else {"steal_pct": round(100 * stolen, 4)}
    if stolen is not None:
        seen += f"; the host took {100 * stolen:.2g} % of the time since it started"
    if scene.kind != "cpu" and (stolen is None or stolen < STEAL_SHARE):
        return ok(f"{seen}: launches may take longer, the GPU's own time does not", **numbers)
    return warn(
        seen,
        "What the host's other guests do is in the numbers: record more processes, or use a machine of your own.",
        **numbers,
    )


def hypervisor(scene: Scene) -> str | None:
    """What the machine runs on, None where nothing gives a hypervisor away."""
    product = scene.text("sys/class/dmi/id/product_name")
    if kind := scene.text("sys/hypervisor/type"):
        return f"virtual machine ({kind})"
    cpuinfo = scene.text("proc/cpuinfo") or ""
    flags = next((line for line in cpuinfo.splitlines() if line.startswith("flags")), "")
    if "hypervisor" in flags.split() or scene.exists("proc/device-tree/hypervisor"):
        return f"virtual machine ({product})" if product else "virtual machine"
    return None


def steal_share(scene: Scene) -> float | None:
    """Share of the processors' time since start that a hypervisor gave to others."""
    line = (scene.text("proc/stat") or "").partition("\n")[0].split()
    if len(line) < 9 or line[0] != "cpu":
        return None
    ticks = [int(t) for t in line[1:9]]  # guest time, which follows, is in user time already
    return ticks[7] / sum(ticks) if sum(ticks) else None


def _out_of_sight(scene: Scene, seen: str) -> Finding:
    """What the system does not show: in a virtual machine its host decides it."""
    if hypervisor(scene) is not None:
        return unknown(
            f"{seen}: the virtual machine's host decides", "Ask whoever runs the host, or accept the variance."
        )
    return unknown(seen, "See the firmware's settings.")
