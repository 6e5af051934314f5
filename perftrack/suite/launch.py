"""What a worker process is started with."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import perftrack
from perftrack.core.command import CommandSpec
from perftrack.core.company import CardUse


@dataclass(frozen=True, slots=True)
class Setup:
    """Where a worker runs and what it loads.

    base: root of the tree under test, and the working directory. folder: the benchmark files, shown
    relative to `home`, the root of the tree that they are in.
    foreign: the user's own checkout where `base` is another commit's; modules must not come from there.
    uses: what the cards of the host were used for before the run.
    """

    python: str
    base: Path
    folder: Path
    home: Path
    pattern: str = "bench_*.py"
    pythonpath: tuple[Path, ...] = ()
    foreign: Path | None = None
    commands: tuple[CommandSpec, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    uses: tuple[CardUse, ...] = ()

    def encode(self) -> bytes:
        spec = importlib.util.find_spec("pynvml")
        document = {
            "base": str(self.base),
            "folder": str(self.folder),
            "home": str(self.home),
            "pattern": self.pattern,
            "pythonpath": [str(p) for p in self.pythonpath],
            "foreign": str(self.foreign) if self.foreign else "",
            "commands": [asdict(c) for c in self.commands],
            "uses": [asdict(u) for u in self.uses],
            "package": str(Path(perftrack.__file__).resolve()),
            "pynvml": spec.origin if spec and spec.origin else "",
        }
        return json.dumps(document).encode() + b"\n"
