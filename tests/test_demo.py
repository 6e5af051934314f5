"""The demo's repository is the same everywhere, works at every commit, and has the history that it tells of."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
TIP = "a5180679f941eeecd5e000742c275acae845c615"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_repo", ROOT / "examples" / "demo" / "make_repo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_repo"] = module
    spec.loader.exec_module(module)
    return module


make_repo = load()


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def textkit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("demo") / "textkit"
    make_repo.make(root)
    return root


def test_commit_ids_are_the_same_on_every_machine(textkit: Path) -> None:
    assert git(textkit, "rev-parse", "HEAD") == TIP


def test_settings_of_the_user_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = "[core]\n autocrlf = true\n[commit]\n gpgsign = true\n[user]\n name = X\n email = x@example.org\n"
    (tmp_path / ".gitconfig").write_text(settings + "[init]\n defaultBranch = other\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Y")
    assert make_repo.make(tmp_path / "textkit") == TIP


def test_history_has_twelve_commits_one_of_them_a_merge(textkit: Path) -> None:
    assert git(textkit, "rev-list", "--count", "HEAD") == "12"
    assert len(git(textkit, "rev-list", "--merges", "HEAD").split()) == 1
    assert git(textkit, "branch", "--show-current") == "main"
    assert git(textkit, "status", "--porcelain") == ""


def test_every_commit_passes_its_own_tests_and_has_the_benchmarks(textkit: Path) -> None:
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    for sha in git(textkit, "rev-list", "HEAD").split():
        git(textkit, "checkout", "--quiet", sha)
        done = subprocess.run(
            [sys.executable, "-m", "unittest", "-q"], cwd=textkit, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{sha}: {done.stderr}"
        assert (textkit / "benchmarks" / "bench_textkit.py").is_file()
    git(textkit, "checkout", "--quiet", "main")


def test_the_refactor_turns_a_set_into_a_list(textkit: Path) -> None:
    sha = git(textkit, "log", "--grep=^Refactor", "--format=%H")
    assert "frozenset(" in git(textkit, "show", f"{sha}^:textkit/ranking.py")
    assert "return [" in git(textkit, "show", f"{sha}:textkit/stopwords.py")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(SystemExit, match="not empty"):
        make_repo.make(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]
