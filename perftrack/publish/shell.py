"""The script that fills the shells of benchmarks' pages: their common markup, and which scripts they need."""

from __future__ import annotations

from perftrack.publish import addresses
from perftrack.publish.assets import asset_root
from perftrack.publish.encode import json_bytes

_ROOT = addresses.root_of("benchmarks/")
_HEAD = (
    '<meta name="referrer" content="no-referrer">'
    f'<link rel="icon" href="{_ROOT}static/app/icon.svg" type="image/svg+xml">'
)
_VEGA = tuple(f"static/vendor/{name}/{name}.min.js" for name in ("vega", "vega-lite", "vega-embed"))
# The data come first, and are inflated while Vega is read; where a series' file is, its page knows.
_DATA = ("data/history.js", "data/charts.js", addresses.series_data("{series}"))
_APP = (
    "format", "marks", "grid", "chart", "series", "points", "samples", "scales", "turns", "trend", "family",
    "benchmark",
)  # fmt: skip


def shell_script(markup: str) -> bytes:
    """The script that fills a benchmark's shell: its markup is a template's, with nothing of a benchmark in it.

    It ends with the script that sets the theme, so that a page asks for no second one before it is painted.
    """
    assets = asset_root()
    filled = {
        "root": _ROOT,
        "head": _HEAD,
        "body": markup,
        "scripts": ["static/app/core.js", *_DATA, *_VEGA, *(f"static/app/{name}.js" for name in _APP)],
    }
    loader = (assets / "templates" / "shell.js").read_bytes().rstrip()
    theme = (assets / "static" / "app" / "theme.js").read_bytes()
    return loader + b"(" + json_bytes(filled) + b");\n" + theme
