"""Fill in the history of a real project from PyPI: its releases as commits, killed once in the middle.

    python -m tests.bench.backfill [--releases 22] [--kill-after 7] [--order newest] DIRECTORY

DIRECTORY must not exist. Downloads the newest source distributions of `packaging` with pip, makes a Git repository
with one commit each, and records them all with `perftrack record --new`, each in an environment made for its own
dependency files. The first recording is killed (SIGKILL) in the middle of a commit; the same command then goes on.
Prints what each commit took, and exits with 1 where something does not hold that must: every release on record
once, nothing recorded twice, no worktree left. Needs pip and PyPI.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from perftrack.core.history import RunSummary
from perftrack.store import Store

PROJECT = "packaging"
BENCHMARKS = '''
"""What users of packaging wait for."""

import perftrack as pt

TAILS = ("", "rc1", ".post2")
VERSIONS = [f"{a}.{b}.{c}{tail}" for a in range(4) for b in range(5) for c in range(2) for tail in TAILS]
NAMES = [f"Some.{sep * 2}Project_{n}" for n in range(50) for sep in "-_."]


@pt.benchmark
def parse_versions():
    from packaging.version import Version
    return lambda: [Version(v) for v in VERSIONS]


@pt.benchmark
def sort_versions():
    from packaging.version import Version
    parsed = [Version(v) for v in VERSIONS]
    return lambda: sorted(parsed)


@pt.benchmark
def filter_versions():
    from packaging.specifiers import SpecifierSet
    wanted = SpecifierSet(">=1.2,!=1.3.*,<3")
    return lambda: list(wanted.filter(VERSIONS))


@pt.benchmark
def parse_requirement():
    from packaging.requirements import Requirement
    return lambda: Requirement("project[extra] >= 1.0, < 2 ; python_version >= '3.8'")


@pt.benchmark
def canonicalize_names():
    from packaging.utils import canonicalize_name
    return lambda: [canonicalize_name(n) for n in NAMES]
'''
CONFIG = "build-timeout = 300\n"


def run(*command: str, cwd: Path | None = None, **environment: str) -> str:
    outside = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=outside | environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout.strip()


def releases(count: int) -> list[str]:
    """The newest final releases, oldest first."""
    told = run(sys.executable, "-m", "pip", "index", "versions", PROJECT)
    listed = re.search(r"^Available versions: (.*)$", told, re.MULTILINE)
    if listed is None:
        raise SystemExit(f"pip index versions {PROJECT} told no versions:\n{told}")
    return listed[1].split(", ")[:count][::-1]


def sdist(version: str, folder: Path) -> Path:
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:")
    run(*pip, "--dest", str(folder), f"{PROJECT}=={version}")
    (found,) = [p for p in folder.iterdir() if version in p.name and p.name.endswith(".tar.gz")]
    return found


class Repository:
    """The releases as commits, a day apart."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.days = 0
        root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        at = f"{1_700_000_000 + self.days * 86_400} +0000"
        who = {f"GIT_{role}_NAME": "Releases" for role in ("AUTHOR", "COMMITTER")}
        who |= {f"GIT_{role}_EMAIL": "releases@example.org" for role in ("AUTHOR", "COMMITTER")}
        who |= {f"GIT_{role}_DATE": at for role in ("AUTHOR", "COMMITTER")}
        return run("git", *arguments, cwd=self.root, GIT_CONFIG_GLOBAL=os.devnull, **who)

    def commit(self, message: str) -> None:
        self.days += 1
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "-m", message)

    def release(self, version: str, archive: Path) -> None:
        """The tree becomes that of the archive; the benchmarks come with the last commit."""
        if self.days:
            self.git("rm", "-rq", ".")
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
            (top,) = Path(scratch).iterdir()
            for item in top.iterdir():
                item.rename(self.root / item.name)
        self.commit(f"{PROJECT} {version}")


def killed(root: Path, command: list[str], after: int) -> float:
    """Start a recording and kill it in the middle of the commit after so many. Seconds that it ran."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    stored = 0
    for line in process.stderr:
        print(line, end="", flush=True)
        stored += "stored run" in line
        if stored >= after and "stored run" not in line and line.startswith("["):
            time.sleep(1.5)
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    return time.monotonic() - began


def report(store: Store, subjects: dict[str, str]) -> tuple[list[RunSummary], list[str]]:
    runs = [r for r in store.runs() if r.sha in subjects]
    print(f"\n{'commit':<40} {'measured':>8} {'failed':>6} {'seconds':>8}  note")
    for one in sorted(runs, key=lambda r: r.started_at):
        note = next(
            (
                f"{r.code}: {r.message.partition(chr(10))[0][:80]}"
                for r in one.limitations
                if "quick" not in r.code
            ),
            "",
        )
        print(f"{subjects[one.sha]:<40} {one.ok:>8} {one.failed:>6} {one.duration_s:>8.1f}  {note}")
    wrong = [f"{subjects[s]} has no run" for s in subjects if s not in {r.sha for r in runs}]
    if len(runs) > len({r.sha for r in runs}):
        wrong.append("a commit was recorded twice")
    return runs, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--releases", type=int, default=22)
    parser.add_argument("--kill-after", type=int, default=7)
    parser.add_argument("--order", choices=["newest", "oldest", "spread"], default="newest")
    given = parser.parse_args()
    directory = given.directory.resolve()
    repository = Repository(directory / PROJECT)
    archives = directory / "sdists"
    archives.mkdir()
    for version in releases(given.releases):
        repository.release(version, sdist(version, archives))
        print(f"{PROJECT} {version}", flush=True)
    folder = repository.root / "benchmarks"
    folder.mkdir(exist_ok=True)
    (folder / "bench_packaging.py").write_text(BENCHMARKS.lstrip("\n"))
    (repository.root / "perftrack.toml").write_text(CONFIG)
    repository.commit("Add benchmarks")

    os.environ["PERFTRACK_CACHE"] = str(directory / "cache")
    os.environ["TMPDIR"] = str(directory / "tmp")
    (directory / "tmp").mkdir()
    command = [sys.executable, "-m", "perftrack", "record", "--new", "--quick", "--order", given.order]
    before = killed(repository.root, command, given.kill_after)
    print(f"\nkilled after {before:.0f} s; the same command again:\n", flush=True)
    began = time.monotonic()
    again = subprocess.run(command, cwd=repository.root, check=False, stdout=subprocess.DEVNULL).returncode
    after = time.monotonic() - began
    idle = subprocess.run(command, cwd=repository.root, check=False, stdout=subprocess.DEVNULL).returncode

    log = repository.git("log", "--format=%H %s").splitlines()
    subjects = dict(line.split(" ", 1) for line in log)
    runs, wrong = report(Store(repository.root / "perftrack.duckdb"), subjects)
    wrong += [f"the resumed recording ended with {again}"] if again else []
    wrong += [f"a third one, with nothing left to do, ended with {idle}"] if idle else []
    if repository.git("worktree", "list").count("\n"):
        wrong.append("a worktree was left")
    if left := [p.name for p in (directory / "tmp").iterdir() if p.name.startswith("perftrack-")]:
        wrong.append(f"temporary folders were left: {', '.join(left)}")
    measured, built = [r for r in runs if r.ok], sum(r.duration_s for r in runs)
    environments = [p for p in (directory / "cache" / "environments").iterdir() if p.is_dir()]
    size = sum(p.lstat().st_size for e in environments for p in e.rglob("*"))
    print(
        f"\n{len(subjects)} commits, {len(measured)} measured, {len(runs) - len(measured)} not; {before:.0f} s "
        f"until it was killed and {after:.0f} s after, {built / max(len(runs), 1):.1f} s a commit; "
        f"{len(environments)} environments, {size / 2**20:.0f} MiB"
    )
    for line in wrong:
        print(f"WRONG: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
