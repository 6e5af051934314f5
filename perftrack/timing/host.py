"""What can be read about the host: processor, cores, governor, caches, container, system.

Three answers, as in the fingerprint: a value, None (there is no such thing here), UNKNOWN (it
exists and can't be read). `root` is where / is, so that tests can bring their own /proc and /sys.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from perftrack.core.fingerprint import UNKNOWN, FieldValue

ROOT = Path("/")
# Container runtimes do not tell a container its own image's digest; whoever starts it can.
IMAGE_DIGEST_VARIABLE = "PERFTRACK_IMAGE_DIGEST"
_CONTAINER_MARKS = ("docker", "kubepods", "containerd", "libpod", "lxc", "garden")


def cpu_model(root: Path = ROOT) -> FieldValue:
    """Product name. Hypervisors hide the number; then family and model stand in for it."""
    if platform.system() == "Darwin":
        return _sysctl("machdep.cpu.brand_string") or UNKNOWN
    facts = _cpuinfo(root)
    name = facts.get("model name") or facts.get("cpu model") or facts.get("Model")
    if name:
        if not any(c.isdigit() for c in name) and "cpu family" in facts and "model" in facts:
            name += f" (family {facts['cpu family']} model {facts['model']})"
        return name
    if "CPU implementer" in facts and "CPU part" in facts:
        return f"{platform.machine()} implementer {facts['CPU implementer']} part {facts['CPU part']}"
    return platform.processor() or UNKNOWN


def cores_in_use() -> FieldValue:
    """Size of this process's affinity mask; all cores where the system has no masks."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or UNKNOWN


def governor_class(root: Path = ROOT) -> FieldValue:
    """`performance` where every core in use is governed so, else `scaling`; None without cpufreq."""
    governors = set()
    for core in _cores():
        directory = root / f"sys/devices/system/cpu/cpu{core}/cpufreq"
        if not directory.is_dir():
            continue
        governor = _text(directory / "scaling_governor")
        if governor is None:
            return UNKNOWN
        governors.add(governor)
    if not governors:
        return None
    return "performance" if governors == {"performance"} else "scaling"


def smt(root: Path = ROOT) -> FieldValue:
    """Whether cores run more than one thread; None where the kernel does not say."""
    active = _text(root / "sys/devices/system/cpu/smt/active")
    return None if active is None else active == "1"


def turbo(root: Path = ROOT) -> FieldValue:
    """Whether clocks above base are allowed; None where no driver controls them."""
    cpu = root / "sys/devices/system/cpu"
    disabled = _text(cpu / "intel_pstate/no_turbo")
    if disabled is not None:
        return disabled == "0"
    boost = _text(cpu / "cpufreq/boost")
    return None if boost is None else boost == "1"


def last_level_cache_bytes(root: Path = ROOT) -> int | None:
    """Size of the largest cache of the highest level that the first core in use sees."""
    if platform.system() == "Darwin":
        sizes = [_sysctl(name) for name in ("hw.l3cachesize", "hw.perflevel0.l2cachesize", "hw.l2cachesize")]
        return next((int(s) for s in sizes if s and s.isdigit() and int(s)), None)
    found = []
    core = min(_cores(), default=0)
    for directory in sorted(root.glob(f"sys/devices/system/cpu/cpu{core}/cache/index*")):
        level, size = _text(directory / "level"), _text(directory / "size")
        if level and size and _text(directory / "type") != "Instruction" and level.isdigit():
            found.append((int(level), _parse_size(size)))
    return max(found)[1] or None if found else None


def container(root: Path = ROOT, environ: Mapping[str, str] = os.environ) -> FieldValue:
    """Image digest where it is told, else the kind of container, None outside of one."""
    if digest := environ.get(IMAGE_DIGEST_VARIABLE):
        return digest
    if (podman := _text(root / "run/.containerenv")) is not None:
        match = re.search(r'^imageid="?([0-9a-f:sha]+)"?$', podman, re.MULTILINE)
        return match[1] if match else "podman"
    if (root / ".dockerenv").exists():
        return "docker"
    cgroup = _text(root / "proc/1/cgroup") or ""
    return next((mark for mark in _CONTAINER_MARKS if mark in cgroup), None)


def operating_system(root: Path = ROOT) -> str:
    """Kernel and distribution: `Linux 6.8.0 (Debian GNU/Linux 12)`."""
    kernel = f"{platform.system()} {platform.release()}"
    release = _text(root / "etc/os-release") or ""
    match = re.search(r'^PRETTY_NAME="?([^"\n]+)"?$', release, re.MULTILINE)
    return f"{kernel} ({match[1]})" if match else kernel


def _cores() -> tuple[int, ...]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def _cpuinfo(root: Path) -> dict[str, str]:
    """Keys of the first processor's block."""
    facts: dict[str, str] = {}
    for line in (_text(root / "proc/cpuinfo") or "").splitlines():
        key, colon, value = line.partition(":")
        if colon:
            facts.setdefault(key.strip(), value.strip())
    return facts


def _parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]] if match else 0


def _text(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None


def _sysctl(name: str) -> str | None:
    try:
        done = subprocess.run(
            ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
