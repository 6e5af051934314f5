"""Recorded data as a device."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import Evidence, Timer
from perftrack.core.tiers import Exclusivity
from perftrack.errors import DeviceError
from perftrack.timing.devices import open_device
from perftrack.timing.devices.recording import read_recording
from perftrack.timing.devices.replay import Playback, ReplayDevice, open_playback
from perftrack.timing.environment import capture
from perftrack.timing.telemetry import open_telemetry


def playing(tmp_path: Path, script: object, process: int = 0, **top: object) -> tuple[ReplayDevice, Playback]:
    path = tmp_path / "recording.json"
    path.write_text(json.dumps({**top, "cases": {"case[n=1]": {"time": script}}}))
    playback = Playback(read_recording(path))
    device = ReplayDevice(playback)
    device.select("case[n=1]", "time", process)
    return device, playback


def test_samples_come_in_order_and_start_over(tmp_path: Path) -> None:
    device, _ = playing(tmp_path, {"samples": [1.0, 2.0, 3.0]})
    assert device.time_window(int, 2, 1, cold=False).samples == (1.0, 2.0)
    assert device.time_window(int, 2, 9, cold=True).samples == (3.0, 1.0)


def test_each_process_has_its_own_samples_and_the_last_serves_the_rest(tmp_path: Path) -> None:
    script = {"samples": [[1.0, 1.1], [2.0]]}
    for process, first in ((0, 1.0), (1, 2.0), (5, 2.0)):
        device, _ = playing(tmp_path, script, process)
        assert device.time_window(int, 1, 1, cold=False).samples == (first,)


def test_a_level_without_noise_is_exact(tmp_path: Path) -> None:
    device, _ = playing(tmp_path, {"level": [1e-3, 2e-3], "host_s": 5e-6}, 1)
    timed = device.time_window(int, 3, 1, cold=False)
    assert (timed.samples, timed.host_s) == ((2e-3,) * 3, 5e-6)


def test_drift_steps_from_window_to_window(tmp_path: Path) -> None:
    device, _ = playing(tmp_path, {"level": 1.0, "drift": 0.1})
    assert [device.time_window(int, 1, 1, cold=False).samples[0] for _ in range(3)] == pytest.approx(
        [1.0, 1.1, 1.2]
    )


def test_noise_has_the_stated_spread_and_repeats_exactly(tmp_path: Path) -> None:
    script = {"level": 1e-3, "noise": 0.02}
    first = playing(tmp_path, script, seed=3)[0].time_window(int, 4000, 1, cold=False).samples
    again = playing(tmp_path, script, seed=3)[0].time_window(int, 4000, 1, cold=False).samples
    logs = [math.log(s / 1e-3) for s in first]
    assert first == again
    assert abs(fmean(logs)) < 0.002
    assert stdev(logs) == pytest.approx(0.02, rel=0.05)


def test_noise_differs_between_processes_windows_and_seeds(tmp_path: Path) -> None:
    script = {"level": 1e-3, "noise": 0.02}

    def drawn(process: int, seed: int) -> tuple[float, ...]:
        device = playing(tmp_path, script, process, seed=seed)[0]
        return tuple(device.time_window(int, 1, 1, cold=False).samples[0] for _ in range(2))

    values = [*drawn(0, 1), *drawn(1, 1), *drawn(0, 2)]
    assert len(set(values)) == 6


def test_a_burst_uses_up_nothing(tmp_path: Path) -> None:
    device, _ = playing(tmp_path, {"samples": [1.0, 2.0, 4.0]})
    assert device.burst(int, 100) == 2.0
    assert device.time_window(int, 1, 1, cold=False).samples == (1.0,)


def test_the_callable_s_own_failure_is_real(tmp_path: Path) -> None:
    device, _ = playing(tmp_path, {"level": 1.0})
    with pytest.raises(ZeroDivisionError):
        device.time_window(lambda: 1 // 0, 1, 1, cold=False)


def test_a_scripted_failure_can_be_one_process_s(tmp_path: Path) -> None:
    script = {"level": 1.0, "fail": {"process": 1, "message": "device lost"}}
    playing(tmp_path, script, 0)[0].time_window(int, 1, 1, cold=False)
    with pytest.raises(DeviceError, match="device lost"):
        playing(tmp_path, script, 1)[0].time_window(int, 1, 1, cold=False)


def test_a_case_without_a_script_names_the_file(tmp_path: Path) -> None:
    device, _ = playing(tmp_path, {"level": 1.0})
    with pytest.raises(DeviceError, match=r"recording\.json has no samples for 'time' of 'other'"):
        device.select("other", "time", 0)


def test_evidence_follows_the_windows(tmp_path: Path) -> None:
    script = {"level": 1.0, "clock_mhz": [[1980.0, 1965.0], [1500.0]], "event_reasons": [0, 4], "power_w": 650.0}
    device, playback = playing(tmp_path, script)
    device.time_window(int, 1, 1, cold=False)
    assert playback.evidence() == Evidence((1980.0, 1965.0), 0, None, 650.0)
    for _ in range(2):
        device.time_window(int, 1, 1, cold=False)
    assert playback.evidence() == Evidence((1500.0,), 4, None, 650.0)


def test_the_whole_stand_in_is_opened_by_an_environment_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device's selection is the telemetry's too, and the path is relative to the current directory."""
    script = {"level": 1.0, "locked": True, "exclusivity": "exclusive", "clock_mhz": [1500.0]}
    recording = {
        "cases": {"a": {"time": script}},
        "fingerprint": {"gpu_name": "X", "power_limit_w": {"unknown": True}},
    }
    (tmp_path / "r.json").write_text(json.dumps(recording))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERFTRACK_REPLAY", "r.json")
    device, telemetry = open_device("replay"), open_telemetry("replay")
    assert isinstance(device, ReplayDevice)
    device.select("a", "time", 0)
    telemetry.begin()
    device.time_window(int, 1, 1, cold=False)
    assert telemetry.end().clock_mhz == (1500.0,)
    assert telemetry.locked() and telemetry.occupancy().exclusivity is Exclusivity.EXCLUSIVE
    assert (device.kind, device.timer) == ("replay", Timer.REPLAY)
    fingerprint = capture("replay", policy="context:host")
    assert fingerprint.device_kind == "replay" and fingerprint.gpu_name == "X"
    assert fingerprint.unknown_key_fields == ("power_limit_w",)
    assert fingerprint.policy == "context:host"


def test_a_recording_can_t_pose_as_a_real_device(tmp_path: Path) -> None:
    _, playback = playing(tmp_path, {"level": 1.0}, fingerprint={"device_kind": "cuda"})
    assert playback.recording.fingerprint.device_kind == "replay"


def test_without_the_variable_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERFTRACK_REPLAY", raising=False)
    with pytest.raises(DeviceError, match="PERFTRACK_REPLAY is not set"):
        open_playback()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"cases": []}',
        '{"cases": {"a": {"time": {}}}}',
        '{"cases": {"a": {"time": {"level": 1, "samples": [1]}}}}',
        '{"cases": {"a": {"time": {"level": "fast"}}}}',
        '{"cases": {"a": {"time": {"samples": [[]]}}}}',
        '{"cases": {"a": {"time": {"level": 1, "sample": 2}}}}',
        '{"cases": {"a": {"time": {"level": 1, "exclusivity": "maybe"}}}}',
        '{"cases": {}, "fingerprint": {"no_such_field": 1}}',
        '{"cases": {}, "fingerprint": {"gpu_name": [1]}}',
    ],
)
def test_a_malformed_recording_is_an_error_naming_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(DeviceError, match=r"bad\.json is not a recording"):
        read_recording(path)


def test_a_missing_recording_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="can't read the recording"):
        read_recording(tmp_path / "none.json")


@given(
    st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=20), st.lists(st.integers(1, 7), min_size=1, max_size=5)
)
def test_windows_of_any_size_play_the_list_round(samples: list[float], sizes: list[int]) -> None:
    from perftrack.core.fingerprint import EnvironmentFingerprint
    from perftrack.timing.devices.recording import Recording, Script

    script = Script(samples=(tuple(samples),))
    playback = Playback(Recording(Path("x"), 1e-9, 0, EnvironmentFingerprint(), {("a", "time"): script}))
    playback.select("a", "time", 0)
    played = [s for size in sizes for s in playback.take(size)]
    assert played == [samples[i % len(samples)] for i in range(sum(sizes))]
