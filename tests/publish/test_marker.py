"""The marker file: small, exact, and those of older versions are understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.errors import PublishError
from perftrack.publish.marker import MARKER, former_files, is_plain, marked, marker_bytes
from perftrack.publish.write import open_site

SITE = [
    "index.html",
    ".perftrack-changes",
    "badges/gemm-1f.svg",
    "benchmarks/gemm-1f.html",
    "badges/copy-2a.svg",
    "benchmarks/copy-2a.html",
    "json/samples/0a1b.json.gz",
]


@given(st.frozensets(st.text('ab.*/ é"', min_size=1, max_size=8).filter(is_plain)))
def test_a_marker_lists_the_files_that_it_was_made_from(files: frozenset[str]) -> None:
    assert marked(marker_bytes(files)) == files


def test_files_in_any_order_make_the_same_marker() -> None:
    assert marker_bytes(SITE) == marker_bytes(SITE[::-1])


def test_a_name_that_comes_back_is_written_once() -> None:
    text = marker_bytes(SITE).decode()
    assert text.count("gemm-1f") == text.count("badges/") == 1
    assert text.count("\n") == 1


def test_a_site_of_an_older_version_is_taken_over_and_cleaned(tmp_path: Path) -> None:
    for path in SITE:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("old")
    (tmp_path / "mine.txt").write_text("mine")
    old = json.dumps({"perftrack_site": 1, "files": sorted(SITE)}, indent=0)
    (tmp_path / MARKER).write_text(old + "\n")
    assert former_files(tmp_path) == set(SITE)
    with open_site(tmp_path) as site:
        site.add("index.html", b"new")
        site.publish()
    left = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if not p.name.startswith(".perftrack")}
    assert left == {"index.html", "mine.txt"}
    assert former_files(tmp_path) == {"index.html"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"perftrack_site": 1}',
        '{"perftrack_site": 1, "files": 7}',
        '{"perftrack_site": 2}',
        '{"perftrack_site": 2, "files": ["index.html"]}',
        '{"perftrack_site": 2, "names": 7}',
        '{"perftrack_site": 2, "names": ["index"]}',
        '{"perftrack_site": 2, "names": [[["", ".html"], 7]]}',
        '{"perftrack_site": 2, "names": [[["", ".html", "a/"], "index"]]}',
        '{"perftrack_site": 2, "names": [[[1, 2], "index"]]}',
        '{"perftrack_site": 3, "names": [[["", ".html"], "index"]]}',
        "\xff",
        pytest.param("[" * 200_000, id="deep"),
    ],
)
def test_a_damaged_marker_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / MARKER).write_bytes(text.encode("latin-1"))
    with pytest.raises(PublishError, match="damaged") as caught:
        former_files(tmp_path)
    assert "build again" in (caught.value.hint or "")


@pytest.mark.parametrize("folder", ["../", "/", "a/../../", "a//", ""])
def test_a_marker_that_leads_out_of_the_site_is_refused(tmp_path: Path, folder: str) -> None:
    content = {"perftrack_site": 2, "names": [[[folder, ""], "passwd" if folder else ".."]]}
    (tmp_path / MARKER).write_text(json.dumps(content))
    with pytest.raises(PublishError, match="outside"):
        former_files(tmp_path)
