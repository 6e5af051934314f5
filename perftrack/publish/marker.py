"""The marker file: says that a folder is a site of ours and which files in it are.

Most names are those of a benchmark, a series or a run and come back in several folders, so that each is written
once, beside the places that it has a file in: `[["badges/", ".svg", "benchmarks/", ".html"], "copy-1f/gemm-2a"]`
are four files. Before format 2 every path was written out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from perftrack.errors import PublishError

MARKER = ".perftrack-site"
STAGING = ".perftrack-staging"
# What may lie in a folder that a first build takes over: a branch checked out for publishing has these.
_TOLERATED = frozenset({".git", ".gitignore", ".gitattributes", ".nojekyll", "CNAME", STAGING})


_FORMAT, _PATHS_FORMAT = 2, 1
_DAMAGES = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


def marker_bytes(files: Iterable[str]) -> bytes:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        folder, slash, name = path.rpartition("/")
        stem, dot, ending = name.partition(".")
        places[stem] += [folder + slash, dot + ending]
    names: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for stem, own in places.items():
        names[tuple(own)].append(stem)
    groups = sorted((own, "/".join(sorted(stems))) for own, stems in names.items())
    return json.dumps({"perftrack_site": _FORMAT, "names": groups}, separators=(",", ":")).encode() + b"\n"


def marked(marker: bytes) -> frozenset[str]:
    """The files that a marker lists. Raises one of _DAMAGES for a marker that is damaged."""
    content = json.loads(marker)
    if content["perftrack_site"] == _PATHS_FORMAT:
        return frozenset(str(path) for path in content["files"])
    if content["perftrack_site"] != _FORMAT:
        raise ValueError(f"its format is {content['perftrack_site']!r}, which this version does not know")
    return frozenset(_named(content["names"]))


def _named(groups: Iterable[tuple[list[str], str]]) -> Iterator[str]:
    for places, stems in groups:
        for stem in stems.split("/"):
            for folder, ending in zip(places[::2], places[1::2], strict=True):
                yield folder + stem + ending


def former_files(output: Path) -> frozenset[str]:
    """What the last build wrote. Raises PublishError where the folder is not a site and not empty."""
    if not output.exists():
        return frozenset()
    if not output.is_dir():
        raise PublishError(f"{output} is not a folder", "give --output a folder")
    marker = output / MARKER
    if marker.is_file():
        try:
            files = marked(marker.read_bytes())
        except _DAMAGES as error:
            raise PublishError(f"{marker} is damaged: {error}", "remove the folder and build again") from error
        if bad := sorted(path for path in files if not is_plain(path)):
            raise PublishError(
                f"{marker} lists a path outside the site: {bad[0]!r}", "remove the folder and build again"
            )
        return files
    others = sorted(entry.name for entry in output.iterdir() if entry.name not in _TOLERATED)
    if others:
        shown = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
        raise PublishError(
            f"{output} is not empty and is not a perftrack site (it holds {shown})",
            "give --output an empty or a new folder",
        )
    return frozenset()


def is_plain(path: str) -> bool:
    """Whether a path is relative, normal and stays below where it starts."""
    return not {"", ".", ".."} & set(path.split("/")) and "\\" not in path and "\0" not in path
