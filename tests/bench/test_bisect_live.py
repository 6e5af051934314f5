"""The repositories that the end-to-end bench makes are what it says they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from perftrack.app.bisectrange import range_of
from perftrack.vcs import Repository
from tests.bench.bisect_live import COUNT, draw, make


def test_a_repository_has_the_drawn_graph_culprit_and_broken_commits(tmp_path: Path) -> None:
    drawn = draw(np.random.default_rng(4), 64, 96)
    names = make(tmp_path / "repo", drawn, 0.05, plain=False)
    graph = range_of(Repository.find(tmp_path / "repo"), names[drawn.graph.good], names[drawn.graph.bad]).graph
    assert set(graph.shas) == {names[name] for name in drawn.graph.shas}
    for name, parents in zip(drawn.graph.shas, drawn.graph.parents, strict=True):
        assert graph.parents[graph.places[names[name]]] == tuple(names[p] for p in parents)
    slow = drawn.graph.descendants(drawn.graph.places[drawn.culprit])
    for place, name in enumerate(drawn.graph.shas):
        text = work(tmp_path / "repo", names[name])
        turns = "(" if name in drawn.broken else str(round(COUNT * (1.05 if slow[place] else 1.0)))
        assert text.startswith(f"TURNS = {turns}\n")
    assert drawn.graph.bad not in drawn.broken


def work(root: Path, sha: str) -> str:
    command = ["git", "show", f"{sha}:src/busy.py"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
