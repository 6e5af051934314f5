"""What GitHub would refuse, and what would make a workflow unsafe."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ruamel.yaml", reason="comes with check-jsonschema")
from tests.action.steps import FOLDER, ROOT, document

SAMPLES = sorted((ROOT / "examples" / "github").glob("*.yml"))
WORKFLOWS = [*SAMPLES, *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]


def valid(schema: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_workflows_have_github_s_schema() -> None:
    done = valid("github-workflows", *WORKFLOWS)
    assert done.returncode == 0, done.stdout


def test_the_action_has_github_s_schema() -> None:
    done = valid("github-actions", FOLDER / "action.yml")
    assert done.returncode == 0, done.stdout


def test_the_schema_check_can_fail(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(SAMPLES[0].read_text().replace("runs-on:", "run-on:"))
    assert valid("github-workflows", broken).returncode != 0


def steps_of(path: Path) -> list[dict]:
    read = document(path)
    jobs = read["jobs"].values() if "jobs" in read else [read["runs"]]
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("path", [*WORKFLOWS, FOLDER / "action.yml"], ids=lambda p: p.stem)
def test_other_people_s_actions_are_pinned_by_hash(path: Path) -> None:
    used = [s["uses"] for s in steps_of(path) if "uses" in s]
    assert used
    assert all(re.fullmatch(r"\./\.github/actions/perftrack|actions/[\w-]+@[0-9a-f]{40}", u) for u in used)


@pytest.mark.parametrize("path", [*WORKFLOWS, FOLDER / "action.yml"], ids=lambda p: p.stem)
def test_no_expression_is_pasted_into_a_shell(path: Path) -> None:
    assert not [s["run"] for s in steps_of(path) if "${{" in s.get("run", "").replace("${{ matrix.", "")]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_nothing_is_allowed_that_a_job_does_not_name(path: Path) -> None:
    read = document(path)
    assert read["permissions"] == {}
    assert all(job["permissions"] for job in read["jobs"].values())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_checkouts_leave_no_token_behind_and_every_job_ends(path: Path) -> None:
    checkouts = [s for s in steps_of(path) if s.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(s["with"]["persist-credentials"] is False for s in checkouts)
    assert all("timeout-minutes" in job for job in document(path)["jobs"].values())


def test_a_stranger_s_code_runs_without_secrets_or_rights_to_write() -> None:
    text = (ROOT / "examples" / "github" / "gate.yml").read_text()
    read = document(ROOT / "examples" / "github" / "gate.yml")
    assert read["on"] == {"pull_request": None}
    assert {p for job in read["jobs"].values() for p in job["permissions"].values()} == {"read"}
    assert "secrets." not in text
    assert "token" not in text


def test_the_comment_is_posted_by_the_main_branch_s_code() -> None:
    (job,) = document(ROOT / "examples" / "github" / "comment.yml")["jobs"].values()
    (checkout,) = (s for s in job["steps"] if s.get("uses", "").startswith("actions/checkout@"))
    assert "ref" not in checkout["with"]
    assert job["permissions"] == {"contents": "read", "actions": "read", "pull-requests": "write"}


def test_the_comment_follows_the_gate_by_its_name() -> None:
    gate = document(ROOT / "examples" / "github" / "gate.yml")["name"]
    comment = document(ROOT / "examples" / "github" / "comment.yml")
    assert comment["on"]["workflow_run"]["workflows"] == [gate]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_samples_give_the_action_inputs_that_it_has(path: Path) -> None:
    known = document(FOLDER / "action.yml")["inputs"]
    for step in steps_of(path):
        if step.get("uses") == "./.github/actions/perftrack":
            assert set(step["with"]) <= set(known)
            assert {n for n, spec in known.items() if spec.get("required")} <= set(step["with"])
