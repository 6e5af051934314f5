"""perftrack on a repository of twelve commits: record all, find what got slower, build the site.

    python run_demo.py [DIRECTORY]

DIRECTORY (default: demo-out) must not exist or be empty. Runs the perftrack of this interpreter, on the CPU,
in about two minutes. Exits with 1 where the answer is not the one that the history was written for.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from pathlib import Path

from make_repo import make

FOUND_REGRESSION = 3


def perftrack(root: Path, *arguments: str) -> int:
    """Run a command on the repository as a user would, in plain sight. Its exit code."""
    print(f"\n$ perftrack {shlex.join(arguments)}", flush=True)
    return subprocess.run([sys.executable, "-m", "perftrack", *arguments], cwd=root, check=False).returncode


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def expect(got: int, wanted: int, what: str) -> None:
    if got != wanted:
        raise SystemExit(f"\nThe demo expected exit code {wanted} of {what} and got {got}.")


def main() -> None:
    parser = argparse.ArgumentParser(description="Record, compare and publish a small real history.")
    parser.add_argument("directory", type=Path, nargs="?", default=Path("demo-out"))
    root = parser.parse_args().directory.resolve() / "textkit"
    start = time.monotonic()
    make(root)
    print(git(root, "log", "--graph", "--oneline"))

    commits = git(root, "rev-list", "--reverse", "--topo-order", "HEAD").split()
    # Its dependency files change on the way, and this is no lesson in environments: all run in this one.
    expect(perftrack(root, "record", "--env", "current", *(c[:12] for c in commits)), 0, "record")
    recorded = time.monotonic() - start

    merge = git(root, "log", "--merges", "--format=%H", "-1")[:12]
    print("\nDid the merge of the side branch make anything slower? Exit code 3 says so.")
    expect(perftrack(root, "compare", f"{merge}^1", merge), FOUND_REGRESSION, "compare across the merge")
    slower = git(root, "log", "--grep=^Refactor", "--format=%H", "-1")[:12]
    print("\nWhich of its commits? This one, and only top_words:")
    expect(perftrack(root, "compare", f"{slower}^", slower), FOUND_REGRESSION, "compare across the refactor")
    faster = git(root, "log", "--grep=^Keep one row", "--format=%H", "-1")[:12]
    print("\nAnd the commit that was meant to make edit_distance faster:")
    perftrack(root, "compare", f"{faster}^", faster)

    expect(perftrack(root, "log", "top_words"), 0, "log")
    expect(perftrack(root, "site", "build"), 0, "site build")
    page = root / "perftrack-site" / "index.html"
    if not page.is_file():
        raise SystemExit(f"\nThe demo expected a site at {page}.")
    print(f"\nDone in {time.monotonic() - start:.0f} s, {recorded:.0f} s of it recording. Open {page}")


if __name__ == "__main__":
    main()
