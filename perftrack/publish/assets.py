"""Finds the templates and static files that the site is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import perftrack
from perftrack.errors import PublishError


def asset_root() -> Path:
    """The folder with `templates/` and `static/`: inside an installed perftrack, or `site/` of a checkout.

    Raises PublishError where neither is there.
    """
    package = Path(next(iter(perftrack.__path__)))
    places = (package / "_site", package.parent / "site")
    for place in places:
        if (place / "templates").is_dir() and (place / "static").is_dir():
            return place
    looked = " or ".join(str(place) for place in places)
    raise PublishError(f"the site's templates are missing: looked in {looked}", "reinstall perftrack-gpu")


def static_files(root: Path) -> Iterator[tuple[str, Path]]:
    """(path in the site, file) of everything under `static/`, in a fixed order."""
    static = root / "static"
    files = {f"static/{file.relative_to(static).as_posix()}": file for file in static.rglob("*")}
    for path in sorted(files):
        if files[path].is_file() and not files[path].name.startswith("."):
            yield path, files[path]
