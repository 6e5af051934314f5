"""The file of chart specifications: made by Altair, and again only where that, or what asks it, is another."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources

from perftrack.publish.packing import PackedFile

SOURCES = ("charts", "kernelcharts", "parametercharts", "ratiochart", "samplechart", "turnmarks")


def chart_script(former: bytes | None) -> bytes:
    """The script file with the specifications; `former`: what an earlier build wrote, which may do as it is.

    Importing Altair takes longer than making the pages of five hundred benchmarks.
    """
    first = f"// Altair {metadata.version('altair')}, {_source()}\n".encode()
    if former is not None and former.startswith(first):
        return former
    from perftrack.publish.charts import chart_specs

    return first + PackedFile("charts", chart_specs()).script()


@cache
def _source() -> str:
    package = resources.files("perftrack.publish")
    sources = [package.joinpath(f"{name}.py").read_bytes() for name in SOURCES]
    return hashlib.blake2b(b"".join(sources), digest_size=8).hexdigest()
