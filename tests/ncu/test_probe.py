"""The permission probe: a counter of a kernel that ran, or why there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.kernel import NO_KERNEL, PRINTS, PROGRAM
from perftrack.ncu.probe import COUNTER, Probe
from perftrack.ncu.tool import find_tool
from tests import fake_ncu


def probe(tmp_path: Path, *, prints: str = str(PRINTS), exits: int = 0, counter: str = "4", **fake: str) -> Probe:
    """A probe with an ncu and an interpreter that do as they are told."""
    environment = fake_ncu.install(tmp_path / "bin")
    csv = tmp_path / "probe.csv"
    csv.write_text(fake_ncu.raw_page({COUNTER: (counter, "inst")}, kernel="perftrack_probe"))
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{prints}'\nexit {exits}\n")
    python.chmod(0o755)
    said = {"FAKE_NCU_CSV": str(csv), "FAKE_NCU_LOG": str(tmp_path / "log")}
    return Probe(find_tool(environ=environment), str(python), environment | said | fake)


def test_the_value_of_the_counter_is_read(tmp_path: Path) -> None:
    assert probe(tmp_path).read_counter() == 4.0
    (command,) = fake_ncu.command_lines(tmp_path / "log")
    assert command[:2] == ["--metrics", COUNTER]
    assert command[command.index("--clock-control") + 1] == "none"
    assert [a for a in command if "\n" in a] == []


def test_no_permission_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="ERR_NVGPUCTRPERM") as caught:
        probe(tmp_path, FAKE_NCU_SAYS=fake_ncu.NO_PERMISSION).read_counter()
    assert caught.value.hint


def test_a_kernel_that_could_not_run_says_why(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="no kernel could be run to profile: cuInit: no device"):
        probe(tmp_path, prints="cuInit: no device", exits=NO_KERNEL).read_counter()


@pytest.mark.parametrize("counter", ["n/a", "0", ""])
def test_a_counter_without_a_value_is_no_permission(tmp_path: Path, counter: str) -> None:
    with pytest.raises(ProfileError):
        probe(tmp_path, counter=counter).read_counter()


def test_a_kernel_that_wrote_nothing_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="wrote nothing"):
        probe(tmp_path, prints="hello").read_counter()


def test_an_ncu_that_dies_silently_is_told_by_its_status(tmp_path: Path) -> None:
    made = probe(tmp_path)
    Path(made.tool.path).write_text("#!/bin/sh\necho oops\nexit 9\n")
    with pytest.raises(ProfileError, match=r"exited with 9 and said nothing; printed was 'oops'"):
        made.read_counter()


def test_the_program_runs_on_the_standard_library_and_says_what_is_missing() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 0:
        assert done.stdout.strip() == str(PRINTS)
    else:
        assert done.returncode == NO_KERNEL
        assert "torch: ModuleNotFoundError" in done.stderr
