"""Make the demo's repository: textkit, a small library with twelve commits, one of which made it slower.

    python make_repo.py DIRECTORY

The folders of history/ hold the files that each commit adds or changes. Authors and dates are fixed, so
that the commit ids are the same everywhere. Needs git and the standard library.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HISTORY = Path(__file__).resolve().parent / "history"
START = 1_767_603_600  # Monday 5 January 2026, 09:00 UTC
HOUR = 3600
ADA, LEE = ("Ada Marek", "ada@textkit.example"), ("Lee Okafor", "lee@textkit.example")
SIDE = "stop-words"


@dataclass(frozen=True, slots=True)
class Step:
    """One commit. `folder`: what it changes, None for the merge of the side branch; `hours` since the start."""

    folder: str | None
    author: tuple[str, str]
    hours: int
    message: str
    branch: str = "main"


STEPS = (
    Step("01-start", ADA, 0, "Start textkit: words, n-grams, top words, edit distance"),
    Step("02-apostrophes", LEE, 5, "Keep apostrophes inside words"),
    Step("03-ngram-edges", ADA, 26, "Test n-grams at the edges of a text"),
    Step("04-readability", LEE, 49, "Add Flesch's reading ease"),
    Step("05-more-stop-words", LEE, 72, "List more stop words", SIDE),
    Step(
        "06-stop-words-file",
        LEE,
        76,
        "Refactor: keep stop words in a file of their own\n\nOther lists can be loaded and given to top_words.",
        SIDE,
    ),
    Step("07-any-iterable", ADA, 77, "Accept any iterable in count_ngrams"),
    Step(None, ADA, 98, "Merge branch 'stop-words'"),
    Step("09-command-line", ADA, 101, "Add a command line"),
    Step("10-distance-reference", LEE, 122, "Test edit_distance against its definition"),
    Step("11-one-row", LEE, 125, "Keep one row in edit_distance, skip common ends"),
    Step("12-release", ADA, 146, "Release 0.2.0"),
)


class Repository:
    """A Git repository at `root` whose commits depend on nothing outside of this script."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str, author: tuple[str, str] = ADA, time: int = START) -> str:
        name, email = author
        outside = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        identity = {f"GIT_{role}_NAME": name for role in ("AUTHOR", "COMMITTER")}
        identity |= {f"GIT_{role}_EMAIL": email for role in ("AUTHOR", "COMMITTER")}
        identity |= {f"GIT_{role}_DATE": f"{time} +0000" for role in ("AUTHOR", "COMMITTER")}
        settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=outside | identity | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def commit(self, step: Step) -> None:
        time = START + step.hours * HOUR
        branches = self.git("branch", "--format=%(refname:short)").split()
        if step.branch in branches:
            self.git("checkout", "--quiet", step.branch)
        elif branches:
            self.git("checkout", "--quiet", "-b", step.branch)
        if step.folder is None:
            self.git("merge", "--quiet", "--no-ff", "-m", step.message, SIDE, author=step.author, time=time)
            return
        # A copied date would let Git take a file of the same size for unchanged.
        source = HISTORY / step.folder
        shutil.copytree(source, self.root, dirs_exist_ok=True, ignore=_caches, copy_function=shutil.copyfile)
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", step.message, author=step.author, time=time)


def _caches(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__"]


def make(root: Path) -> str:
    """Make the repository in `root`, which must not exist or be empty. The id of its last commit."""
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise SystemExit(f"{root} is not empty: name a new folder")
    repository = Repository(root)
    repository.git("init", "--quiet", "--initial-branch=main", "--object-format=sha1")
    # What a user adds later is theirs; these make the files and commits the same on every machine.
    for key, value in (("core.autocrlf", "false"), ("commit.gpgsign", "false")):
        repository.git("config", key, value)
    for step in STEPS:
        repository.commit(step)
    return repository.git("rev-parse", "HEAD")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the demo's repository.")
    parser.add_argument("directory", type=Path)
    print(make(parser.parse_args().directory))


if __name__ == "__main__":
    sys.exit(main())
