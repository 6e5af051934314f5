"""The file of chart specifications: made by Altair, and again only where that, or what asks it, is another."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources

from perftrack.publish.packing import PackedFile

CHARTS = "data/charts.js"
SOURCES = ("charts", "kernelcharts", "parametercharts", "ratiochart", "samplechart", "turnmarks")


def still_good(former: bytes) -> bool:
    """Whether what an earlier build wrote is what `chart_script` would give."""
    return former.startswith(_first_line())


def chart_script() -> bytes:
    """The script file with the specifications, here or in a worker.

    Importing Altair takes longer than making the pages of five hundred benchmarks.
    """
    from perftrack.publish.charts import chart_specs

    return _first_line() + PackedFile("charts", chart_specs()).script()


def _first_line() -> bytes:
    return f"// Altair {metadata.version('altair')}, {_source()}\n".encode()


@cache
def _source() -> str:
    package = resources.files("perftrack.publish")
    sources = [package.joinpath(f"{name}.py").read_bytes() for name in SOURCES]
    return hashlib.blake2b(b"".join(sources), digest_size=8).hexdigest()
