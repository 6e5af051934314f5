"""The script that fills the shells of benchmarks' pages: their common markup, and which scripts they need."""

from __future__ import annotations

from perftrack.publish.encode import json_bytes

_VEGA = tuple(f"static/vendor/{name}/{name}.min.js" for name in ("vega", "vega-lite", "vega-embed"))
_SHELL_SCRIPTS = (
    "format", "marks", "grid", "chart", "series", "points", "samples", "scales", "turns", "trend", "family",
    "benchmark",
)  # fmt: skip


def shell_script(markup: str) -> bytes:
    """The script that fills a benchmark's shell: its markup is a template's, with nothing of a benchmark in it."""
    return (
        b"perftrack.shell("
        + json_bytes(
            {"markup": markup, "scripts": [*_VEGA, *(f"static/app/{name}.js" for name in _SHELL_SCRIPTS)]}
        )
        + b");\n"
    )
