"""Prints the shell steps of the action as one script, for shellcheck."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.action.steps import FOLDER, document


def main() -> None:
    steps = [s for s in document(FOLDER / "action.yml")["runs"]["steps"] if "run" in s]
    # Every name that a step reads comes from its own env or from the runner.
    names = sorted({n for s in steps for n in (*s.get("env", {}), *re.findall(r"GITHUB_\w+", s["run"]))})
    print("set -eo pipefail")
    print("".join(f': "${{{n}:?}}"\n' for n in names), end="")
    for step in steps:
        print(f"(\n{step['run']})")


if __name__ == "__main__":
    main()
