"""Where each page and data file of the site lives.

Names come from outside, so a name is never a path component as it is: it is reduced to ASCII letters,
digits and dashes and carries a hash of the whole, which keeps two names apart that reduce alike.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache

from perftrack.core.history import Series
from perftrack.core.model import Case
from perftrack.core.sameness import Same

OVERVIEW = "index.html"
RUNS = "runs.html"
RUN = "run.html"
ENVIRONMENTS = "environments.html"
METHOD = "method.html"
KERNELS = "kernels.html"
COMPARE = "compare.html"
CEILINGS = "ceilings.html"
LATEST_JSON = "json/latest.json"
CHANGES_JSON = "json/changes.json"
CHANGES = "changes.html"
FEED = "changes.xml"
STATUS = "status.html"

_PLAIN_ID = re.compile(r"[0-9a-f]{8,64}")
_SLUG_CHARS = 48


@lru_cache(maxsize=4096)
def slug(name: str) -> str:
    """A readable path component for any text: `matmul-tiled-3f2a91c04b`."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()[:400]).strip("-")[:_SLUG_CHARS].strip("-")
    return f"{words}-{_digest(name)}" if words else _digest(name)


def benchmark_page(name: str) -> str:
    return f"benchmarks/{slug(name)}.html"


def run_key(run_id: str) -> str:
    """The id itself where it is what a run id looks like, else a hash of it."""
    return run_id if _PLAIN_ID.fullmatch(run_id) else _digest(run_id)


def run_page(run_id: str) -> str:
    """The address of a run: one page shows them all, each with a data file of its own."""
    return f"{RUN}#run={run_key(run_id)}"


def case_key(case: Case) -> str:
    """What tells cases apart that read alike: `n=1` of a number, of a text and of True are three."""
    return json.dumps([case.benchmark, sorted(case.params, key=lambda p: p[0])])


def series_key(series: Series) -> str:
    """16 hex digits that name one metric of one case, in every build of every store."""
    return _series_key(Same(series))


@lru_cache(maxsize=4096)  # a build asks for each a dozen times
def _series_key(own: Same[Series]) -> str:
    series = own.of
    identity = (case_key(series.case), series.metric, series.unit, series.direction.value)
    return hashlib.sha256("\x00".join(identity).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def series_data(key: str) -> str:
    return f"data/series/{key}.js"


def full_data(key: str) -> str:
    return f"data/full/{key}.js"


def run_data(run_id: str) -> str:
    return f"data/runs/{run_key(run_id)}.js"


def sample_data(run_id: str) -> str:
    return f"data/samples/{run_key(run_id)}.js"


def raw_samples(run_id: str) -> str:
    """Every sample of a run, for other programs."""
    return f"json/samples/{run_key(run_id)}.json.gz"


def environment_data(fingerprint: str) -> str:
    return f"data/environments/{fingerprint}.js"


def kernel_key(case_id: str) -> str:
    """What names a case's profiles in addresses and data files."""
    return slug(case_id)


def kernel_data(key: str) -> str:
    return f"data/kernels/{key}.js"


def change_page(change_id: str) -> str:
    """The address of a change event: any of its changes leads to it."""
    return f"{CHANGES}#id={change_id}"


def badge(benchmark: str) -> str:
    return f"badges/{slug(benchmark)}.svg"


def root_of(path: str) -> str:
    """Prefix that leads from a page back to the site's root, so that the site works under any address."""
    return "../" * path.count("/")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
