"""Files that are taken for counters of Nsight Compute and are none: each refused by its name, with what to run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.text import printable, quoted
from perftrack.errors import ProfileError
from perftrack.ncu.header import (
    CUT_OFF_TITLES,
    ID,
    KERNEL,
    METRIC,
    UNIT,
    VALUE,
    begins_titles,
    metric_name,
    split_unit,
)
from perftrack.ncu.records import DELIMITERS, split

_RUN = "Profile with: ncu --csv --page raw PROGRAM"
_EXPORT = "Export the report: ncu --import REPORT.ncu-rep --csv --page raw"
_LOOKED_AT = 5000  # lines
_BYTES = 2000  # of a line
_FIRST = 5  # lines that may be titles
_LONGEST_TITLE = 40
# What a program may print before the first line of ncu or its titles; beyond it nobody looks for them.
LEAD_LINES, LEAD_BYTES = 1_000_000, 2**26
_SIGN = re.compile(
    rb"==(?:PROF|WARNING|ERROR)== |(?:kernel|demangled|function) name|^[^\w\n]{0,8}ID\"?[,;\t]",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A kind of file, by what a line of it says."""

    what: str
    line: re.Pattern[bytes]
    hint: str


def _kind(what: str, line: bytes, hint: str) -> Foreign:
    return Foreign(what, re.compile(line), hint)


_KINDS = (
    _kind("a pointer of Git LFS, not the file", rb"^version https://git-lfs", "Fetch the file: git lfs pull"),
    _kind(
        "output of nvprof",
        rb"^==\d+== (?:NVPROF|Profiling|Metric result|Event result|Generated)"
        rb'|Metric Description"?,"?Min|Time\(%\)(?:"?,"?|\s+)(?:Total )?Time(?:"?,"?|\s+)Calls',
        "nvprof does not know current devices. " + _RUN,
    ),
    _kind(
        "output of Nsight Systems (nsys stats), which has times and no counters",
        rb'Total Time \(ns\)|^"?Start \(ns\)"?,|CUDA (?:API|Kernel|GPU Kernel) (?:Statistics|Summary)'
        rb"|Processing \[.*(?:sqlite|nsys-rep)|Generating SQLite|Executing '.*' stats report",
        _RUN,
    ),
    _kind(
        "the source page of ncu, which has counters of lines, not of launches",
        rb'^(?=.*"?Source"?[,;])(?=.*(?:Warp Stall Sampling|Instructions Executed|# Samples|Live Registers))',
        _EXPORT,
    ),
    _kind(
        "the session page of ncu, which has no counters",
        rb"^\W*(?:Launch Settings|Device Attributes|Profiler Arguments)\W*(?:$|[,;])",
        _EXPORT,
    ),
    _kind(
        "plain text of ncu, which is laid out for people",
        rb"^\s*Section: \S|, Context \d+, Stream \d+|^\s*Metric Name\s{2,}Metric (?:Unit|Value)",
        "Add --csv: ncu --import REPORT.ncu-rep --csv --page raw",
    ),
    _kind("a web page", rb"^\s*<(?:!DOCTYPE|html|HTML)", _EXPORT),
    _kind(
        "an error message of ncu, and no data",
        rb"^(?:bash: |sh: \d+: )?ncu: (?:command )?not found|^\s*(?:[Ee]rror|ERROR): |unrecognised option",
        "Repeat the command that failed; perftrack doctor --device cuda says what is missing.",
    ),
    _kind(
        "output of ncu without data, which was stopped or writes to a report",
        rb"^\s*==PROF== (?:Connected|Disconnected|Profiling)",
        _RUN,
    ),
)

# Magic bytes, and the names of files that have none that is documented.
_BINARIES = (
    (
        (b"SQLite format 3\0",),
        "a database (of Nsight Systems or nvprof), which has times and no counters",
        _RUN,
    ),
    ((b"\x1f\x8b",), "compressed with gzip", "Decompress it: gunzip FILE"),
    ((b"PK\x03\x04",), "a zip archive", "Unpack it: unzip FILE"),
    ((b"BZh", b"\xfd7zXZ"), "compressed", "Decompress it first."),
    ((b"\x7fELF", b"MZ"), "a program or a module, not a profile of one", _RUN),
    ((b"\x89PNG", b"%PDF", b"\xff\xd8\xff"), "an image or a document", _EXPORT),
)


def refuse_binary(data: bytes, name: str) -> ProfileError:
    """The error for bytes that are no text."""
    for starts, what, hint in _BINARIES:
        if data.startswith(starts):
            return ProfileError(f"{name}:1: this is {what}", hint)
    if name.endswith((".nsys-rep", ".qdrep", ".qdstrm", ".nvvp")):
        return ProfileError(f"{name}:1: a report of another profiler, which has times and no counters", _RUN)
    return ProfileError(f"{name}:1: neither text nor a report of ncu", _EXPORT)


def refuse_junk(data: bytes, name: str) -> ProfileError | None:
    """The error for a long text that has nothing of ncu in its first LEAD_LINES and LEAD_BYTES; None for others.

    To look at lines one by one takes a minute where there are a hundred million of them.
    """
    if len(data) <= LEAD_BYTES and data.count(b"\n") <= LEAD_LINES:
        return None
    found = _SIGN.search(data, 0, LEAD_BYTES)
    if found is not None and data.count(b"\n", 0, found.start()) <= LEAD_LINES:
        return None
    told = refuse_text(data[: _LOOKED_AT * _BYTES].split(b"\n", _LOOKED_AT)[:_LOOKED_AT], name)
    looked = f"nothing of ncu in the first {LEAD_LINES:,} lines and {LEAD_BYTES >> 20} MiB"
    return ProfileError(f"{told.message}; {looked}", told.hint)


def refuse_text(lines: Sequence[bytes], name: str) -> ProfileError:
    """The error for a text without a table of ncu."""
    looked_at = [line[:_BYTES] for line in lines[:_LOOKED_AT]]
    if not any(line.strip() for line in looked_at):
        return ProfileError(f"{name}:1: the file is empty", _RUN)
    for kind in _KINDS:
        for at, line in enumerate(looked_at):
            if kind.line.search(line):
                return ProfileError(f"{name}:{at + 1}: this is {kind.what}: {_shown(line)}", kind.hint)
    first = next(line.strip() for line in looked_at if line.strip())
    if first[:1] in b"{[" and first[1:2] in b'"{[ ':
        return ProfileError(f"{name}:1: this is JSON, not output of ncu", _EXPORT)
    last = next(at for at in reversed(range(len(lines))) if lines[at].strip())
    if begins_titles(lines[last].decode("utf-8", "replace").strip()):
        return ProfileError(f"{name}:{last + 1}: {CUT_OFF_TITLES}", _EXPORT)
    for at in [at for at, line in enumerate(looked_at) if line.strip()][:_FIRST]:
        table = _derived(looked_at[at : at + 2])
        if table is not None:
            return ProfileError(f"{name}:{at + 1}: {table}", _EXPORT)
    return ProfileError(f"{name}:1: no output of ncu: {_shown(first)}", _RUN)


def _derived(lines: Sequence[bytes]) -> str | None:
    """What is wrong with a row of titles, if the first of these lines is one and the second a row under it."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    for delimiter in DELIMITERS:
        cells = split(texts[0], delimiter) if delimiter in texts[0] else None
        if cells is None or len(cells) < 2:
            continue
        titles = [cell.strip() for cell in cells]
        folded = {title.lower() for title in titles}
        has_metrics = any(metric_name(split_unit(title)[0]) for title in titles)
        if METRIC in folded or (has_metrics and folded & {ID, *KERNEL}):
            missing = [] if folded & set(KERNEL) else [KERNEL[1]]
            if METRIC in folded:
                missing += [title for title in (ID, UNIT, VALUE) if title not in folded]
            return f"a table made from ncu's, without its columns {', '.join(map(repr, missing))}"
        below = split(texts[1], delimiter) if len(texts) > 1 else None
        is_table = below is not None and len(below) == len(titles) > 2
        if has_metrics or (is_table and all(map(_is_title, titles))):
            shown = ", ".join(titles[:5]) + (", …" if len(titles) > 5 else "")
            return f"a table that ncu did not write: its titles are {quoted(shown)}"
    return None


def _is_title(text: str) -> bool:
    """Prose has commas too, and numbers are no titles."""
    return 0 < len(text) <= _LONGEST_TITLE and not text.replace(".", "").strip("+-%() ").isdigit()


def _shown(line: bytes) -> str:
    text = printable(line.decode("utf-8", "replace").strip())
    return quoted(text[:60])
