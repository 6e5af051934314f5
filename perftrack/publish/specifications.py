"""The file of chart specifications: made by Altair, and again only where that, or what asks it, is another."""

from __future__ import annotations

import hashlib
import zlib
from functools import cache
from importlib import metadata, resources

from perftrack.publish.packing import FORMAT, PackedFile

CHARTS = "data/charts.js"
SOURCES = ("charts", "kernelcharts", "parametercharts", "ratiochart", "samplechart", "turnmarks")


@cache
def signature() -> str:
    """Of all that the file's bytes follow from: what makes the specifications, and what packs them."""
    package = resources.files("perftrack.publish")
    sources = b"".join(package.joinpath(f"{name}.py").read_bytes() for name in SOURCES)
    made_by = f"{metadata.version('altair')} {FORMAT} {zlib.ZLIB_RUNTIME_VERSION} "
    return hashlib.blake2b(made_by.encode() + sources, digest_size=12).hexdigest()


def chart_script() -> bytes:
    """The script file with the specifications, here or in a worker.

    Importing Altair takes longer than making the pages of five hundred benchmarks.
    """
    from perftrack.publish.charts import chart_specs

    return PackedFile(chart_specs()).script()
