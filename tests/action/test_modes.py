"""The action's shell steps run on a real repository with a remote, as on a runner."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("ruamel.yaml", reason="comes with check-jsonschema")
from tests import scratch
from tests.action import steps
from tests.scratch import Scratch

INSTALL = ("Install perftrack",)


@pytest.fixture
def repo(tmp_path: Path) -> Scratch:
    made = scratch.make(tmp_path / "project")
    made.git("init", "-q", "--bare", "-b", "main", str(tmp_path / "origin.git"))
    made.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    made.git("push", "-q", "-u", "origin", "main")
    return made


def act(repo: Scratch, mode: str, **inputs: str) -> steps.Outcome:
    told = scratch.command_environment(replayed=True) | scratch.git_environment() | {
        "XDG_STATE_HOME": str(repo.state), "GITHUB_BASE_REF": "main", "PERFTRACK_REPLAY": "replay.json",
    }  # fmt: skip
    return steps.run(
        {"mode": mode, "python": sys.executable} | {k.replace("_", "-"): v for k, v in inputs.items()},
        cwd=repo.root, temp=repo.root.parent / "temp", environment=told, skip=INSTALL,
    )  # fmt: skip


def test_pushes_are_recorded_one_after_the_other_into_one_store_and_published(repo: Scratch) -> None:
    first = act(repo, "record", record_args="HEAD --quick")
    assert first.code == 0, first.log
    assert "starting with an empty store" in first.log
    assert "::notice::Not compared: Error: no ancestor" in first.log
    repo.write("replay.json", scratch.replay(large=3e-4))
    repo.commit("Slow down")
    (repo.root.parent / "temp" / "perftrack.duckdb").unlink()  # the next job has a machine of its own
    second = act(repo, "record", record_args="HEAD --quick", site="public")
    assert second.code == 0, second.log
    assert "MB from perftrack-data" in second.log
    assert second.outputs["site"] == {"folder": "public"}
    assert (repo.root / "public" / "index.html").is_file()
    assert second.summary.startswith("<!-- perftrack -->")
    assert "tokenize" in second.summary


def test_a_slower_pull_request_fails_after_its_comment_is_written(repo: Scratch) -> None:
    repo.git("checkout", "-q", "-b", "slower")
    repo.write("replay.json", scratch.replay(large=2e-4))
    repo.commit("Scan twice")
    done = act(repo, "gate", compare_args="--live --rounds 6")
    assert done.code == 3, done.log
    assert "::error::Benchmarks got slower" in done.log
    comment = (repo.root.parent / "temp" / "perftrack-comment" / "comment.md").read_text()
    assert comment.startswith("<!-- perftrack -->")
    assert "1 regression" in comment
    assert "tokenize" in comment
    assert done.summary == comment


def test_a_pull_request_that_changes_nothing_passes(repo: Scratch) -> None:
    repo.git("checkout", "-q", "-b", "same")
    repo.commit("Say more", README_dot_md="more")
    done = act(repo, "gate", compare_args="--live --rounds 6")
    assert done.code == 0, done.log
    assert done.ran[-1] == "Pass or fail"


def test_an_unknown_mode_is_refused_before_anything_runs(repo: Scratch) -> None:
    done = act(repo, "compare")
    assert done.code == 2
    assert done.ran == ["Check the mode"]
    assert "record, gate or comment" in done.log
