"""Facts about the host, from trees that look like /proc and /sys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from perftrack.core.fingerprint import UNKNOWN
from perftrack.timing import host

CORE = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
CPU = f"sys/devices/system/cpu/cpu{CORE}"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("cpuinfo", "model"),
    [
        ("model name\t: AMD EPYC 9654 96-Core Processor\nmodel\t: 17\n", "AMD EPYC 9654 96-Core Processor"),
        (
            "cpu family\t: 6\nmodel\t: 207\nmodel name\t: Intel(R) Xeon(R) Processor\n",
            "Intel(R) Xeon(R) Processor (family 6 model 207)",
        ),
        ("processor\t: 0\nmodel name\t: First\n\nprocessor\t: 1\nmodel name\t: Second 2\n", "First"),
    ],
)
def test_the_processor_s_name(tmp_path: Path, cpuinfo: str, model: str) -> None:
    assert host.cpu_model(write(tmp_path, {"proc/cpuinfo": cpuinfo})) == model


def test_a_processor_that_tells_only_numbers(tmp_path: Path) -> None:
    root = write(tmp_path, {"proc/cpuinfo": "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n"})
    assert str(host.cpu_model(root)).endswith("implementer 0x41 part 0xd4f")


def test_a_processor_that_tells_nothing_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.processor", lambda: "")
    assert host.cpu_model(tmp_path) is UNKNOWN


def test_cores_in_use_are_the_affinity_mask() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {CORE})
        assert host.cores_in_use() == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize(
    ("governor", "expected"),
    [("performance\n", "performance"), ("powersave\n", "scaling"), ("schedutil\n", "scaling")],
)
def test_the_governor_s_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, governor: str, expected: str
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {CORE})
    assert host.governor_class(write(tmp_path, {f"{CPU}/cpufreq/scaling_governor": governor})) == expected


def test_one_core_that_scales_makes_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    governors = {
        f"sys/devices/system/cpu/cpu{i}/cpufreq/scaling_governor": g
        for i, g in enumerate(("performance", "ondemand"))
    }
    assert host.governor_class(write(tmp_path, governors)) == "scaling"


def test_no_cpufreq_is_absent_and_an_unreadable_governor_unknown(tmp_path: Path) -> None:
    assert host.governor_class(tmp_path) is None
    (tmp_path / CPU / "cpufreq").mkdir(parents=True)
    assert host.governor_class(tmp_path) is UNKNOWN


def test_smt(tmp_path: Path) -> None:
    assert host.smt(tmp_path) is None
    assert host.smt(write(tmp_path, {"sys/devices/system/cpu/smt/active": "1\n"})) is True
    assert host.smt(write(tmp_path, {"sys/devices/system/cpu/smt/active": "0\n"})) is False


def test_turbo(tmp_path: Path) -> None:
    assert host.turbo(tmp_path) is None
    assert host.turbo(write(tmp_path, {"sys/devices/system/cpu/cpufreq/boost": "1\n"})) is True
    intel = {"sys/devices/system/cpu/intel_pstate/no_turbo": "1\n"}
    assert host.turbo(write(tmp_path, intel)) is False


def test_the_last_level_cache(tmp_path: Path) -> None:
    caches = [
        ("1", "Data", "48K"),
        ("1", "Instruction", "32K"),
        ("2", "Unified", "2048K"),
        ("3", "Unified", "36M"),
    ]
    for i, (level, kind, size) in enumerate(caches):
        base = f"{CPU}/cache/index{i}"
        write(tmp_path, {f"{base}/level": level, f"{base}/type": kind, f"{base}/size": size})
    assert host.last_level_cache_bytes(tmp_path) == 36 << 20


def test_an_unknown_cache_is_none(tmp_path: Path) -> None:
    assert host.last_level_cache_bytes(tmp_path) is None


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": 'engine="podman"\nimageid="sha256:abc123"\n'}, "sha256:abc123"),
        ({"run/.containerenv": ""}, "podman"),
        ({"proc/1/cgroup": "0::/kubepods/burstable/pod1\n"}, "kubepods"),
        ({"proc/1/cgroup": "0::/\n"}, None),
    ],
)
def test_the_container(tmp_path: Path, files: dict[str, str], expected: str | None) -> None:
    assert host.container(write(tmp_path, files), {}) == expected


def test_the_image_s_digest_can_be_told(tmp_path: Path) -> None:
    root = write(tmp_path, {".dockerenv": ""})
    assert host.container(root, {"PERFTRACK_IMAGE_DIGEST": "sha256:feed"}) == "sha256:feed"


def test_the_operating_system(tmp_path: Path) -> None:
    root = write(tmp_path, {"etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'})
    assert host.operating_system(root).endswith("(Debian GNU/Linux 12 (bookworm))")
    assert "(" not in host.operating_system(tmp_path / "none")
