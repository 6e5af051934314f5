"""The checkout's benchmark files, which measure every commit of a search: they must stay as they are meanwhile."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import SuiteError


@dataclass(frozen=True, slots=True)
class BenchmarkFiles:
    """The Python files of a folder, as they were when seen."""

    folder: Path
    digest: str

    @classmethod
    def seen(cls, folder: Path) -> BenchmarkFiles:
        """As they are now. A folder that is not there has none."""
        return cls(folder, _digest(folder))

    def check(self) -> None:
        """Raises SuiteError where they are others now: what was measured with them is not comparable."""
        if _digest(self.folder) != self.digest:
            raise SuiteError(
                f"the benchmark files in {self.folder} changed while the search went on",
                "Put them back as they were, and perftrack bisect --resume goes on. To work on meanwhile, search "
                "in another working tree: git worktree add.",
            )


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        try:
            content = path.read_bytes()
        except OSError:  # gone meanwhile, or a folder of that name
            continue
        digest.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    return digest.hexdigest()
