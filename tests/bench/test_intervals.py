from __future__ import annotations

import pytest

from tests.bench import intervals


def test_answers_agree_and_ours_are_faster(capsys: pytest.CaptureFixture[str]) -> None:
    assert intervals.main(["--repeats", "8"]) == 0
    shown = capsys.readouterr().out
    factors = [int(line.split()[-3]) for line in shown.splitlines() if line.endswith("times faster")]
    assert len(factors) == 2
    assert min(factors) >= 5
