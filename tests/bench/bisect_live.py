"""`perftrack bisect` from end to end: real commits, real builds, real processes on this machine's CPU.

    python -m tests.bench.bisect_live [--runs 20] [--least 64] [--most 256] [--change 0.05] [--budget 400]
                                      [--seed 1] [--plain]

Each run makes a Git repository of that many commits, shaped like those of tests/commit_graphs.py: merges, and a
tenth of the commits in runs that do not build. One commit, drawn at random, makes a loop of busy work longer by
`change`. `right`: the block that is named holds that commit; its size is given, and the machine's load.

The work is measured against the same loop at its unchanged length, in turns of some 20 microseconds: their ratio
says the same on a machine that others use, where the speed of a core varies by half from one second to the next.
With `--plain` perftrack times the loop itself, which takes a machine without company.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perftrack.core.search.dag import CommitGraph
from tests.bench.bisect import wilson
from tests.commit_graphs import OLDER, SHAPES
from tests.scratch import command_environment, git_environment

COUNT = 500  # turns of the loop: some 20 microseconds
CONFIG = 'build = "sh build.sh"\npythonpath = ["src"]\n'
BUILD = "python3 -m py_compile src/busy.py\n"
PLAIN = """import perftrack as pt


@pt.benchmark()
def busy():
    from busy import work

    return work
"""
LOOP = """TURNS = {turns}
TABLE = list(range(256))


def work():
    table, total = TABLE, 1
    for turn in range(TURNS):
        total = (total * 33 + table[turn & 255]) & 0xFFFFFF
    return total
"""
RELATIVE = f"""import statistics
import time

import perftrack as pt

{LOOP.format(turns=COUNT)}

def seconds(call):
    started = time.thread_time_ns()
    call()
    return time.thread_time_ns() - started


@pt.metric(unit="×", direction="lower")
def busy():
    import busy

    for _ in range(50):
        busy.work(), work()
    ratios = []
    for _ in range(PAIRS // 2):
        ratios.append(seconds(busy.work) / seconds(work))
        ratios.append(1 / (seconds(work) / seconds(busy.work)))
    return statistics.median(ratios)
"""
PAIRS = 10  # few enough that a process is off by about a percent
BROKEN = "TURNS = (\n"


@dataclass(frozen=True)
class Drawn:
    """A repository to be: who is to blame, which commits do not build, and the names that commits get."""

    graph: CommitGraph
    culprit: str
    broken: frozenset[str]


@dataclass(frozen=True)
class Run:
    right: bool
    block: int
    outcome: str
    measurements: int
    builds: int
    seconds: float
    effect: float | None
    covered: bool | None


def draw(rng: np.random.Generator, least: int, most: int) -> Drawn:
    names = list(SHAPES)
    shape = SHAPES[names[int(rng.integers(len(names)))]]
    graph = shape(rng, int(rng.integers(least, most + 1)))
    while not least <= len(graph) <= most:  # shapes end at a merge, somewhat late
        graph = shape(rng, int(rng.integers(least, most + 1)))
    culprit = graph.shas[int(rng.integers(len(graph)))]
    broken: set[str] = set()
    while len(broken) < len(graph) // 10:
        start = int(rng.integers(len(graph) - 6))
        broken |= set(graph.shas[start : start + 5])
    return Drawn(graph, culprit, frozenset(broken - {graph.bad}))


def make(root: Path, drawn: Drawn, change: float, *, plain: bool) -> dict[str, str]:
    """Write the repository in one go; Git's names of the commits by theirs in the graph."""
    graph = drawn.graph
    slow = set(np.array(graph.shas)[graph.descendants(graph.places[drawn.culprit])].tolist())
    names = [f"{n:06x}" + "0" * 34 for n in range(OLDER)]  # the main line before GOOD, which is the last of them
    chain = {name: names[n - 1 : n] for n, name in enumerate(names)}
    order = [*names, *graph.shas]
    marks = {name: n for n, name in enumerate(order, 1)}
    parts = []
    benchmark = PLAIN if plain else RELATIVE.replace("PAIRS", str(PAIRS))
    for name in order:
        parents = (
            chain.get(name) or list(graph.parents[graph.places[name]]) if name in graph.places else chain[name]
        )
        turns = round((40 if plain else 1) * COUNT * (1 + change * (name in slow)))
        work = BROKEN if name in drawn.broken else LOOP.format(turns=turns)
        parts.append(_commit(marks, name, parents, benchmark, work + f"# {name[:6]}\n"))
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], env=git_environment(), check=True)
    stream = "".join(parts).encode()
    exported = root / ".git" / "marks"
    command = ["git", "fast-import", "--quiet", f"--export-marks={exported}"]
    subprocess.run(command, cwd=root, env=git_environment(), input=stream, check=True)
    subprocess.run(["git", "reset", "-q", "--hard", "main"], cwd=root, env=git_environment(), check=True)
    shas = dict(line[1:].split() for line in exported.read_text().splitlines())
    return {name: shas[str(mark)] for name, mark in marks.items()}


def _commit(marks: dict[str, int], name: str, parents: Sequence[str], benchmark: str, work: str) -> str:
    message = f"Change {name[:6]}"
    who = f"A <a@example.org> {1_750_000_000 + 600 * marks[name]} +0000"
    lines = [f"commit refs/heads/main\nmark :{marks[name]}\ncommitter {who}\ndata {len(message)}\n{message}\n"]
    for number, parent in enumerate(parents):
        lines.append(f"{'merge' if number else 'from'} :{marks[parent]}\n")
    lines.append("deleteall\n")
    files = {
        "perftrack.toml": CONFIG,
        "build.sh": BUILD,
        "benchmarks/bench_busy.py": benchmark,
        "src/busy.py": work,
    }
    for path, text in files.items():
        lines.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
    return "".join(lines)


def run(root: Path, rng: np.random.Generator, options: argparse.Namespace, number: int) -> Run:
    drawn = draw(rng, options.least, options.most)
    shas = make(root, drawn, options.change, plain=options.plain)
    graph, merges = drawn.graph, sum(len(p) > 1 for p in drawn.graph.parents)
    print(
        f"{number:>3}  {len(graph):>4} commits, {merges:>3} merges, {len(drawn.broken):>2} broken,"
        f" load {os.getloadavg()[0]:.1f} ",
        end="",
        flush=True,
    )
    started = time.monotonic()
    command = [sys.executable, "-m", "perftrack", "bisect", "--bench", "busy", "--json", "--quiet"]
    command += ["--seed", str(number), "--budget", options.budget, shas[graph.good], shas[graph.bad]]
    done = subprocess.run(
        command, cwd=root, env=command_environment(replayed=False), capture_output=True, text=True, check=False
    )
    seconds = time.monotonic() - started
    if done.returncode not in (0, 4):
        print(f"exit {done.returncode}: {done.stderr.strip()}")
        return Run(False, 0, "error", 0, 0, seconds, None, None)
    answer = json.loads(done.stdout)
    block = [commit["sha"] for commit in answer["block"]]
    named = answer["outcome"] in ("found", "base")
    right = named and shas[drawn.culprit] in block
    effect, interval = answer["confirmed"]["effect"], answer["confirmed"]["interval"]
    covered = None
    if right and interval:
        covered = interval[0] <= float(np.log1p(options.change)) <= interval[1]
    print(
        f"{'right' if right else 'WRONG'} ({answer['outcome']}, {len(block)} in the block), "
        f"{answer['measurements']} measurements, {answer['builds']} builds, {seconds:.0f} s"
        + (f", effect {100 * effect:+.1f} %" if effect is not None else ""),
        flush=True,
    )
    return Run(
        right, len(block), answer["outcome"], answer["measurements"], answer["builds"], seconds, effect, covered
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--least", type=int, default=64)
    parser.add_argument("--most", type=int, default=256)
    parser.add_argument("--change", type=float, default=0.05)
    parser.add_argument("--budget", default="400")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="for a machine without company")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    runs = []
    for number in range(1, options.runs + 1):
        with tempfile.TemporaryDirectory(prefix="bisect-live-") as folder:
            runs.append(run(Path(folder) / "repo", rng, options, number))
    took = np.array([r.measurements for r in runs])
    spent = np.array([r.seconds for r in runs])
    covered = [r.covered for r in runs if r.covered is not None]
    blocks = [r.block for r in runs if r.block]
    print(
        f"\nright {sum(r.right for r in runs)} of {len(runs)}: {wilson(sum(r.right for r in runs), len(runs))}\n"
        f"measurements: median {np.median(took):.0f}, most {took.max()}; "
        f"builds: median {np.median([r.builds for r in runs]):.0f}; "
        f"seconds: median {np.median(spent):.0f}, most {spent.max():.0f}, all {spent.sum():.0f}\n"
        f"blocks: {sum(blocks) / max(len(blocks), 1):.1f} commits on average; "
        f"the effect's interval holds the true one in {sum(covered)} of {len(covered)}"
    )
    return 0 if sum(r.right for r in runs) >= 0.95 * len(runs) else 1


if __name__ == "__main__":
    raise SystemExit(main())
