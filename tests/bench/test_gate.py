"""The script that prints the gate's false alarms, at a size that a test can afford."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.bench import gate


def shares(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"([\d.]+) % \[", text)]


def test_processes_are_rarely_called_changed_and_pooled_samples_half_of_the_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gate.by_permutation(300, ["Gaussian"])
    found = shares(capsys.readouterr().out)
    assert max(found[::2]) <= 10
    assert min(found[1::2]) >= 40


def test_bootstrap_intervals_of_few_processes_cover_too_little(capsys: pytest.CaptureFixture[str]) -> None:
    gate.intervals(300)
    permuted, resampled, *_ = shares(capsys.readouterr().out)
    assert permuted >= 93
    assert resampled <= 92


def test_a_learnt_lane_is_rarely_called_changed(capsys: pytest.CaptureFixture[str]) -> None:
    gate.by_history(100, ["Gaussian"])
    assert max(shares(capsys.readouterr().out)) <= 12


def test_real_histories_are_read_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = np.exp(np.random.default_rng(1).normal(0, 0.01, (5, 12)))
    path = tmp_path / "h.npz"
    np.savez(path, value=values, q25=values * 0.999, q75=values * 1.001, repeat=np.full(values.shape, 20.0))
    gate.real(path)
    told = capsys.readouterr().out
    assert "5 real histories" in told
    gated, alone, within = shares(told)
    assert gated <= alone < within
