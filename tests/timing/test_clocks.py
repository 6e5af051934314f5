"""Locking clocks and putting them back, on cards that refuse, lie, and outlive the process that locked them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from perftrack.errors import ClockLockError
from perftrack.timing import clockwrites
from perftrack.timing.card import Card
from perftrack.timing.clocklock import new_record, read_records, shown_locked, write_record
from perftrack.timing.clocks import (
    LOCK_READBACK_TOLERANCE_MHZ,
    LockedClockPolicy,
    UnlockedClockPolicy,
    pending_restore,
    restore_pending,
)
from perftrack.timing.clockwrites import run_smi
from perftrack.timing.nvml import NvmlGauge
from tests.timing.fake_nvml import GPU_A, FakeCard, FakeNvml, NoPermission, NVMLError, split_card

ROOT = Path(__file__).parents[2]
SET_CLOCK, RESET_CLOCK = "nvmlDeviceSetGpuLockedClocks", "nvmlDeviceResetGpuLockedClocks"
SET_POWER = "nvmlDeviceSetPowerManagementLimit"


def no_smi(arguments: Sequence[str]) -> None:
    raise ClockLockError("nvidia-smi: Insufficient Permissions")


def policy(
    nvml: FakeNvml, state: Path, clock: int = 1500, cap: int | None = None, **kwargs: object
) -> LockedClockPolicy:
    settings: dict[str, object] = {"smi": no_smi, "sleep": lambda seconds: None, **kwargs}
    return LockedClockPolicy(clock, cap, nvml=nvml, state=state, **settings)  # type: ignore[arg-type]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return tmp_path / "state"


def assert_untouched(nvml: FakeNvml, state: Path) -> None:
    assert (nvml.cards[0].sm_mhz, nvml.cards[0].limit_mw) == (1980, 700_000)
    assert pending_restore(state) == () and read_records(state) == ()


def test_unlocked_does_nothing_and_says_so() -> None:
    clocks = UnlockedClockPolicy()
    clocks.apply()
    assert clocks.locked is False
    clocks.restore()


def test_constructing_a_policy_changes_nothing(state: Path) -> None:
    nvml = FakeNvml()
    policy(nvml, state)
    assert nvml.calls == []
    assert_untouched(nvml, state)


def test_lock_and_restore(state: Path) -> None:
    nvml = FakeNvml()
    clocks = policy(nvml, state, 1500, 500)
    clocks.apply()
    assert clocks.locked
    assert (nvml.cards[0].sm_mhz, nvml.cards[0].limit_mw) == (1500, 500_000)
    clocks.restore()
    assert not clocks.locked
    assert_untouched(nvml, state)


def test_restoring_twice_or_without_a_lock_writes_nothing(state: Path) -> None:
    nvml = FakeNvml()
    clocks = policy(nvml, state)
    clocks.restore()
    clocks.apply()
    clocks.restore()
    written = nvml.calls.count(RESET_CLOCK)
    clocks.restore()
    assert nvml.calls.count(RESET_CLOCK) == written == 1


def test_the_previous_limit_comes_back_and_not_the_card_s_default(state: Path) -> None:
    nvml = FakeNvml(FakeCard(limit_mw=640_000))
    with policy(nvml, state, 1500, 500):
        pass
    assert nvml.cards[0].limit_mw == 640_000


def test_without_a_cap_the_power_limit_is_never_written(state: Path) -> None:
    nvml = FakeNvml()
    with policy(nvml, state):
        pass
    assert SET_POWER not in nvml.calls


def test_the_record_is_there_before_the_first_write(state: Path) -> None:
    nvml = FakeNvml()
    seen: list[int] = []
    original = FakeNvml.nvmlDeviceSetGpuLockedClocks

    def watching(card: FakeCard, low: int, high: int) -> None:
        seen.append(len(read_records(state)))
        original(nvml, card, low, high)

    nvml.nvmlDeviceSetGpuLockedClocks = watching  # type: ignore[method-assign]
    with policy(nvml, state):
        pass
    assert seen == [1]


def test_an_exception_in_the_block_restores(state: Path) -> None:
    nvml = FakeNvml()
    with pytest.raises(ZeroDivisionError), policy(nvml, state, 1500, 500):
        _ = 1 // 0
    assert_untouched(nvml, state)


def test_a_refused_write_is_an_error_that_says_root(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    nvml = FakeNvml()
    nvml.fails[SET_CLOCK] = NoPermission()
    clocks = policy(nvml, state)
    with pytest.raises(ClockLockError, match=r"lock the SM clock.*Insufficient Permissions") as caught:
        clocks.apply()
    assert caught.value.hint and "root" in caught.value.hint
    assert not clocks.locked
    assert_untouched(nvml, state)


def test_nvidia_smi_is_tried_where_nvml_refuses(state: Path) -> None:
    nvml = FakeNvml()
    nvml.fails[SET_CLOCK] = nvml.fails[RESET_CLOCK] = nvml.fails[SET_POWER] = NVMLError("Not Supported")
    asked: list[list[str]] = []

    def smi(arguments: Sequence[str]) -> None:
        asked.append(list(arguments))
        card = nvml.cards[0]
        match arguments[2:]:
            case ["-lgc", pair]:
                card.sm_mhz = int(pair.split(",")[0])
            case ["-rgc"]:
                card.sm_mhz = 1980
            case ["-pl", watts]:
                card.limit_mw = int(float(watts) * 1000)

    with policy(nvml, state, 1500, 500, smi=smi) as clocks:
        assert clocks.locked
    assert [a[:2] for a in asked] == [["-i", GPU_A]] * 4
    assert [a[2:] for a in asked] == [["-lgc", "1500,1500"], ["-pl", "500"], ["-rgc"], ["-pl", "700"]]
    assert_untouched(nvml, state)


@pytest.mark.parametrize("reads", [1980, 1500 + int(LOCK_READBACK_TOLERANCE_MHZ) + 1, None])
def test_a_write_that_reads_back_differently_is_no_lock(state: Path, reads: int | None) -> None:
    nvml = FakeNvml(FakeCard(sm_mhz=reads or 1980))
    nvml.lies.add(SET_CLOCK)
    if reads is None:
        nvml.fails["nvmlDeviceGetClockInfo"] = NVMLError("Unknown Error")
    clocks = policy(nvml, state)
    with pytest.raises(ClockLockError, match=f"asked for 1500 MHz, the card reads {reads or 'nothing'}"):
        clocks.apply()
    assert not clocks.locked
    assert RESET_CLOCK in nvml.calls and read_records(state) == ()


def test_a_clock_rounded_to_the_card_s_step_is_a_lock(state: Path) -> None:
    nvml = FakeNvml(FakeCard(sm_mhz=1500 - int(LOCK_READBACK_TOLERANCE_MHZ)))
    nvml.lies.add(SET_CLOCK)
    with policy(nvml, state) as clocks:
        assert clocks.locked


def test_a_card_that_follows_slowly_is_waited_for(state: Path) -> None:
    nvml = FakeNvml()
    nvml.lies.add(SET_CLOCK)
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 5:
            nvml.cards[0].sm_mhz = 1500

    with policy(nvml, state, sleep=sleep) as clocks:
        assert clocks.locked
    assert len(naps) == 5


def test_a_power_cap_that_reads_back_differently_undoes_the_clock_too(state: Path) -> None:
    nvml = FakeNvml()
    nvml.lies.add(SET_POWER)
    with pytest.raises(ClockLockError, match="asked for a cap of 500000 mW, the card reads 700000"):
        policy(nvml, state, 1500, 500).apply()
    assert_untouched(nvml, state)


def test_a_power_limit_that_can_t_be_read_is_not_capped(state: Path) -> None:
    nvml = FakeNvml()
    nvml.fails["nvmlDeviceGetPowerManagementLimit"] = NVMLError("Not Supported")
    with pytest.raises(ClockLockError, match="could not be put back"):
        policy(nvml, state, 1500, 500).apply()
    assert SET_CLOCK not in nvml.calls


def test_a_cap_outside_the_card_s_range_is_refused_before_any_write(state: Path) -> None:
    nvml = FakeNvml()
    with pytest.raises(ClockLockError, match="outside the card's 200 to 700 W"):
        policy(nvml, state, 1500, 900).apply()
    assert SET_CLOCK not in nvml.calls


def test_a_restore_that_fails_is_an_error_and_can_be_repeated(state: Path) -> None:
    nvml = FakeNvml()
    clocks = policy(nvml, state, 1500, 500)
    clocks.apply()
    nvml.fails[RESET_CLOCK] = NVMLError("GPU is lost")
    with pytest.raises(ClockLockError, match="not restored") as caught:
        clocks.restore()
    assert caught.value.hint and "--restore-clocks" in caught.value.hint
    assert not clocks.locked
    assert nvml.cards[0].limit_mw == 700_000, "the limit is put back although the clock was not"
    assert len(read_records(state)) == 1
    del nvml.fails[RESET_CLOCK]
    clocks.restore()
    assert_untouched(nvml, state)


def test_a_limit_that_does_not_come_back_is_an_error(state: Path) -> None:
    nvml = FakeNvml()
    clocks = policy(nvml, state, 1500, 500)
    clocks.apply()
    nvml.lies.add(SET_POWER)
    with pytest.raises(ClockLockError, match=r"was 700000 mW before and reads 500000 mW now"):
        clocks.restore()
    nvml.lies.clear()
    clocks.restore()


def test_a_failed_lock_that_can_t_be_undone_says_both(state: Path) -> None:
    nvml = FakeNvml()
    nvml.lies.add(SET_CLOCK)
    nvml.fails[RESET_CLOCK] = NVMLError("GPU is lost")
    clocks = policy(nvml, state)
    with pytest.raises(ClockLockError, match="the card reads 1980") as caught:
        clocks.apply()
    assert any("--restore-clocks" in note for note in caught.value.__notes__)
    nvml.fails.clear()
    clocks.restore()


def test_no_record_no_lock(state: Path) -> None:
    state.parent.mkdir(exist_ok=True)
    state.write_text("a file where the directory should be")
    nvml = FakeNvml()
    with pytest.raises(ClockLockError, match="not locked without a way to undo it"):
        policy(nvml, state).apply()
    assert SET_CLOCK not in nvml.calls


def test_a_slice_s_clock_is_not_locked(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml(split_card())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", nvml.cards[0].slices[0].uuid)
    with pytest.raises(ClockLockError, match="MIG"):
        policy(nvml, state).apply()


def test_a_card_that_can_t_be_established_is_not_locked(state: Path) -> None:
    nvml = FakeNvml(FakeCard(), FakeCard(uuid="GPU-other"))
    with pytest.raises(ClockLockError, match="which card to lock"):
        policy(nvml, state).apply()
    assert SET_CLOCK not in nvml.calls


def test_a_card_that_a_living_process_has_locked_is_left_to_it(state: Path) -> None:
    nvml = FakeNvml()
    with policy(nvml, state), pytest.raises(ClockLockError, match=f"process {os.getpid()} has locked"):
        policy(nvml, state, 1200).apply()


def test_a_lock_left_by_a_dead_process_is_undone_before_the_next(state: Path) -> None:
    nvml = FakeNvml(FakeCard(sm_mhz=1200, limit_mw=400_000))
    write_record(replace(new_record(GPU_A, 1200, 650_000), pid=2**22 + 1), state)
    with policy(nvml, state, 1500, 500):
        pass
    assert nvml.cards[0].limit_mw == 650_000


def test_a_reused_process_id_does_not_hold_a_lock(state: Path) -> None:
    write_record(replace(new_record(GPU_A, 1200, None), started="1"), state)
    assert [r.card for r in pending_restore(state)] == [GPU_A]


def test_a_reboot_undid_it(state: Path) -> None:
    nvml = FakeNvml()
    write_record(replace(new_record(GPU_A, 1200, 650_000), boot="another"), state)
    assert pending_restore(state) == ()
    assert restore_pending(nvml=nvml, smi=no_smi, state=state) == ()
    assert_untouched(nvml, state)


def test_restoring_nothing_needs_no_library(state: Path) -> None:
    assert restore_pending(state=state) == ()


def test_a_record_of_a_card_that_is_gone_stays_and_is_an_error(state: Path) -> None:
    write_record(replace(new_record("GPU-gone", 1200, None), pid=2**22 + 1), state)
    with pytest.raises(ClockLockError, match="GPU-gone is not found"):
        restore_pending(nvml=FakeNvml(), smi=no_smi, state=state)
    assert len(pending_restore(state)) == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"card": 1, "target_mhz": "x"}'])
def test_an_unreadable_record_is_an_error_that_names_it(state: Path, text: str) -> None:
    state.mkdir()
    (state / f"clock-lock-{GPU_A}.json").write_text(text)
    with pytest.raises(ClockLockError, match=r"clock-lock-GPU-.*can't be read") as caught:
        pending_restore(state)
    assert caught.value.hint and "nvidia-smi -rgc" in caught.value.hint


def test_a_card_s_name_is_no_path(state: Path) -> None:
    write_record(new_record("../../etc/x", 1200, None), state)
    assert [p.parent for p in state.glob("*.json")] == [state]


def gauge(nvml: FakeNvml) -> NvmlGauge:
    card = nvml.cards[0]
    return NvmlGauge(Card(nvml, card, card, card.uuid, "test"))


def test_a_lock_is_shown_by_its_record_and_the_clock(state: Path) -> None:
    nvml = FakeNvml()
    assert not shown_locked(gauge(nvml), state)
    with policy(nvml, state):
        assert shown_locked(gauge(nvml), state)
        nvml.cards[0].sm_mhz = 1400
        assert not shown_locked(gauge(nvml), state)
        nvml.cards[0].sm_mhz = 1500
    assert not shown_locked(gauge(nvml), state)


def test_a_record_whose_process_is_gone_shows_nothing(state: Path) -> None:
    write_record(replace(new_record(GPU_A, 1500, None), pid=2**22 + 1), state)
    assert not shown_locked(gauge(FakeNvml(FakeCard(sm_mhz=1500))), state)


def test_a_clock_set_by_an_administrator_is_shown(state: Path) -> None:
    assert shown_locked(gauge(FakeNvml(FakeCard(application_mhz=1500, sm_mhz=1500))), state)
    assert not shown_locked(gauge(FakeNvml(FakeCard(application_mhz=1500, sm_mhz=1980))), state)


def started(tmp_path: Path, state: Path, ending: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.timing.crash_locked", str(tmp_path / "card.json"), str(state), ending]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def clock_of(tmp_path: Path) -> tuple[int, int]:
    data = json.loads((tmp_path / "card.json").read_text())
    return data["sm_mhz"], data["limit_mw"]


def test_a_killed_process_leaves_what_the_next_one_needs(tmp_path: Path, state: Path) -> None:
    process = started(tmp_path, state, "wait")
    assert pending_restore(state) == (), "it is alive: nobody else's business"
    process.kill()
    process.communicate()
    assert clock_of(tmp_path) == (1500, 500_000)
    assert [(r.card, r.target_mhz) for r in pending_restore(state)] == [(GPU_A, 1500)]
    restored = restore_pending(nvml=FakeNvml(file=tmp_path / "card.json"), smi=no_smi, state=state)
    assert [r.pid for r in restored] == [process.pid]
    assert clock_of(tmp_path) == (1980, 700_000)
    assert read_records(state) == ()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)])
def test_a_signal_restores_and_then_ends_the_process_as_it_would(
    tmp_path: Path, state: Path, number: signal.Signals, code: int
) -> None:
    process = started(tmp_path, state, "wait")
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == code
    assert clock_of(tmp_path) == (1980, 700_000)
    assert read_records(state) == ()


def test_an_interrupt_restores_and_is_raised(tmp_path: Path, state: Path) -> None:
    process = started(tmp_path, state, "wait")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode in (1, 130, -signal.SIGINT)
    assert clock_of(tmp_path) == (1980, 700_000)


def test_the_program_s_own_handler_runs_after_the_restore(tmp_path: Path, state: Path) -> None:
    process = started(tmp_path, state, "handler")
    process.terminate()
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == (f"own handler {signal.SIGTERM}\n", 7)
    assert clock_of(tmp_path) == (1980, 700_000)


def test_the_interpreter_s_end_restores(tmp_path: Path, state: Path) -> None:
    process = started(tmp_path, state, "exit")
    process.communicate(timeout=20)
    assert clock_of(tmp_path) == (1980, 700_000)
    assert read_records(state) == ()


def test_handlers_are_put_back(state: Path) -> None:
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with policy(FakeNvml(), state):
        assert signal.getsignal(signal.SIGTERM) != before[1]
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_a_handler_installed_meanwhile_is_left_alone(state: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        with policy(FakeNvml(), state):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_ignored_signal_does_not_undo_the_lock(state: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        nvml = FakeNvml()
        with policy(nvml, state):
            os.kill(os.getpid(), signal.SIGHUP)
            assert nvml.cards[0].sm_mhz == 1500
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_in_the_middle_of_locking_leaves_nothing_locked(state: Path) -> None:
    nvml = FakeNvml()
    original = FakeNvml.nvmlDeviceSetGpuLockedClocks

    def interrupted(card: FakeCard, low: int, high: int) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        original(nvml, card, low, high)

    nvml.nvmlDeviceSetGpuLockedClocks = interrupted  # type: ignore[method-assign]
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        clocks = policy(nvml, state)
        clocks.apply()
        assert seen == [signal.SIGTERM]
        assert not clocks.locked
        assert_untouched(nvml, state)
    finally:
        signal.signal(signal.SIGTERM, before)


def fake_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    path = tmp_path / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_nvidia_smi_gets_its_arguments_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_smi(tmp_path, monkeypatch, f'printf "%s|" "$@" > {tmp_path}/asked')
    run_smi(["-i", "GPU-1; rm -rf /", "-lgc", "1500,1500"])
    assert (tmp_path / "asked").read_text() == "-i|GPU-1; rm -rf /|-lgc|1500,1500|"


def test_nvidia_smi_s_refusal_is_an_error_with_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_smi(tmp_path, monkeypatch, "echo 'The current user does not have permission'; exit 4")
    with pytest.raises(ClockLockError, match="does not have permission"):
        run_smi(["-rgc"])


def test_nvidia_smi_that_hangs_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clockwrites, "_SMI_TIMEOUT_S", 0.2)
    fake_smi(tmp_path, monkeypatch, "exec /bin/sleep 20")
    with pytest.raises(ClockLockError, match="did not answer"):
        run_smi(["-rgc"])


def test_no_nvidia_smi_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClockLockError, match="not installed"):
        run_smi(["-rgc"])
