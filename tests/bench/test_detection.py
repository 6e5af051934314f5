from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.bench import detection
from tests.bench.lanes import NOISES, bump, lane, step


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    detection.main(["--scale", "0.003", "--first-seed", "0", *arguments])
    return capsys.readouterr().out


def test_prints_every_row_with_its_count_and_target(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys)
    for name in NOISES:
        assert f"nothing changed, {name}" in out
    for row in (
        "ever alarmed",
        "within ±5",
        "range holds",
        "commits until",
        "both edges",
        "drift of",
        "processor time",
    ):
        assert row in out
    assert "of 3  " in out
    assert "≤ 1 %" in out
    assert "not given: --history" in out


def test_reads_recorded_histories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    np.savez(
        tmp_path / "windows.npz", value=np.stack([lane(NOISES["Gaussian"](rng, 200), 0.002) for _ in range(6)])
    )
    out = shown(capsys, "--rows", "real", "--history", str(tmp_path))
    assert "(6 windows)" in out
    assert out.count("100.0 %") == 3


def test_shows_only_the_rows_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, "--rows", "drifts")
    assert "drift of 2 CV" in out
    assert "nothing changed" not in out


def test_a_row_that_is_not_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        detection.main(["--rows", "no-such-row"])
    assert "no-such-row" in capsys.readouterr().err


def test_lanes_have_the_level_that_was_asked_for() -> None:
    still = np.zeros(10)
    assert lane(still, 0.01, step(10, 4, 1.03)).tolist() == pytest.approx([1e-3] * 4 + [1.03e-3] * 6)
    assert lane(still, 0.01, bump(10, 2, 3, 2.0)).tolist() == pytest.approx([1e-3] * 2 + [2e-3] * 3 + [1e-3] * 5)


@pytest.mark.parametrize("name", ["Gaussian", "bimodal", "AR(0.5)"])
def test_noise_has_a_spread_of_one(name: str) -> None:
    noise = NOISES[name](np.random.default_rng(2), 20_000)
    assert noise.std() == pytest.approx(1.0, abs=0.05)


def test_autoregressive_noise_has_its_autocorrelation() -> None:
    noise = NOISES["AR(0.5)"](np.random.default_rng(3), 20_000)
    assert np.corrcoef(noise[1:], noise[:-1])[0, 1] == pytest.approx(0.5, abs=0.03)
