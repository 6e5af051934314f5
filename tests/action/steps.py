"""Runs the shell steps of a composite action as a GitHub runner does; its `uses` steps are left out."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "actions" / "perftrack"


def document(path: Path) -> dict[str, Any]:
    return YAML(typ="safe").load(path.read_text())


@dataclass
class Outcome:
    code: int = 0
    log: str = ""
    ran: list[str] = field(default_factory=list)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    summary: str = ""


def run(
    inputs: dict[str, str], *, cwd: Path, temp: Path, environment: dict[str, str], skip: tuple[str, ...] = ()
) -> Outcome:
    """Every step whose condition holds, until one fails."""
    action = document(FOLDER / "action.yml")
    given = {name: str(spec.get("default", "")) for name, spec in action["inputs"].items()} | inputs
    temp.mkdir(parents=True, exist_ok=True)
    summary = temp / "summary.md"
    summary.touch()
    outcome = Outcome()
    for step in action["runs"]["steps"]:
        if "run" not in step or step["name"] in skip or not holds(step.get("if", ""), given):
            continue
        output = temp / "output"
        output.write_text("")
        told = {k: expanded(str(v), given, temp, outcome) for k, v in step.get("env", {}).items()}
        runner = {
            "GITHUB_ACTION_PATH": str(FOLDER),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=cwd, env=os.environ | environment | runner | told, capture_output=True, text=True, timeout=300,
            check=False,
        )  # fmt: skip
        outcome.ran.append(step["name"])
        outcome.log += done.stdout + done.stderr
        outcome.outputs[step.get("id", "")] = dict(
            line.split("=", 1) for line in output.read_text().splitlines() if "=" in line
        )
        if done.returncode:
            outcome.code = done.returncode
            break
    outcome.summary = summary.read_text()
    return outcome


def holds(condition: str, inputs: dict[str, str]) -> bool:
    if not condition:
        return True
    name, operator, value = re.fullmatch(r"inputs\.(\S+) (==|!=) '(\w+)'", condition).groups()  # type: ignore[union-attr]
    return (inputs[name] == value) == (operator == "==")


def expanded(text: str, inputs: dict[str, str], temp: Path, outcome: Outcome) -> str:
    def value(match: re.Match[str]) -> str:
        path = match[1].split(".")
        if path[0] == "inputs":
            return inputs[path[1]]
        if path == ["runner", "temp"]:
            return str(temp)
        assert path[0] == "steps"
        return outcome.outputs[path[1]][path[3]]

    return re.sub(r"\$\{\{ (\S+) \}\}", value, text)
