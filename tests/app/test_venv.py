"""Environments of commits: made once, kept, held, cut; never with the project itself in them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from perftrack.app.venv import Recipe, environment, variables
from perftrack.errors import WorkerError

BIG = 10**12
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "thing"
version = "1"
dependencies = ["iniconfig"]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    return root


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A Python whose environments are real but for pip, whose installation takes nearly all of their making."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@" --without-pip\n')
    program.chmod(0o755)
    return str(program)


def touch_install(name: str, python: str = sys.executable) -> Recipe:
    """An installation that leaves one file in the environment."""
    return Recipe(install=f'echo made >> "$VIRTUAL_ENV/{name}"', python=python)


def test_a_tree_that_names_no_dependencies_needs_none(tree: Path) -> None:
    (tree / "pyproject.toml").write_text("[tool.perftrack]\nprocesses = 2\n")
    assert not Recipe().needed(tree)


@pytest.mark.parametrize(
    ("name", "text"), [("requirements.txt", "x"), ("pyproject.toml", "[project]\nname='x'"), ("setup.py", "")]
)
def test_a_tree_that_names_dependencies_needs_one(tree: Path, name: str, text: str) -> None:
    (tree / name).write_text(text)
    assert Recipe().needed(tree)


def test_the_key_follows_the_dependency_files_and_nothing_else(tree: Path) -> None:
    (tree / "requirements.txt").write_text("numpy")
    before = Recipe().key(tree)
    (tree / "code.py").write_text("x = 1")
    assert Recipe().key(tree) == before
    (tree / "requirements.txt").write_text("numpy==2")
    assert Recipe().key(tree) != before
    assert Recipe(requirements=("scipy",)).key(tree) != Recipe().key(tree)


def test_an_environment_is_made_once_and_used_again(tree: Path, tmp_path: Path) -> None:
    for _ in range(2):
        with environment(touch_install("count"), tree, tmp_path / "cache", 120, BIG) as place:
            assert isinstance(place, Path)
            assert (place / "count").read_text() == "made\n"


def test_one_that_was_left_half_made_is_made_anew(tree: Path, tmp_path: Path, bare: str) -> None:
    recipe = touch_install("count", bare)
    half = tmp_path / "cache" / recipe.key(tree)
    half.mkdir(parents=True)
    (half / "count").write_text("half\n")
    with environment(recipe, tree, tmp_path / "cache", 120, BIG) as place:
        assert isinstance(place, Path)
        assert (place / "count").read_text() == "made\n"


def test_a_failed_installation_is_told_with_its_log_and_not_kept(tree: Path, tmp_path: Path, bare: str) -> None:
    recipe = Recipe(install="echo no such wheel; exit 3", python=bare)
    with environment(recipe, tree, tmp_path / "cache", 120, BIG) as failure:
        assert isinstance(failure, str)
        assert "exited with 3: no such wheel" in failure
    assert not [p for p in (tmp_path / "cache").iterdir() if p.is_dir()]


def test_where_not_even_an_empty_one_can_be_made_the_machine_is_to_blame(tree: Path, tmp_path: Path) -> None:
    recipe = Recipe(python="/bin/false", install="true")
    with (
        pytest.raises(WorkerError, match="no environment can be made") as error,
        environment(recipe, tree, tmp_path / "cache", 120, BIG),
    ):
        pass
    assert "PERFTRACK_CACHE" in (error.value.hint or "")
    assert not (tmp_path / "cache" / recipe.key(tree)).exists()


def test_an_environment_that_nobody_changes_is_used_by_several_at_once(
    tree: Path, tmp_path: Path, bare: str
) -> None:
    recipe = touch_install("count", bare)
    with (
        environment(recipe, tree, tmp_path / "cache", 120, BIG) as one,
        environment(recipe, tree, tmp_path / "cache", 120, BIG) as other,
    ):
        assert one == other


def test_one_that_a_build_changes_is_its_owners_alone(tree: Path) -> None:
    assert Recipe(owner="device 0").key(tree) != Recipe(owner="device 1").key(tree)


def test_commands_find_the_environments_python_first(tree: Path, tmp_path: Path, bare: str) -> None:
    with environment(touch_install("x", bare), tree, tmp_path / "cache", 120, BIG) as place:
        assert isinstance(place, Path)
        found = subprocess.run(
            ["/bin/sh", "-c", "command -v python"],
            env=os.environ | variables(place),
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout.strip() == str(place / "bin" / "python")


def test_the_cache_keeps_the_newest_within_its_cap(tree: Path, tmp_path: Path, bare: str) -> None:
    cache = tmp_path / "cache"
    for name in ("old", "new"):
        with environment(touch_install(name, bare), tree, cache, 120, cap_bytes=1) as place:
            assert isinstance(place, Path)
    assert [p / "new" for p in cache.iterdir() if p.is_dir()] == [place / "new"]


@pytest.mark.slow
def test_by_default_it_holds_the_dependencies_but_not_the_project(tree: Path, tmp_path: Path) -> None:
    (tree / "pyproject.toml").write_text(PROJECT)
    (tree / "thing.py").write_text("")
    with environment(Recipe(), tree, tmp_path / "cache", 300, BIG) as place:
        assert isinstance(place, Path), place
        python = place / "bin" / "python"
        subprocess.run([python, "-c", "import iniconfig"], cwd=tmp_path, check=True)
        assert subprocess.run(
            [python, "-c", "import thing"], cwd=tmp_path, capture_output=True, check=False
        ).returncode
