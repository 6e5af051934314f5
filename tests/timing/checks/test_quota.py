"""CPU quotas, from trees that look like control groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.core.checkup import Health
from perftrack.timing.checks.quota import cpu_quota
from tests.timing.scenes import on_cpu

V2 = {"sys/fs/cgroup/cgroup.controllers": "cpuset cpu"}
V1 = {"sys/fs/cgroup/cpu,cpuacct/cgroup.procs": ""}


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        (V2 | {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "50000 100000"}, 0.5),
        (V2 | {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "200000 100000"}, 2.0),
        (
            V2
            | {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "200000 100000",
                "sys/fs/cgroup/a/b/cpu.max": "300000 100000",
            },
            2.0,
        ),
        # A container sees its own group as the root, but may be told the host's path.
        (V2 | {"proc/self/cgroup": "0::/docker/1f\n", "sys/fs/cgroup/cpu.max": "150000 100000"}, 1.5),
        (V2 | {"proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/cpu.max": "150000 100000"}, 1.5),
        (
            V1
            | {
                "proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/docker/1f\n",
                "sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us": "400000",
                "sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_period_us": "100000",
            },
            4.0,
        ),
    ],
    ids=["own", "parent's", "the tightest", "container", "outside of the namespace", "first version"],
)
def test_a_quota_in_cores(tmp_path: Path, files: dict[str, str], cores: float) -> None:
    found = cpu_quota(on_cpu(tmp_path, files))
    assert (found.status, found.numbers) == (Health.WARN, {"quota_cores": cores})


@pytest.mark.parametrize(
    "files",
    [
        V2 | {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000"},
        V2 | {"proc/self/cgroup": "0::/a\n"},
        V1
        | {
            "proc/self/cgroup": "3:cpu,cpuacct:/\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
        },
    ],
)
def test_no_limit(tmp_path: Path, files: dict[str, str]) -> None:
    assert cpu_quota(on_cpu(tmp_path, files)).seen == "no limit"


def test_groups_that_are_told_of_but_not_mounted_are_unknown(tmp_path: Path) -> None:
    assert cpu_quota(on_cpu(tmp_path, {"proc/self/cgroup": "0::/a\n"})).status is Health.UNKNOWN
