"""The registry of checks: each can go wrong and say what to do, and none hides what the others see."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perftrack.core.checkup import Finding, Health
from perftrack.core.company import CardUse
from perftrack.errors import DeviceError, InvalidValueError
from perftrack.suite.messages import Reply, encode
from perftrack.timing.checks import scene as scenery
from perftrack.timing.checks.scene import Scene
from perftrack.timing.checkup import CHECKS, check_up, findings
from perftrack.timing.clocklock import LockRecord, boot_id, write_record
from tests.timing import fake_nvml, fake_torch
from tests.timing.fake_nvml import GPU_A, FakeCard, FakeNvml, NVMLError, split_card
from tests.timing.scenes import PROOF, finding, on_card, on_cpu, without_readings

CORE = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
GUEST = {"proc/cpuinfo": "flags\t\t: fpu hypervisor\n"}


class Stage:
    """What a check's scene is made of, and what else must be pretended."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root, self.patch = root, patch
        patch.setattr("perftrack.timing.telemetry.lists_whole_host", lambda: True)

    def root_user(self, *, admin: bool = True) -> dict[str, str]:
        self.patch.setattr(os, "geteuid", lambda: 0)
        return {"proc/self/status": f"Name:\tx\nCapEff:\t{0x1FFFFFFFFFF if admin else 0xA80425FB:016x}\n"}

    def plain_user(self) -> dict[str, str]:
        self.patch.setattr(os, "geteuid", lambda: 1000)
        return {}

    def installed(self, *cards: FakeCard) -> FakeNvml:
        nvml = FakeNvml(*cards)
        fake_nvml.install(self.patch, nvml)
        return nvml

    def torch(self, *, cuda: str | None = "13.0") -> None:
        torch = fake_torch.make_torch(fake_torch.FakeGpu())
        torch.version.cuda = cuda
        self.patch.setitem(sys.modules, "torch", torch)

    def no_torch(self) -> None:
        self.patch.delitem(sys.modules, "torch", raising=False)
        self.patch.setattr("perftrack.timing.checks.process.installed_version", lambda name: None)


def card(s: Stage, nvml: FakeNvml | None = None, **facts: Any) -> Scene:
    return on_card(s.root, nvml or FakeNvml(), **facts)


def failing(name: str) -> FakeNvml:
    nvml = FakeNvml()
    nvml.fails[name] = NVMLError("Unknown Error")
    return nvml


def cpu(s: Stage, **files: str) -> Scene:
    return on_cpu(s.root, {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()})


def governed(s: Stage, governor: str) -> Scene:
    s.patch.setattr(os, "sched_getaffinity", lambda pid: {CORE})
    return on_cpu(s.root, {f"sys/devices/system/cpu/cpu{CORE}/cpufreq/scaling_governor": governor})


def pinned(s: Stage, cores: int) -> Scene:
    s.patch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    s.patch.setattr(os, "cpu_count", lambda: 8)
    return cpu(s, sys__devices__system__cpu__isolated="4-7\n")


def loaded(s: Stage, average: str) -> Scene:
    s.patch.setattr(os, "cpu_count", lambda: 20)
    return cpu(s, proc__loadavg=f"{average} 1.0 1.0 1/100 4242\n")


def clock_source(s: Stage, name: str) -> Scene:
    return cpu(s, sys__devices__system__clocksource__clocksource0__current_clocksource=name)


def loaded_torch(s: Stage, kind: str, cuda: str | None, **files: str) -> Scene:
    s.torch(cuda=cuda)
    return replace(cpu(s, **files), kind=kind)


def bare(s: Stage, kind: str = "cpu", **facts: Any) -> Scene:
    s.no_torch()
    return replace(on_cpu(s.root), kind=kind, **facts)


def quota(s: Stage, limit: str) -> Scene:
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/cgroup.controllers": "cpu",
        "sys/fs/cgroup/cpu.max": limit,
    }
    return on_cpu(s.root, files)


def profiling(s: Stage, setting: str | None, **privileges: str) -> Scene:
    files = dict(privileges)
    if setting is not None:
        files["proc/driver/nvidia/params"] = f"ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: {setting}\n"
    return card(s, files=files)


def left_locked(s: Stage, power_limit_mw: int | None = None) -> Scene:
    no_such_process = 2**22 + 1
    write_record(LockRecord(GPU_A, 1500, power_limit_mw, no_such_process, "1", boot_id()), s.root / "state")
    return cpu(s)


def on(scene: Scene) -> dict[str, Any]:
    return {"kind": scene.kind, "gauge": scene.gauge}


def locked(s: Stage, reads: int) -> Scene:
    # An administrator set 1500 MHz.
    return card(s, FakeNvml(FakeCard(application_mhz=1500, sm_mhz=reads)))


def listing_nothing(s: Stage) -> FakeNvml:
    nvml = s.installed(FakeCard())
    nvml.fails["nvmlDeviceGetCount"] = NVMLError("Unknown Error")
    return nvml


def without_reasons() -> FakeNvml:
    nvml = failing("nvmlDeviceGetCurrentClocksEventReasons")
    nvml.fails["nvmlDeviceGetCurrentClocksThrottleReasons"] = NVMLError("Unknown Error")
    return nvml


def slow_driver(s: Stage) -> Scene:
    scene = card(s)
    ticks = iter(range(0, 10**9, 2_000_000))
    s.patch.setattr("perftrack.timing.checks.readings.perf_counter_ns", lambda: next(ticks))
    return scene


FINE: dict[str, list[Callable[[Stage], Scene]]] = {
    "interpreter": [cpu],
    "torch": [
        bare,
        lambda s: loaded_torch(s, "cuda", "13.0", dev__nvidiactl=""),
        lambda s: loaded_torch(s, "cpu", None),
    ],
    "device": [cpu, lambda s: Scene("replay", device=on_cpu(s.root).device)],
    "timer": [cpu, lambda s: replace(cpu(s), kind="cuda"), lambda s: clock_source(s, "tsc\n")],
    "cards": [lambda s: card(s, s.installed(FakeCard(), FakeCard()))],
    "card": [card],
    "exclusivity": [lambda s: card(s, FakeNvml(FakeCard(processes=[os.getpid()])))],
    "heat": [card, lambda s: card(s, failing("nvmlDeviceGetMarginTemperature"))],
    "ecc": [card, lambda s: card(s, FakeNvml(FakeCard(ecc=False, ecc_pending=False)))],
    "mig": [card],
    "telemetry-cost": [card],
    "pending-restore": [cpu, card],
    "clock-control": [lambda s: card(s, files=s.root_user())],
    "clock-lock": [lambda s: locked(s, 1500)],
    "clock-events": [card, lambda s: card(s, FakeNvml(FakeCard(reasons=0x1)))],
    "persistence": [card],
    "power-limit": [card],
    "governor": [lambda s: governed(s, "performance\n")],
    "turbo": [lambda s: cpu(s, sys__devices__system__cpu__intel_pstate__no_turbo="1\n")],
    "smt": [lambda s: cpu(s, sys__devices__system__cpu__smt__active="0\n")],
    "load": [lambda s: loaded(s, "1.99")],
    "cores": [lambda s: pinned(s, 2)],
    "cpu-quota": [lambda s: quota(s, "max 100000\n")],
    "virtualisation": [cpu, lambda s: card(s, files=GUEST)],
    "gpu-counters": [lambda s: profiling(s, "0"), lambda s: profiling(s, "1", **s.root_user())],
}

# check, scene, status, part of what was seen, part of the advice
WRONG: list[tuple[str, Callable[[Stage], Scene], str, str, str]] = [
    ("interpreter", lambda s: on_cpu(s.root, environ={"PYTHONMALLOC": "debug"}), "warn", "debug", "release build"),
    ("torch", lambda s: bare(s, "cuda"), "fail", "not installed", "pip install torch"),
    ("torch", lambda s: replace(cpu(s), torch_problem="importing it failed"), "fail", "failed", "Reinstall"),
    ("torch", lambda s: loaded_torch(s, "cuda", None), "fail", "without CUDA", "Install a build"),
    ("torch", lambda s: loaded_torch(s, "cpu", "13.0", dev__nvidiactl=""), "warn", "sees no GPU", "CUDA_VISIBLE"),
    ("device", lambda s: Scene("cuda", refusal=DeviceError("sees none", "Look.")), "fail", "sees none", "Look."),
    ("backend", lambda s: replace(cpu(s), kind="xpu"), "warn", "untested on hardware", "documentation"),
    ("timer", lambda s: clock_source(s, "hpet\n"), "warn", "hpet", "tsc"),
    ("timer", lambda s: on_cpu(s.root, resolution_s=1e-3), "warn", "steps of 1 ms", "fast clock"),
    ("timer", lambda s: replace(on_cpu(s.root, resolution_s=1e-3), kind="cuda"), "warn", "100 ms", "Short"),
    ("cards", lambda s: card(s, listing_nothing(s)), "warn", "lists no cards", "nvidia-smi"),
    ("card", lambda s: without_readings(s.root, "NVML can't be used: x"), "warn", "NVML can't", "below tier A"),
    ("card", lambda s: card(s, proof="PCI order"), "warn", "PCI order", "UUID"),
    ("exclusivity", lambda s: card(s, FakeNvml(FakeCard(processes=[1]))), "fail", "process(es) 1", "tier C"),
    ("exclusivity", card, "unknown", "no process is listed", "--pid=host"),
    ("heat", lambda s: card(s, FakeNvml(FakeCard(margin_c=5))), "warn", "5 °C below", "cool down"),
    ("heat", lambda s: card(s, failing("nvmlDeviceGetTemperature")), "unknown", "can't be read", "nvidia-smi"),
    ("ecc", lambda s: card(s, FakeNvml(FakeCard(ecc_pending=False))), "warn", "on, off after", "Reset the card"),
    ("ecc", lambda s: card(s, FakeNvml(FakeCard(ecc_errors=3))), "fail", "3 uncorrected", "failing"),
    ("ecc", lambda s: card(s, failing("nvmlDeviceGetEccMode")), "unknown", "Unknown Error", "key field"),
    ("mig", lambda s: card(s, FakeNvml(split_card())), "warn", "a slice", "other slices"),
    ("mig", lambda s: card(s, FakeNvml(FakeCard(mig_pending=True))), "warn", "off, on after", "Reset the card"),
    ("mig", lambda s: card(s, failing("nvmlDeviceGetMigMode")), "unknown", "Unknown Error", "nvidia-smi"),
    ("telemetry-cost", lambda s: card(s, failing("nvmlDeviceGetClockInfo")), "unknown", "readable: cl", "tier A"),
    ("telemetry-cost", lambda s: card(s, without_reasons()), "unknown", "readable: reasons", "tier A"),
    ("telemetry-cost", lambda s: card(s, failing("nvmlDeviceGetViolationStatus")), "warn", "counters", "thread"),
    ("telemetry-cost", slow_driver, "warn", "clock 2", "newer driver"),
    ("pending-restore", left_locked, "fail", f"{GPU_A} is still locked", "--restore-clocks"),
    ("pending-restore", lambda s: left_locked(s, 650_000), "fail", "650 W", "as root"),
    ("pending-restore", lambda s: cpu(s, **{"state/clock-lock-x.json": "?"}), "fail", "clock-lock-x", "-rgc"),
    ("clock-control", lambda s: card(s, files=s.plain_user()), "warn", "not root", "as root"),
    ("clock-control", lambda s: card(s, files=s.root_user(admin=False)), "warn", "CAP_SYS_ADMIN", "--cap-add"),
    ("clock-control", lambda s: card(s, FakeNvml(split_card())), "warn", "slice", "not split"),
    ("clock-lock", card, "warn", "floating, 1980 MHz", "LockedClockPolicy"),
    ("clock-lock", lambda s: locked(s, 1980), "warn", "set to 1500 MHz, but reads 1980", "idle card"),
    ("clock-lock", lambda s: replace(left_locked(s), **on(card(s))), "warn", "floating", "LockedClockPolicy"),
    ("clock-lock", lambda s: card(s, failing("nvmlDeviceGetClockInfo")), "unknown", "can't be read", "tier A"),
    ("clock-events", lambda s: card(s, FakeNvml(FakeCard(reasons=0x41))), "fail", "hardware thermal", "tier C"),
    ("clock-events", lambda s: card(s, FakeNvml(FakeCard(reasons=0x8))), "warn", "hardware slowdown", "cooling"),
    ("clock-events", lambda s: card(s, FakeNvml(FakeCard(reasons=0x4))), "warn", "power cap", "tier B"),
    ("clock-events", lambda s: card(s, FakeNvml(FakeCard(reasons=0x600))), "warn", "unknown bits 0x600", "newer"),
    ("clock-events", lambda s: card(s, without_reasons()), "unknown", "does not tell", "unseen"),
    ("persistence", lambda s: card(s, FakeNvml(FakeCard(persistence=False))), "warn", "off", "nvidia-smi -pm 1"),
    ("persistence", lambda s: card(s, failing("nvmlDeviceGetPersistenceMode")), "unknown", "Unknown", "smi -q"),
    ("power-limit", lambda s: card(s, FakeNvml(FakeCard(limit_mw=500_000))), "warn", "500 W", "smi -pl 700"),
    ("power-limit", lambda s: card(s, FakeNvml(FakeCard(enforced_mw=450_000))), "warn", "450 W is enf", "chassis"),
    ("power-limit", lambda s: card(s, failing("nvmlDeviceGetPowerManagementLimit")), "unknown", "Unknown", "key"),
    ("governor", lambda s: governed(s, "powersave\n"), "warn", "follows the load", "cpupower"),
    ("governor", lambda s: on_cpu(s.root, GUEST), "unknown", "virtual machine's host", "Ask whoever runs"),
    ("governor", cpu, "unknown", "no frequency scaling", "firmware"),
    ("turbo", lambda s: cpu(s, sys__devices__system__cpu__cpufreq__boost="1\n"), "warn", "on", "cpufreq/boost"),
    ("turbo", lambda s: cpu(s, sys__devices__system__cpu__intel_pstate__no_turbo="0\n"), "warn", "on", "no_turbo"),
    ("turbo", cpu, "unknown", "no turbo control", "firmware"),
    ("smt", lambda s: cpu(s, sys__devices__system__cpu__smt__active="1\n"), "warn", "second", "smt/control"),
    ("smt", cpu, "unknown", "does not say", "firmware"),
    ("smt", lambda s: cpu(s, sys__devices__system__cpu__smt__active="0\n", **GUEST), "unknown", "decides", "Ask"),
    ("load", lambda s: loaded(s, "2.01"), "warn", "2.01 over the last minute, on 20 cores", "let it finish"),
    ("load", lambda s: loaded(s, "?"), "unknown", "can't be read", "top"),
    ("cores", lambda s: pinned(s, 1), "warn", "1 of 8; isolated: 4-7", "taskset"),
    ("cpu-quota", lambda s: quota(s, "150000 100000\n"), "warn", "1.5 cores", "--cpuset-cpus"),
    ("cpu-quota", cpu, "unknown", "no control groups", "--cpus"),
    ("virtualisation", lambda s: on_cpu(s.root, GUEST), "warn", "virtual machine", "other guests"),
    ("gpu-counters", lambda s: profiling(s, "1", **s.plain_user()), "warn", "only administrators", "NVreg_"),
    ("gpu-counters", lambda s: profiling(s, "1", **s.root_user(admin=False)), "warn", "only admin", "SYS_ADMIN"),
    ("gpu-counters", lambda s: profiling(s, None), "unknown", "can't be read", "ERR_NVGPUCTRPERM"),
]  # fmt: skip


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(sys, "gettrace", lambda: None)  # these tests may themselves be traced
    return Stage(tmp_path, monkeypatch)


FINE_ROWS = [(name, make) for name, makes in FINE.items() for make in makes]


@pytest.mark.parametrize(("name", "make"), FINE_ROWS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(FINE_ROWS)])
def test_nothing_is_said_against_what_is_right(name: str, make: Callable[[Stage], Scene], stage: Stage) -> None:
    found = finding(name, make(stage))
    assert (found.status, found.advice) == (Health.OK, ""), found


@pytest.mark.parametrize(
    ("name", "make", "status", "seen", "advice"), WRONG, ids=[f"{w[0]}-{i}" for i, w in enumerate(WRONG)]
)
def test_what_is_wrong_is_said_with_what_to_do(
    name: str, make: Callable[[Stage], Scene], status: str, seen: str, advice: str, stage: Stage
) -> None:
    found = finding(name, make(stage))
    assert found.status == status, found
    assert seen in found.seen
    assert advice in found.advice


def test_every_check_is_shown_to_be_able_to_go_wrong_and_right() -> None:
    names = {c.name for c in CHECKS}
    assert {w[0] for w in WRONG} == names
    assert set(FINE) == names - {"backend"}, "which speaks only of what is untested"
    assert len(names) == len(CHECKS)


def test_only_a_missing_device_makes_measuring_impossible(stage: Stage) -> None:
    found = [finding(w[0], w[1](Stage(stage.root / str(i), stage.patch))) for i, w in enumerate(WRONG)]
    assert {f.name for f in found if f.blocks} == {"device"}


def test_a_check_that_fails_has_found_nothing_out_and_hides_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = card(stage, failing("nvmlDeviceGetEccMode"))
    before = {f.name for f in findings(scene)}
    scene.card.api.fails["nvmlDeviceGetEccMode"] = ZeroDivisionError("of the driver")  # type: ignore[union-attr]
    after = {f.name: f for f in findings(scene)}
    assert set(after) == before
    assert after["ecc"].status is Health.UNKNOWN
    assert "ZeroDivisionError: of the driver" in after["ecc"].seen


def test_the_run_s_own_processes_are_no_strangers(stage: Stage) -> None:
    asked = []
    stage.patch.setattr(
        "perftrack.timing.telemetry.own_processes", lambda coordinator: asked.append(coordinator) or frozenset({7})
    )
    found = finding("exclusivity", card(stage, FakeNvml(FakeCard(processes=[7])), coordinator=42))
    assert (asked, found.status) == ([42], Health.OK)


def test_use_before_the_work_is_told_in_numbers(stage: Stage) -> None:
    before = CardUse(GPU_A, 30 << 30, 95.0)
    found = finding("exclusivity", card(stage, FakeNvml(FakeCard(processes=[os.getpid()])), uses=(before,)))
    assert (found.status, found.numbers) == (Health.FAIL, {"foreign_bytes": 30 * 2**30, "busy_pct": 95.0})
    unread = finding("exclusivity", card(stage, uses=(CardUse(GPU_A, None, None),)))
    assert unread.numbers == {}


def test_a_host_s_sample_is_long_however_fine_its_clock(stage: Stage) -> None:
    assert "a sample lasts at least 200 µs" in finding("timer", cpu(stage)).seen
    assert "a sample lasts at least 100 ms" in finding("timer", on_cpu(stage.root, resolution_s=1e-3)).seen


def test_checks_are_those_of_the_device(stage: Stage) -> None:
    def names(scene: Scene) -> set[str]:
        return {f.name for f in findings(scene)}

    on_host, on_gpu = names(cpu(stage)), names(card(stage))
    assert {"governor", "turbo", "smt"} <= on_host - on_gpu
    assert {"card", "persistence", "gpu-counters"} <= on_gpu - on_host
    assert {"interpreter", "pending-restore", "cpu-quota"} <= on_host & on_gpu
    assert names(Scene("replay", root=stage.root)) == {"interpreter", "device", "pending-restore"}


@pytest.fixture
def healthy(stage: Stage, tmp_path: Path) -> FakeNvml:
    """A CUDA machine, all of it fake but its /proc."""
    stage.patch.setenv("XDG_STATE_HOME", str(tmp_path))
    stage.patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    fake_torch.install(stage.patch, fake_torch.FakeGpu())
    return stage.installed(FakeCard(processes=[os.getpid()]))


def test_a_healthy_card_is_told_as_it_is(healthy: FakeNvml) -> None:
    checkup = check_up("cuda")
    found = {f.name: f for f in checkup.findings}
    assert (checkup.device, checkup.python, checkup.possible) == ("cuda", sys.executable, True)
    assert found["device"].seen == "cuda:0 NVIDIA H200"
    assert found["card"].seen == f"{GPU_A}, known by: {PROOF}"
    assert found["exclusivity"].seen == "no other process on the card"
    assert found["power-limit"].numbers == {"limit_w": 700.0, "default_w": 700.0, "enforced_w": 700.0}
    assert found["heat"].numbers == {"temperature_c": 45.0, "margin_c": 40.0}
    assert found["timer"].numbers["resolution_s"] == pytest.approx(32e-9, rel=0.5)
    assert set(found["telemetry-cost"].numbers) >= {"clock_us", "reasons_us", "energy_us", "processes_us"}


def test_nothing_is_ever_set_on_a_device(healthy: FakeNvml, stage: Stage) -> None:
    stage.patch.setattr(os, "geteuid", lambda: 0)
    check_up("cuda")
    assert [c for c in healthy.calls if "Set" in c or "Reset" in c] == []


def test_every_opening_of_the_library_is_ended(healthy: FakeNvml) -> None:
    check_up("cuda")
    assert healthy.calls.count("nvmlInit") == healthy.shutdowns > 0


def test_auto_is_the_accelerator_that_torch_sees(healthy: FakeNvml) -> None:
    assert check_up("auto").device == "cuda"


def test_auto_is_the_cpu_where_torch_is_broken(stage: Stage) -> None:
    def broken() -> tuple[str, ...]:
        raise OSError("libcudart.so.13: cannot open shared object file")

    stage.patch.setattr(scenery, "available", broken)
    checkup = check_up("auto")
    (torch,) = [f for f in checkup.findings if f.name == "torch"]
    assert (checkup.device, checkup.possible) == ("cpu", True)
    assert "libcudart.so.13" in torch.seen


def test_a_torch_that_breaks_when_the_device_is_opened_is_a_missing_device(stage: Stage) -> None:
    def broken(kind: str) -> None:
        raise OSError("libcudart.so.13: cannot open shared object file")

    stage.patch.setattr(scenery, "open_device", broken)
    checkup = check_up("cuda")
    assert not checkup.possible
    assert any(f.blocks and "libcudart.so.13" in f.seen for f in checkup.findings)


@pytest.mark.parametrize("kind", ["rocm", "xpu", "mps"])
def test_a_backend_that_never_ran_says_so(stage: Stage, kind: str) -> None:
    torch = fake_torch.install(stage.patch, fake_torch.FakeGpu(), hip="6.4" if kind == "rocm" else None)
    torch.backends.mps.is_available = lambda: True
    found = {f.name: f for f in check_up(kind).findings}
    assert not found["device"].blocks
    assert found["backend"].seen == f"{kind}: untested on hardware"
    assert "no readings" in found["card"].seen


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="no device kind 'gpu'"):
        check_up("gpu")


def test_findings_travel_as_json(healthy: FakeNvml) -> None:
    checkup = check_up("cuda")
    sent = json.loads(encode(Reply(checkup=checkup)))["checkup"]
    assert tuple(Finding(**f) for f in sent["findings"]) == checkup.findings


def test_a_card_that_can_t_be_told_apart_is_listed_for_choosing(stage: Stage) -> None:
    nvml = stage.installed(FakeCard(), FakeCard(uuid=fake_nvml.GPU_B))
    scene = replace(
        card(stage, nvml),
        gauge=None,
        no_gauge=DeviceError("can't be told", "perftrack doctor shows the cards"),
        environ={"CUDA_VISIBLE_DEVICES": "1,0"},
    )
    assert finding("cards", scene).seen == (
        f"0: NVIDIA H200 {GPU_A}; 1: NVIDIA H200 {fake_nvml.GPU_B}; CUDA_VISIBLE_DEVICES=1,0"
    )
    assert "cards above" in finding("card", scene).advice
