"""Other processes that use a store, to be met, stopped and killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

# What child processes run: `add(store, at)` stores a small run of its own.
PRELUDE = """
import sys
from pathlib import Path
from perftrack.store import Store
from tests.core.builders import measured
from tests.store import builders

def add(store, at, **fields):
    run = builders.run(at=float(at), **fields)
    store.add_run(run, [builders.commit()])
    return run.id
"""


@contextmanager
def started(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process with pipes on both ends; it does not outlive the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
