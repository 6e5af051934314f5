"""Finding ncu: on PATH, where it is told to be, and not what only shares its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu import tool
from perftrack.ncu.tool import Tool, find_tool
from tests import fake_ncu


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "_TOOLKIT", tmp_path / "cuda" / "bin" / "ncu")
    monkeypatch.setattr(tool, "_ELSEWHERE", ((tmp_path / "opt", "*/ncu"),))


def script(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / "ncu"
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)
    return made


def versioned(folder: Path, version: str) -> Path:
    return script(folder, f"echo 'Nsight Compute Command Line Profiler'; echo 'Version {version} (build 1)'")


def test_the_one_on_path_is_taken_with_its_version(tmp_path: Path) -> None:
    environ = fake_ncu.install(tmp_path / "bin")
    assert find_tool(environ=environ) == Tool(str(tmp_path / "bin" / "ncu"), fake_ncu.VERSION)


def test_another_program_of_that_name_is_passed_over(tmp_path: Path) -> None:
    # npm-check-updates is called ncu, too.
    script(tmp_path / "npm", "echo 17.1.0")
    real = versioned(tmp_path / "bin", "2024.1.0.0")
    assert find_tool(environ={"PATH": f"{tmp_path / 'npm'}:{tmp_path / 'bin'}"}) == Tool(str(real), "2024.1.0.0")


def test_where_there_is_only_another_program_it_is_named(tmp_path: Path) -> None:
    other = script(tmp_path / "npm", "echo 17.1.0")
    with pytest.raises(ProfileError, match="is not Nsight Compute's ncu") as caught:
        find_tool(environ={"PATH": str(tmp_path / "npm")})
    assert str(other) in caught.value.message


def test_the_toolkits_is_found_off_path(tmp_path: Path) -> None:
    versioned(tmp_path / "opt" / "2026.1.0", "2026.1.0.0")
    toolkit = versioned(tmp_path / "cuda" / "bin", "2025.3.1.0")
    assert find_tool(environ={"PATH": ""}) == Tool(str(toolkit), "2025.3.1.0")


def test_of_several_installed_the_newest_is_taken(tmp_path: Path) -> None:
    for release in ("2024.3.2", "2025.10.0", "2025.9.1"):
        versioned(tmp_path / "opt" / release, f"{release}.0")
    assert find_tool(environ={"PATH": ""}).version == "2025.10.0.0"


def test_a_given_path_is_the_only_one_looked_at(tmp_path: Path) -> None:
    environ = fake_ncu.install(tmp_path / "bin")
    mine = versioned(tmp_path / "mine", "2023.1.0.0")
    assert find_tool(str(mine), environ) == Tool(str(mine), "2023.1.0.0")
    with pytest.raises(ProfileError, match="no program '/no/such/ncu'"):
        find_tool("/no/such/ncu", environ)


def test_a_given_program_that_is_not_ncu_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="does not answer as Nsight Compute's"):
        find_tool(str(script(tmp_path / "x", "exit 1")))


def test_without_any_it_says_what_to_install() -> None:
    with pytest.raises(ProfileError, match="Nsight Compute is not here") as caught:
        find_tool(environ={"PATH": ""})
    assert "Install Nsight Compute" in str(caught.value.hint)
