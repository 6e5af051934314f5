"""Scratch repositories in which one commit made `total` slower, by replayed times: real Git, real workers."""

from __future__ import annotations

import json
import random
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tests import scratch
from tests.scratch import Scratch

LEVEL = 1e-3
PROCESSES = 400  # that have a level of their own


@dataclass(frozen=True)
class Slowdown:
    """A line of commits c0 … cN, c0 is good; `shas` by number."""

    repo: Scratch
    shas: list[str]
    culprit: str

    @property
    def good(self) -> str:
        return self.shas[0]

    @property
    def bad(self) -> str:
        return self.shas[-1]

    def bisect(self, *arguments: str, ends: bool = True, **environment: str) -> scratch.Answer:
        given = ("--bench", "total", self.good, self.bad) if ends else ()
        seed = () if {"--seed", "--resume"} & set(arguments) else ("--seed", "1")
        return self.repo.run("bisect", *given, *seed, *arguments, **environment)


def replayed(level: float, noise: float) -> str:
    """`total` takes `level` seconds; each process is off by its own draw, of standard deviation `noise`."""
    draw = random.Random(3)
    levels = [level * (1 + noise * draw.gauss(0, 1)) for _ in range(PROCESSES)]
    cases = {"total": {"time": {"level": levels, "noise": 0.0}}}
    for other in ("tokenize[size=10]", "tokenize[size=1000]"):
        cases[other] = {"time": {"level": 1e-6, "noise": 0.0}}
    return json.dumps({"seed": 7, "fingerprint": {"cpu_model": "Replayed"}, "cases": cases})


def make(
    root: Path,
    count: int,
    culprit: int,
    *,
    change: float = 0.05,
    noise: float = 0.004,
    broken: Collection[int] = (),
    fast_again: Collection[int] = (),
    config: str = "",
) -> Slowdown:
    """`count` commits after the first; from number `culprit` on `total` takes `change` more, but where it is
    `fast_again`. `broken`: numbers of commits whose build fails, if it is asked for.
    """
    repo = scratch.make(root, config='device = "replay"\nbuild = "test ! -e broken"\n' + config)
    shas = []
    for number in range(count + 1):
        slow = number >= culprit and number not in fast_again
        repo.write("replay.json", replayed(LEVEL * (1 + change * slow), noise))
        mark = repo.root / "broken"
        if number in broken:
            mark.touch()
        else:
            mark.unlink(missing_ok=True)
        shas.append(repo.commit(f"Commit {number}", notes_dot_txt=f"{number}\n"))
    return Slowdown(repo, shas, shas[culprit])
