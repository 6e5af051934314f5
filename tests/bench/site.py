"""The site against asv 0.6.6 on the same made-up history: time, memory, size and files of a publication.

    python -m tests.bench.site --asv /path/to/venv/bin/asv [--sizes 500x100 500x500 2000x500]

A size is commits x benchmarks. Both publish from a repository and its results; ours once from nothing, once with
nothing new, and once more after one more commit in which everything was measured. `perftrack site build` and `asv
publish` run as a user starts them, one after the other. `wall` is what passed; `cpu` is processor time with that
of child processes, which other work on the machine disturbs less; `memory` is that of the largest process.
Without --asv ours alone. --large N: also a cold build of N series over 1,000 commits, ours alone.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import perftrack
from tests.bench.longhistory import LongHistory, make_history, shortened, write_asv, write_store

SIZES = ("500x100", "500x500", "2000x500")
HEAD = (
    f"{'commits':>8}{'cases':>7}  {'what':<24}{'wall s':>8}{'cpu s':>8}{'memory MB':>11}{'size MB':>9}{'files':>7}"
)


@dataclass(frozen=True, slots=True)
class Cost:
    wall_s: float
    cpu_s: float
    peak_bytes: int
    bytes: int
    files: int


# Starts a command from a process that is small itself: what a process is forked from counts as its memory.
LAUNCH = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
sys.stderr.buffer.write(done.stderr[-2000:])
"""


def run(command: list[str], folder: Path, output: Path) -> Cost:
    """What a command took, and what lies in its output after it."""
    launcher = [sys.executable, "-S", "-c", LAUNCH, *command]
    # Both are compiled, as what pip installed is: a development checkout may not have been.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(launcher, cwd=folder, env=own, capture_output=True, text=True, check=True)
    code, wall, cpu, peak = json.loads(done.stdout)
    if code:
        raise SystemExit(f"{' '.join(command)}: exit {code}\n{done.stderr}")
    files = [path for path in output.rglob("*") if path.is_file()]
    return Cost(wall, cpu, peak, sum(path.stat().st_size for path in files), len(files))


def site_command(repository: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", "perftrack", "site", "build", "-C", str(repository), "--output", str(output)]


def compare(root: Path, commits: int, benchmarks: int, asv: str | None) -> None:
    history = make_history(root / "repo", commits + 1, benchmarks)
    before = shortened(history, commits)
    store = root / "repo" / "perftrack.duckdb"
    write_store(store, before)
    site = root / "site"
    costs = {"perftrack, cold": run(site_command(root / "repo", site), Path.cwd(), site)}
    costs["perftrack, unchanged"] = run(site_command(root / "repo", site), Path.cwd(), site)
    write_store(store, history, commits)
    costs["perftrack, one commit on"] = run(site_command(root / "repo", site), Path.cwd(), site)
    if asv is not None:
        write_asv(root / "asv", root / "repo", before)
        costs["asv publish"] = run([asv, "publish"], root / "asv", root / "asv" / "html")
    for name, cost in costs.items():
        show(commits, benchmarks, name, cost)
    if asv is not None:
        ours, theirs = costs["perftrack, cold"], costs["asv publish"]
        print(
            f"{'':>17}asv / ours{'':<14}{theirs.wall_s / ours.wall_s:>8.1f}{theirs.cpu_s / ours.cpu_s:>8.1f}"
            f"{theirs.peak_bytes / ours.peak_bytes:>11.2f}{theirs.bytes / ours.bytes:>9.2f}"
            f"{theirs.files / ours.files:>7.2f}",
            flush=True,
        )


def large(root: Path, benchmarks: int) -> None:
    history: LongHistory = make_history(root / "repo", 1000, benchmarks)
    write_store(root / "repo" / "perftrack.duckdb", history)
    del history
    site = root / "site"
    show(1000, benchmarks, "perftrack, cold", run(site_command(root / "repo", site), Path.cwd(), site))


def show(commits: int, benchmarks: int, name: str, cost: Cost) -> None:
    figures = f"{cost.wall_s:>8.2f}{cost.cpu_s:>8.2f}{cost.peak_bytes / 1e6:>11.0f}{cost.bytes / 1e6:>9.2f}"
    print(f"{commits:>8}{benchmarks:>7}  {name:<24}{figures}{cost.files:>7}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asv", help="The asv program to compare with.")
    parser.add_argument("--sizes", nargs="*", default=SIZES, metavar="COMMITSxCASES")
    parser.add_argument("--large", type=int, metavar="SERIES")
    options = parser.parse_args()
    compileall.compile_dir(Path(perftrack.__file__).parent, quiet=1)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    print(HEAD, flush=True)
    for size in options.sizes:
        commits, _, benchmarks = size.partition("x")
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), int(commits), int(benchmarks), options.asv)
    if options.large:
        with tempfile.TemporaryDirectory() as folder:
            large(Path(folder), options.large)


if __name__ == "__main__":
    main()
