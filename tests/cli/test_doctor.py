"""perftrack doctor as a whole command, and what record says of locks that a crash left behind."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from perftrack.timing.clocklock import LockRecord, boot_id, read_records, write_record
from tests import scratch
from tests.scratch import Answer, Scratch
from tests.timing.fake_nvml import GPU_A

# In place of pynvml, in the command and in its worker: a card whose clock and limit are in a file.
FAKE_NVML = """
import os, sys
from pathlib import Path
from tests.timing.fake_nvml import FakeNvml, NoPermission

nvml = FakeNvml(file=Path(os.environ["FAKE_CARD"]))
if os.environ.get("FAKE_REFUSES"):
    nvml.fails["nvmlDeviceResetGpuLockedClocks"] = NoPermission()
nvml.__spec__ = __spec__
sys.modules[__name__] = nvml
"""
NO_SUCH_PROCESS = 2**22 + 1


def found(answer: Answer) -> dict[str, dict]:
    return {f["name"]: f for f in answer.document["findings"]}


def stand_in(repo: Scratch, module: str, text: str) -> dict[str, str]:
    """Environment in which `import module` gets this text."""
    folder = repo.root / ".git" / "stand-ins"
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(text)
    path = scratch.command_environment(replayed=True)["PYTHONPATH"]
    return {"PYTHONPATH": os.pathsep.join((str(folder), path))}


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """A checkup of the host, in a repository of which nothing was recorded yet."""
    return scratch.make(tmp_path_factory.mktemp("doctor") / "project").run("doctor", "--device", "cpu", "--json")


class TestCheckup:
    def test_what_is_wrong_is_followed_by_what_to_do(self, repo: Scratch):
        answer = repo.run("doctor", "--device", "cpu", PYTHONMALLOC="debug")
        assert answer.code == 0
        assert answer.err == ""
        lines = answer.out.splitlines()
        (at,) = [i for i, line in enumerate(lines) if "PYTHONMALLOC=debug" in line]
        assert lines[at].split()[:2] == ["warn", "interpreter"]
        assert lines[at + 1].strip().startswith("→ Measure with a release build")
        assert lines[-1].startswith("measuring on cpu is possible: ")

    def test_json_has_the_documented_keys(self, on_cpu: Answer):
        document = on_cpu.document
        assert list(document) == [
            "schema_version",
            "device",
            "python",
            "possible",
            "findings",
            "summary",
            "restored",
        ]
        keys = {"name", "area", "status", "seen", "advice", "numbers", "blocks"}
        assert all(set(f) == keys for f in document["findings"])
        assert document["schema_version"] == 1
        assert (document["device"], document["possible"], document["restored"]) == ("cpu", True, [])
        assert sum(document["summary"].values()) == len(document["findings"])
        assert all(f["advice"] for f in document["findings"] if f["status"] != "ok")

    def test_numbers_are_numbers(self, on_cpu: Answer):
        checks = found(on_cpu)
        assert 0 < checks["timer"]["numbers"]["resolution_s"] < 1e-3
        assert checks["cores"]["numbers"]["cores"] == len(os.sched_getaffinity(0))
        assert checks["disk"]["numbers"]["free_bytes"] > 0

    def test_checks_run_in_the_python_that_measures(self, repo: Scratch, tmp_path: Path):
        other = tmp_path / "other-python"
        other.symlink_to(sys.executable)
        document = repo.run("doctor", "--device", "cpu", "--python", str(other), "--json").document
        assert document["python"] == str(other)
        assert str(other) in document["findings"][0]["seen"]

    def test_the_configured_device_is_the_one_that_is_checked_and_nothing_is_written(self, repo: Scratch):
        assert repo.run("doctor", "--json").document["device"] == "replay"
        assert repo.git("status", "--porcelain", "--ignored") == ""


class TestImpossible:
    def test_a_device_that_is_not_there(self, repo: Scratch):
        no_torch = stand_in(repo, "torch", "raise ImportError('none here')")
        answer = repo.run("doctor", "--device", "cuda", "--json", **no_torch)
        assert (answer.code, answer.err) == (1, "")
        assert answer.document["possible"] is False
        (blocking,) = [f for f in answer.document["findings"] if f["blocks"]]
        assert blocking["name"] == "device"
        assert "none here" in blocking["seen"]
        assert "Install torch" in blocking["advice"]

    def test_a_worker_that_can_t_start(self, repo: Scratch):
        answer = repo.run("doctor", "--python", "no-such-python")
        assert (answer.code, answer.err) == (1, "")
        first, hint, *rest = answer.out.splitlines()[2:]
        assert first.split()[:2] == ["fail", "worker"]
        assert "no-such-python" in first
        assert "--python" in hint
        assert rest[0].split()[:2] == ["ok", "git"], "the rest is looked at all the same"
        assert rest[-1].startswith("measuring on replay is NOT possible")

    def test_an_interpreter_that_is_none(self, repo: Scratch, tmp_path: Path):
        script = tmp_path / "python"
        script.write_text("#!/bin/sh\necho too old >&2\nexit 3\n")
        script.chmod(0o755)
        worker = found(repo.run("doctor", "--python", str(script), "--json"))["worker"]
        assert "exited with code 3" in worker["seen"]
        assert "too old" in worker["seen"]

    def test_a_device_whose_opening_kills_the_worker(self, repo: Scratch):
        deadly = stand_in(repo, "torch", "import os\nprint('last words', flush=True)\nos._exit(9)")
        answer = repo.run("doctor", "--device", "cuda", "--json", **deadly)
        assert answer.code == 1
        worker = found(answer)["worker"]
        assert "exited with code 9 while it checked device cuda" in worker["seen"]
        assert "last words" in worker["seen"]

    def test_a_kind_that_does_not_exist_is_wrong_usage(self, repo: Scratch):
        answer = repo.run("doctor", "--device", "gpu")
        assert answer.code == 2
        assert "no device kind 'gpu'" in answer.err
        assert "cuda" in answer.err


class TestProject:
    def test_outside_of_a_repository_the_machine_is_checked_all_the_same(self, tmp_path: Path):
        answer = Scratch(tmp_path).run("doctor", "--device", "cpu", "--json", replayed=False)
        assert answer.code == 0
        checks = found(answer)
        assert checks["repository"]["status"] == "warn"
        assert "git init" in checks["repository"]["advice"]
        assert "store" not in checks
        assert checks["device"]["status"] == "ok"

    def test_without_git(self, repo: Scratch, tmp_path: Path):
        # PATH with nothing but the interpreter: shells and git are elsewhere.
        answer = repo.run("doctor", "--device", "cpu", "--json", PATH=str(tmp_path))
        assert answer.code == 0
        git = found(answer)["git"]
        assert (git["status"], git["seen"]) == ("fail", "there is no git command")

    def test_a_store_that_is_not_there_yet(self, on_cpu: Answer):
        assert "none yet" in found(on_cpu)["store"]["seen"]

    def test_a_store_counts_what_it_holds(self, repo: Scratch):
        recorded = repo.run("record", "--quick", "--bench", "total")
        assert recorded.code == 0
        assert "Warning" not in recorded.err, "no lock was left behind"
        store = found(repo.run("doctor", "--json"))["store"]
        assert (store["status"], store["numbers"]) == ("ok", {"commits": 1.0})

    def test_a_store_without_a_folder(self, repo: Scratch):
        answer = repo.run("doctor", "--store", "nowhere/perftrack.duckdb", "--json")
        assert answer.code == 0, "measuring is possible, storing is not"
        store = found(answer)["store"]
        assert store["status"] == "fail"
        assert "mkdir" in store["advice"]

    def test_a_file_that_is_no_store(self, repo: Scratch):
        repo.write("perftrack.duckdb", "not a database at all")
        store = found(repo.run("doctor", "--json"))["store"]
        assert store["status"] == "fail"
        assert "not a DuckDB file" in store["seen"]

    def test_a_configuration_that_can_t_be_used_is_an_error(self, repo: Scratch):
        repo.write("perftrack.toml", "devise = 'cpu'\n")
        answer = repo.run("doctor")
        assert answer.code == 1
        assert "devise" in answer.err


class TestLocksLeftBehind:
    @pytest.fixture
    def locked(self, repo: Scratch) -> dict[str, str]:
        """The environment of a machine whose card a process locked, capped, and died on."""
        repo.state.joinpath("perftrack").mkdir(parents=True)
        record = LockRecord(GPU_A, 1500, 700_000, NO_SUCH_PROCESS, "1", boot_id())
        write_record(record, repo.state / "perftrack")
        card = repo.root / ".git" / "card.json"
        card.write_text(json.dumps({"sm_mhz": 1500, "limit_mw": 500_000}))
        return stand_in(repo, "pynvml", FAKE_NVML) | {"FAKE_CARD": str(card)}

    @staticmethod
    def card(locked: dict[str, str]) -> dict[str, int]:
        return json.loads(Path(locked["FAKE_CARD"]).read_text())

    def test_they_are_reported_and_left_alone(self, repo: Scratch, locked: dict[str, str]):
        pending = found(repo.run("doctor", "--json", **locked))["pending-restore"]
        assert pending["status"] == "fail"
        assert f"{GPU_A} is still locked to 1500 MHz" in pending["seen"]
        assert "perftrack doctor --restore-clocks as root" in pending["advice"]
        assert self.card(locked) == {"sm_mhz": 1500, "limit_mw": 500_000}

    def test_restoring_undoes_them_and_says_so(self, repo: Scratch, locked: dict[str, str]):
        answer = repo.run("doctor", "--restore-clocks", "--json", **locked)
        assert answer.code == 0, answer.err
        assert answer.document["restored"] == [
            {"card": GPU_A, "locked_mhz": 1500, "power_limit_w": 700.0, "pid": NO_SUCH_PROCESS}
        ]
        assert found(answer)["pending-restore"]["status"] == "ok"
        assert self.card(locked) == {"sm_mhz": 1980, "limit_mw": 700_000}
        assert read_records(repo.state / "perftrack") == ()

    def test_restoring_in_words(self, repo: Scratch, locked: dict[str, str]):
        shutil.move(repo.root / ".git" / "HEAD", repo.root / ".git" / "NO_HEAD")  # it needs no repository
        first = repo.run("doctor", "--restore-clocks", **locked)
        assert first.out.splitlines()[0] == (
            f"restored {GPU_A}: no longer locked to 1500 MHz, power limit back to 700 W"
        )
        assert self.card(locked)["sm_mhz"] == 1980
        second = repo.run("doctor", "--restore-clocks", **locked).out.splitlines()[0]
        assert second == "no clock lock was left behind: nothing to restore"

    def test_a_card_that_refuses_is_an_error_and_stays_on_record(self, repo: Scratch, locked: dict[str, str]):
        answer = repo.run("doctor", "--restore-clocks", FAKE_REFUSES="1", PATH=_git_only(repo), **locked)
        assert answer.code == 1
        assert "could not unlock the SM clock" in answer.err
        assert len(read_records(repo.state / "perftrack")) == 1

    def test_record_warns_once_and_records(self, repo: Scratch, locked: dict[str, str]):
        answer = repo.run("record", "--quick", "--bench", "total", **locked)
        assert answer.code == 0
        assert answer.err.count("Warning:") == 1
        assert f"Warning: a process that crashed left clocks locked: {GPU_A} at 1500 MHz" in answer.err
        assert "doctor --restore-clocks" in answer.err
        assert self.card(locked)["sm_mhz"] == 1500

    def test_what_measures_nothing_does_not_warn(self, repo: Scratch, locked: dict[str, str]):
        assert "Warning" not in repo.run("record", "--dry-run", **locked).err

    def test_a_record_that_can_t_be_read_is_warned_of_too(self, repo: Scratch, locked: dict[str, str]):
        (path,) = (repo.state / "perftrack").iterdir()
        path.write_text("?")
        answer = repo.run("record", "--quick", "--bench", "total", **locked)
        assert answer.code == 0
        assert path.name in answer.err
        assert f"delete {path}" in answer.err


def _git_only(repo: Scratch) -> str:
    """A PATH without nvidia-smi, which a refused write falls back on."""
    folder = repo.root / ".git" / "path"
    folder.mkdir()
    git = shutil.which("git")
    assert git is not None
    (folder / "git").symlink_to(git)
    return str(folder)
