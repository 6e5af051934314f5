"""Packed files on their way into a site: what changed is deflated here and by the crew, whoever has time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from perftrack.publish.crew import Crew, Job
from perftrack.publish.packing import PackedFile
from perftrack.publish.write import SiteWriter

_WAITING = 16 << 20  # bytes of columns that may wait for the crew: beyond that files are packed here


@dataclass(frozen=True, slots=True)
class _Sent:
    path: str
    signature: str
    size: int
    job: Job[bytes]


class Packer:
    """Adds packed files to a site; all of them are there after `finish`."""

    def __init__(self, site: SiteWriter, crew: Crew) -> None:
        self._site, self._crew = site, crew
        self._sent: deque[_Sent] = deque()
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
            self._sent.append(_Sent(path, signature, size, self._crew.submit(PackedFile.script, file)))
            self._waiting += size
        while self._sent and self._sent[0].job.done:
            self._receive(self._sent.popleft())

    def finish(self) -> None:
        """Wait for what the crew is at, and pack what it has not begun."""
        while self._sent:
            self._receive(self._sent.pop())  # from the end that the crew comes to last

    def _receive(self, sent: _Sent) -> None:
        self._waiting -= sent.size
        self._site.add(sent.path, sent.job.result(), sent.signature)
