"""Packed files reach the site the same whoever deflates them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from perftrack.publish import packer
from perftrack.publish.crew import Crew
from perftrack.publish.packer import Packer
from perftrack.publish.packing import PackedFile
from perftrack.publish.write import Written, open_site

FILES = {
    f"data/{at}.js": PackedFile({"at": at}, {"x": np.random.default_rng(at).integers(-900, 900, 3000)})
    for at in range(40)
} | {"data/plain.js": PackedFile({"nothing": "else"})}


def build(output: Path, crew: Crew) -> Written:
    with open_site(output) as site:
        own = Packer(site, crew)
        for path, file in FILES.items():
            own.add(path, file)
        own.finish()
        return site.publish()


def content(output: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in output.rglob("*") if path.is_file()}


def test_a_crew_makes_the_same_bytes(tmp_path: Path) -> None:
    build(tmp_path / "alone", Crew(0))
    with closing(Crew(1)) as crew:
        assert build(tmp_path / "crew", crew).written == len(FILES)
    assert content(tmp_path / "alone") == content(tmp_path / "crew")


def test_what_did_not_change_is_not_packed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, Crew(0))
    monkeypatch.setattr(PackedFile, "script", lambda self: pytest.fail("packed again"))
    assert build(tmp_path, Crew(0)).unchanged == len(FILES)


def test_no_more_waits_for_the_crew_than_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    real = Crew.submit

    def submit(self: Crew, function: Callable[..., bytes], *arguments: object) -> object:
        sent.append(arguments)
        return real(self, function, *arguments)

    monkeypatch.setattr(Crew, "submit", submit)
    monkeypatch.setattr(packer, "_WAITING", 24_000)  # one file
    with closing(Crew(1)) as crew:
        build(tmp_path, crew)
    assert 1 <= len(sent) < len(FILES)
