"""A worker that is started by another program, and gets its requests and leaves its replies in files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import WorkerError
from perftrack.suite.boot import BOOT, OPTIONS
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Reply, Request, encode


@dataclass(frozen=True, slots=True)
class Errand:
    """One request for a fresh worker. `folder`: an empty one of the errand's own, which keeps its files."""

    setup: Setup
    request: Request
    folder: Path

    def prepare(self) -> tuple[str, ...]:
        """Write the request; the command that has it done, in `setup.base` and with `setup.environment`."""
        boot, requests, replies = (self.folder / name for name in ("boot.py", "requests", "replies"))
        boot.write_text(BOOT, encoding="utf-8")
        requests.write_bytes(self.setup.encode() + encode(self.request) + encode(Request()))
        # One line and no script's folder on sys.path: as a worker is started otherwise.
        start = f"exec(compile(open({str(boot)!r}).read(), 'worker', 'exec'))"
        return self.setup.python, *OPTIONS, start, str(requests), str(replies)

    def reply(self) -> Reply | None:
        """What the worker answered; None where it never did. Raises WorkerError for what is no answer."""
        import msgspec

        try:
            lines = (self.folder / "replies").read_bytes().splitlines()
        except FileNotFoundError:
            return None
        try:
            answers = [msgspec.json.decode(line, type=Reply) for line in lines]
        except msgspec.DecodeError as error:
            raise WorkerError(f"the worker broke the protocol: {error}") from error
        return next((a for a in answers if a.ready is None), None)
