"""perftrack bisect on a GPU: some forty commits, one of which made a Triton kernel 3 to 5 % slower.

    python examples/gpu/bisect_example.py DIRECTORY

DIRECTORY must not exist. Needs a CUDA device, torch and Triton in this interpreter. The history has branches that
are merged and a commit that does not build; the slower one is inside of a branch. How many more steps the kernel
has to take to be 4 % slower is found out on the device first. Exits with 1 where another commit is blamed.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

STEPS = 1500  # of the kernel: it is bound by arithmetic, and its time by them
WANTED, LEAST, MOST = 1.04, 1.03, 1.05
MAIN, BRANCHES, LENGTH = 24, 5, 3
CULPRIT_BRANCH, CULPRIT_PLACE, BROKEN = 2, 1, 10

KERNEL = '''"""Relaxes each element of a tensor in a fixed number of steps."""

import torch
import triton
import triton.language as tl

STEPS = {steps}


@triton.jit
def _relax(out, x, count, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    value = tl.load(x + offsets, mask=mask)
    for _ in range(STEPS):
        value = value * 0.9990234375 + 0.0009765625
    tl.store(out + offsets, value, mask=mask)


def relax(x, steps=STEPS):
    out = torch.empty_like(x)
    block = 1024
    _relax[(triton.cdiv(x.numel(), block),)](out, x, x.numel(), STEPS=steps, BLOCK=block, num_warps=4)
    return out
'''

BENCHMARKS = """import perftrack as pt


@pt.benchmark(tags=["triton"], device="cuda")
def relax():
    import torch

    from kernelkit.relax import relax as work

    x = torch.rand(2**22, device="cuda")
    return lambda: work(x)
"""

CONFIG = """build = "python3 -m py_compile src/kernelkit/relax.py src/kernelkit/notes.py"
"""

CALIBRATE = """
import statistics, sys, torch
sys.path.insert(0, "src")
from kernelkit.relax import relax

x = torch.rand(2**22, device="cuda")

def once(steps):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(5):
        relax(x, steps)
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 5

base, others = int(sys.argv[1]), [int(a) for a in sys.argv[2:]]
for steps in (base, *others):
    for _ in range(50):
        once(steps)
for steps in others:
    ratios = [once(steps) / once(base) for _ in range(100)]
    print(steps, statistics.median(ratios))
"""


def git(root: Path, *arguments: str, when: int = 0) -> str:
    """Run git in `root` with a fixed identity and date, untouched by the user's configuration."""
    date = f"{1_770_000_000 + 3600 * when} +0000"
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Kernel Author",
        "GIT_AUTHOR_EMAIL": "author@example.org",
        "GIT_COMMITTER_NAME": "Kernel Author",
        "GIT_COMMITTER_EMAIL": "author@example.org",
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
    }
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


class History:
    """A repository that grows. `slow`: whether the branch that is checked out has the culprit in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.count = root, 0
        package = root / "src/kernelkit"
        package.mkdir(parents=True)
        (root / "benchmarks").mkdir()
        (root / "benchmarks/bench_relax.py").write_text(BENCHMARKS)
        (root / "perftrack.toml").write_text(CONFIG)
        (package / "__init__.py").touch()
        self.kernel(STEPS)
        git(root, "init", "-q", "-b", "main")
        self.commit("Add a relaxation in Triton")

    def kernel(self, steps: int) -> None:
        (self.root / "src/kernelkit/relax.py").write_text(KERNEL.replace("{steps}", str(steps)))

    def commit(self, subject: str, *, broken: bool = False) -> str:
        """A commit that changes something beside the kernel, each in a file of its own so that branches merge."""
        self.count += 1
        (self.root / f"src/kernelkit/note{self.count:02}.py").write_text(f"NUMBER = {self.count}\n")
        notes = self.root / "src/kernelkit/notes.py"
        notes.write_text("NUMBERS = [\n" if broken else "NUMBERS = []\n")
        git(self.root, "add", ".")
        git(self.root, "commit", "-q", "-m", subject, when=self.count)
        return git(self.root, "rev-parse", "HEAD")

    def merge(self, branch: str) -> None:
        self.count += 1
        git(self.root, "merge", "-q", "--no-ff", "-m", f"Merge {branch}", branch, when=self.count)


def steps_for_slower(root: Path) -> tuple[int, float]:
    """Steps with which the kernel takes about 4 % longer on this device, and how much longer it takes."""
    candidates = [str(round(STEPS * share)) for share in (1.03, 1.035, 1.04, 1.045, 1.05)]
    done = subprocess.run(
        [sys.executable, "-c", CALIBRATE, str(STEPS), *candidates], cwd=root, stdout=subprocess.PIPE, check=True
    )
    rows = [line.split() for line in done.stdout.decode().splitlines()]
    found = min(((int(steps), float(ratio)) for steps, ratio in rows), key=lambda f: abs(f[1] - WANTED))
    if not LEAST <= found[1] <= MOST:
        sys.exit(f"no number of steps makes the kernel 3 to 5 % slower here: {rows}")
    return found


def make(root: Path) -> tuple[str, str, str]:
    """The history; SHAs of its first and last commit and of the one that is to blame."""
    history = History(root)
    good = git(root, "rev-parse", "HEAD")
    steps, ratio = steps_for_slower(root)
    print(f"{steps} steps in place of {STEPS} take {100 * (ratio - 1):.2f} % longer on this device", flush=True)
    culprit, opened = "", 0
    for number in range(1, MAIN + 1):
        history.commit(f"Step {number} on the main line", broken=number == BROKEN)
        if number == BROKEN + 1 or number % (MAIN // BRANCHES) or opened == BRANCHES:
            continue
        branch = f"topic-{opened}"
        git(root, "checkout", "-q", "-b", branch, "HEAD~1" if number > 1 else "HEAD")
        for place in range(LENGTH):
            guilty = opened == CULPRIT_BRANCH and place == CULPRIT_PLACE
            if guilty:
                history.kernel(steps)
            sha = history.commit("Relax further" if guilty else f"Step {place + 1} of {branch}")
            culprit = sha if guilty else culprit
        git(root, "checkout", "-q", "main")
        history.merge(branch)
        opened += 1
    return good, git(root, "rev-parse", "HEAD"), culprit


def main() -> None:
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: bisect_example.py DIRECTORY  (which must not exist yet)")
    root = Path(sys.argv[1]).resolve()
    good, bad, culprit = make(root)
    total, merges = (
        git(root, "rev-list", "--count", f"{good}..{bad}"),
        git(root, "rev-list", "--count", "--merges", f"{good}..{bad}"),
    )
    print(
        f"{total} commits, {merges} of them merges, one that does not build; to blame is {culprit[:12]}",
        flush=True,
    )
    arguments = ["bisect", "--bench", "relax", good[:12], bad[:12], "--json", "--seed", "1"]
    print(f"$ perftrack {shlex.join(arguments)}", flush=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "perftrack", *arguments]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - started
    if done.returncode not in (0, 4):
        sys.exit(f"exit code {done.returncode}")
    answer = json.loads(done.stdout)
    blamed = [commit["sha"] for commit in answer["block"]]
    right = answer["outcome"] == "found" and blamed == [culprit]
    confirmed = answer["confirmed"]
    print(f"outcome {answer['outcome']}, block {[sha[:12] for sha in blamed]}: {'right' if right else 'WRONG'}")
    print(
        f"probability {answer['probability']:.4f}; effect {confirmed['effect']}, interval {confirmed['interval']}"
    )
    print(f"{answer['measurements']} measurements, {answer['builds']} builds, {seconds:.0f} s")
    for finding in answer["findings"]:
        print(f"profiles say: {finding}")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
