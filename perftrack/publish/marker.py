"""The marker file: says that a folder is a site of ours and which files in it are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from perftrack.errors import PublishError

MARKER = ".perftrack-site"
STAGING = ".perftrack-staging"
# What may lie in a folder that a first build takes over: a branch checked out for publishing has these.
_TOLERATED = frozenset({".git", ".gitignore", ".gitattributes", ".nojekyll", "CNAME", STAGING})


def marker_bytes(files: Iterable[str]) -> bytes:
    return json.dumps({"perftrack_site": 1, "files": sorted(files)}, indent=0).encode() + b"\n"


def former_files(output: Path) -> frozenset[str]:
    """What the last build wrote. Raises PublishError where the folder is not a site and not empty."""
    if not output.exists():
        return frozenset()
    if not output.is_dir():
        raise PublishError(f"{output} is not a folder", "give --output a folder")
    marker = output / MARKER
    if marker.is_file():
        try:
            content = json.loads(marker.read_bytes())
            files = frozenset(str(path) for path in content["files"])
        except (ValueError, KeyError, TypeError) as error:
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
    parts = PurePosixPath(path).parts
    return (
        bool(parts)
        and path == "/".join(parts)
        and not {"..", "/"} & set(parts)
        and "\\" not in path
        and "\0" not in path
    )
