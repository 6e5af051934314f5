"""What a hypervisor gives away, and what its guest can't see."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.core.checkup import Health
from perftrack.timing.checks import host
from tests.timing.fake_nvml import FakeNvml
from tests.timing.scenes import on_card, on_cpu

GUEST = {"proc/cpuinfo": "flags\t\t: fpu hypervisor lahf_lm\n"}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({}, None),
        ({"proc/cpuinfo": "flags\t\t: fpu vmx\nbugs\t: hypervisor\n"}, None),
        ({"sys/class/dmi/id/product_name": "PowerEdge R760\n"}, None),
        (GUEST, "virtual machine"),
        (GUEST | {"sys/class/dmi/id/product_name": "KVM\n"}, "virtual machine (KVM)"),
        ({"sys/hypervisor/type": "xen\n"}, "virtual machine (xen)"),
        ({"proc/device-tree/hypervisor/compatible": "linux,kvm"}, "virtual machine"),
    ],
)
def test_the_hypervisor(tmp_path: Path, files: dict[str, str], name: str | None) -> None:
    assert host.hypervisor(on_cpu(tmp_path, files)) == name


def test_time_that_the_host_gave_to_others(tmp_path: Path) -> None:
    ticks = {"proc/stat": "cpu  50 0 20 20 0 0 0 10 25 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"}
    found = host.virtualisation(on_cpu(tmp_path, GUEST | ticks))
    assert found.numbers == {"steal_pct": 10.0}
    assert "the host took 10 %" in found.seen


@pytest.mark.parametrize("stat", ["", "cpu  1 2 3\n", "cpu  0 0 0 0 0 0 0 0 0 0\n"])
def test_a_kernel_that_does_not_count_it(tmp_path: Path, stat: str) -> None:
    assert host.steal_share(on_cpu(tmp_path, {"proc/stat": stat})) is None


@pytest.mark.parametrize(("stolen", "status"), [(0, Health.OK), (10, Health.WARN)])
def test_for_a_gpu_only_stolen_time_matters(tmp_path: Path, stolen: int, status: Health) -> None:
    files = GUEST | {"proc/stat": f"cpu  50 0 20 20 0 0 0 {stolen} 0 0\n"}
    assert host.virtualisation(on_card(tmp_path, FakeNvml(), files=files)).status is status


def test_a_container_is_named(tmp_path: Path) -> None:
    assert host.virtualisation(on_cpu(tmp_path, {".dockerenv": ""})).seen == (
        "no hypervisor is seen, in a container (docker)"
    )


@pytest.mark.parametrize(("average", "status"), [("0.50", Health.OK), ("0.51", Health.WARN)])
def test_on_few_cores_half_a_process_is_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, average: str, status: Health
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert host.load(on_cpu(tmp_path, {"proc/loadavg": f"{average} 0 0 1/2 3"})).status is status
