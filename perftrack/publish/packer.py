"""Packed files on their way into a site: what changed is deflated here and by the crew, whoever has time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from perftrack.publish.crew import Crew, Job
from perftrack.publish.packing import PackedFile
from perftrack.publish.write import SiteWriter

_BATCH = 1 << 20  # bytes of columns that go to the crew in one go: a job costs as much as deflating a small file
_WAITING = 16 << 20  # bytes of columns that may wait for the crew: beyond that files are packed here


def pack_all(files: Sequence[PackedFile]) -> list[bytes]:
    """The bytes of each file, here or in a worker."""
    return [file.script() for file in files]


@dataclass(slots=True)
class _Batch:
    signed: list[tuple[str, str]] = field(default_factory=list)  # path and signature
    files: list[PackedFile] = field(default_factory=list)
    size: int = 0


class Packer:
    """Adds packed files to a site; all of them are there after `finish`."""

    def __init__(self, site: SiteWriter, crew: Crew) -> None:
        self._site, self._crew = site, crew
        self._next = _Batch()
        self._sent: deque[tuple[_Batch, Job[list[bytes]]]] = deque()
        self._waiting = 0

    def add(self, path: str, file: PackedFile) -> None:
        """Take a file, as it is where the last build made it of the same."""
        signature = file.signature()
        if self._site.keep(path, signature):
            return
        size = sum(column.nbytes for column in file.columns.values())
        if not self._crew.count or not size or self._waiting + size > _WAITING:
            self._site.add(path, file.script(), signature)
        else:
            self._next.signed.append((path, signature))
            self._next.files.append(file)
            self._next.size += size
            self._waiting += size
            if self._next.size >= _BATCH:
                self._send()
        while self._sent and self._sent[0][1].done:
            self._receive(*self._sent.popleft())

    def finish(self) -> None:
        """Wait for what the crew is at, and pack what it has not begun."""
        self._send()
        while self._sent:
            self._receive(*self._sent.pop())  # from the end that the crew comes to last

    def _send(self) -> None:
        batch, self._next = self._next, _Batch()
        if batch.files:
            self._sent.append((batch, self._crew.submit(pack_all, batch.files)))

    def _receive(self, batch: _Batch, job: Job[list[bytes]]) -> None:
        self._waiting -= batch.size
        for (path, signature), content in zip(batch.signed, job.result(), strict=True):
            self._site.add(path, content, signature)
