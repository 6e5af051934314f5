"""Benchmark files that change under a search are noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.app.bisectfiles import BenchmarkFiles
from perftrack.errors import SuiteError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    (tmp_path / "bench_a.py").write_text("A = 1\n")
    (tmp_path / "inner" / "shapes.py").write_text("B = 2\n")
    return tmp_path


def test_untouched_or_rewritten_alike_they_are_the_same(folder: Path) -> None:
    seen = BenchmarkFiles.seen(folder)
    (folder / "bench_a.py").write_text("A = 1\n")
    (folder / "data.bin").write_bytes(b"x")
    seen.check()


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / "bench_a.py").write_text("A = 2\n"),
        lambda f: (f / "inner" / "shapes.py").unlink(),
        lambda f: (f / "bench_b.py").write_text(""),
        lambda f: (f / "bench_a.py").rename(f / "bench_c.py"),
    ],
)
def test_any_change_is_refused_with_what_to_do(folder: Path, change: object) -> None:
    seen = BenchmarkFiles.seen(folder)
    change(folder)  # type: ignore[operator]
    with pytest.raises(SuiteError) as caught:
        seen.check()
    assert "--resume" in str(caught.value.hint)


def test_a_folder_that_is_not_there_stays_so(tmp_path: Path) -> None:
    BenchmarkFiles.seen(tmp_path / "nothing").check()
