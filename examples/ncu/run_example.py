"""perftrack with Nsight Compute on two commits: record, profile, and name what made the second one slower.

    python examples/ncu/run_example.py DIRECTORY

DIRECTORY must not exist. Needs an NVIDIA GPU, ncu with permission to read counters, torch and Triton in this
interpreter. Exits with 1 where the cause that a commit was written for is not the one that is named.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

from make_repo import make

# Case → what must be among the findings of its launches, by code.
EXPECTED = {
    "scale": "coalescing",
    "softmax": "registers",
    "gelu": "same-code",
}
# A case whose kernel is another one now.
REPLACED = "add_table"


def perftrack(root: Path, *arguments: str) -> str:
    """Run a command on the repository as a user would, in plain sight; what it answered."""
    print(f"\n$ perftrack {shlex.join(arguments)}", flush=True)
    command = [sys.executable, "-m", "perftrack", *arguments]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=False)
    if "--json" not in arguments:
        print(done.stdout, flush=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"exit code {done.returncode}")
    return done.stdout


def main() -> None:
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: run_example.py DIRECTORY  (which must not exist yet)")
    root = Path(sys.argv[1]).resolve()
    make(root)
    perftrack(root, "doctor", "--device", "cuda")
    perftrack(root, "record", "HEAD~1", "HEAD", "--ncu", "--quick", "--processes", "4")
    perftrack(root, "ncu", "show", "HEAD")
    perftrack(root, "ncu", "diff", "HEAD~1", "HEAD")
    perftrack(root, "compare", "HEAD~1", "HEAD", "--all")
    wrong = check(json.loads(perftrack(root, "ncu", "diff", "HEAD~1", "HEAD", "--json")))
    print("\n".join(wrong) if wrong else "\nEvery cause was named.")
    sys.exit(1 if wrong else 0)


def check(document: dict) -> list[str]:
    """What is not as the commits were written to be."""
    cases = {case["case"]: case for case in document["cases"]}
    wrong = []
    for name, code in EXPECTED.items():
        launches = cases.get(name, {}).get("launches", [])
        found = {finding["code"] for launch in launches for finding in launch["findings"]}
        if code not in found:
            wrong.append(f"{name}: {code} is not among {sorted(found)}")
    if not cases.get(REPLACED, {}).get("added"):
        wrong.append(f"{REPLACED}: no launch was added")
    if not cases.get("backward", {}).get("launches"):
        wrong.append("backward: no launch of it was profiled on both sides")
    return wrong


if __name__ == "__main__":
    main()
