"""How long a history of 100,000 commits takes to walk and to order, in processor seconds, git's included.

python tests/bench/history.py [--commits 100000]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from perftrack.vcs import Repository


def processor_s(work: Callable[[], object]) -> float:
    def spent() -> float:
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    before = spent()
    work()
    return spent() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        stream = "".join(
            f"commit refs/heads/main\ncommitter A <a@b> {1_600_000_000 + n} +0000\ndata 12\nChange {n:05d}\n"
            for n in range(options.commits)
        )
        subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input=stream.encode(), check=True)
        repository = Repository.find(Path(folder))
        shas = repository.history()
        for name, work in (("log", repository.log), ("order", lambda: repository.order(shas))):
            taken = statistics.median(processor_s(work) for _ in range(3))
            print(f"{name:<6}{taken:6.2f} s of processor time for {len(shas):,} commits")


if __name__ == "__main__":
    main()
