"""The CPU time that a container or service may use. A quota stops it in the middle of samples once it is spent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from perftrack.core.checkup import Finding, ok, unknown, warn
from perftrack.timing.checks.scene import Scene

_MOUNTS = "sys/fs/cgroup"


@dataclass(frozen=True, slots=True)
class Group:
    """A control group's folder under the mount of its hierarchy, and the hierarchy's version."""

    mount: Path
    path: PurePosixPath
    version: int


def cpu_quota(scene: Scene) -> Finding:
    groups = _groups(scene)
    if not groups:
        return unknown("no control groups are visible", "In a container, see that it was started without --cpus.")
    limits = [limit for group in groups for limit in _limits(group)]
    if not limits:
        return ok("no limit")
    cores = min(limits)
    return warn(
        f"{cores:g} cores' worth of time: once it is used up, the kernel stops everything until the next period",
        "Give whole cores in place of a quota: docker run --cpuset-cpus in place of --cpus.",
        quota_cores=cores,
    )


def _groups(scene: Scene) -> list[Group]:
    """Those of this process that can hold a quota."""
    found = []
    for line in (scene.text("proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            mounts, version = (_MOUNTS, f"{_MOUNTS}/unified"), 2
        elif "cpu" in controllers.split(","):
            mounts, version = (f"{_MOUNTS}/cpu", f"{_MOUNTS}/{controllers}"), 1
        else:
            continue
        mark = "cgroup.controllers" if version == 2 else "cgroup.procs"
        mount = next((scene.root / m for m in mounts if (scene.root / m / mark).exists()), None)
        if mount is not None:
            found.append(Group(mount, PurePosixPath(path), version))
    return found


def _limits(group: Group) -> list[float]:
    """Quotas in cores, of the group and of those that it is in; inside of a container only its own is visible."""
    folders = [group.mount / group.path.relative_to("/"), *_above(group)]
    found = []
    for folder in folders:
        limit = _limit_v2(folder) if group.version == 2 else _limit_v1(folder)
        if limit is not None:
            found.append(limit)
    return found


def _above(group: Group) -> list[Path]:
    return [group.mount / p.relative_to("/") for p in group.path.parents]


def _limit_v2(folder: Path) -> float | None:
    match = re.fullmatch(r"(\d+) (\d+)", _text(folder / "cpu.max"))
    return int(match[1]) / int(match[2]) if match else None


def _limit_v1(folder: Path) -> float | None:
    quota, period = _text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else None


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
