"""One entry point for what Nsight Compute leaves: reports, and text of all kinds with tables in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from perftrack.errors import ProfileError
from perftrack.ncu.foreign import refuse_text
from perftrack.ncu.gathering import Gathering
from perftrack.ncu.header import Header, Page, header_at
from perftrack.ncu.kernelpage import KernelPage
from perftrack.ncu.longpage import LongPage
from perftrack.ncu.raw import FileKind, Reading
from perftrack.ncu.refusal import refuse_without_launches, with_data
from perftrack.ncu.remarks import Remarks
from perftrack.ncu.source import Lines, Source, is_report, load, name_of, text_lines
from perftrack.ncu.transposed import TransposedPage
from perftrack.ncu.widepage import WidePage


class _Table(Protocol):
    def read(self) -> int: ...


_ROWS: dict[Page, Callable[[Header, list[bytes], Gathering, Remarks], _Table]] = {
    Page.LONG: LongPage,
    Page.WIDE: WidePage,
    Page.PER_KERNEL: KernelPage,
}
_LAST_VALUE = "line {}: the file does not end with a line feed: its last value may be cut off"


def read(source: Source, name: str | None = None, *, everything: bool = False) -> Reading:
    """The launches in a file: a path, or a stream of bytes or text; `name` is what messages call it.

    What it is shows in its content: a report; CSV of the raw page, the details page, a metric selection or a
    summary per kernel, printed while profiling or exported, one table or several, among other output; the
    viewer's exports. Values are in base units. `everything`: all metrics of a report, not only those that
    summaries are made of; text is always read whole.

    Raises ProfileError, naming file and line, for everything else, for what is cut off or contradicts itself, and
    where nothing was profiled, with what to run instead.
    """
    name = name_of(source, name)
    data = load(source, name)
    if isinstance(data, Path) or is_report(data):
        from perftrack.ncu.report import read_report

        return read_report(data, name, everything=everything)
    return _read_text(text_lines(data, name))


def _read_text(text: Lines) -> Reading:
    remarks = Remarks(text.name, text.lines)
    gathering = Gathering(text.name)
    headers = _tables(text, gathering, remarks)
    if headers:
        remarks.check_orphans(headers[0])
    if len(gathering) == 0:
        raise refuse_without_launches(text, remarks, headers) or refuse_text(text.lines, text.name)
    mark = gathering.evidence.resolve(text.name)
    launches, empty = with_data(gathering.launches(mark), bool(next(remarks.errors(), None)))
    if not launches:
        raise refuse_without_launches(text, remarks, ()) or ProfileError(
            f"{text.name}:{headers[0].line + 1}: no launch of the table has a value of any metric",
            "Profile again; ncu's own output says why nothing was counted.",
        )
    return Reading(
        _kind(gathering.kinds),
        text.name,
        launches,
        clock_control=remarks.clock_control,
        warnings=(*remarks.warnings(), *empty, *_doubts(text, headers)),
    )


def _tables(text: Lines, gathering: Gathering, remarks: Remarks) -> list[Header]:
    """Reads all tables of the file; the headers that were found."""
    lines, at, end = text.lines, 0, len(text.lines)
    headers: list[Header] = []
    no_table = 0  # lines before this one are not part of a transposed table
    while at < end:
        header = header_at(lines, at)
        if header is not None and header.page is Page.TRANSPOSED:
            block = TransposedPage.block(header, lines, no_table) if at >= no_table else range(0)
            if at not in block or not TransposedPage.is_table(header, lines, block):
                no_table = max(no_table, block.stop)
                header = None
        if header is None:
            remarks.take_orphan(at) if not headers else remarks.take(at)
            at += 1
            continue
        headers.append(header)
        if header.page is Page.TRANSPOSED:
            at = TransposedPage(header, lines, gathering, remarks).read(block)
        else:
            at = _ROWS[header.page](header, lines, gathering, remarks).read()
        no_table = at
    return headers


def _kind(kinds: list[FileKind]) -> FileKind:
    """Of several tables, the one that says most."""
    return next(kind for kind in FileKind if kind in kinds)


def _doubts(text: Lines, headers: list[Header]) -> tuple[str, ...]:
    """Quoted cells show their ends. Others can lose digits to a file that is cut off, and nothing shows it."""
    is_open = not text.is_whole and not headers[-1].is_quoted and not text.lines[-1].endswith(b'"')
    return (_LAST_VALUE.format(len(text.lines)),) if is_open else ()
