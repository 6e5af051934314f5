"""A file's bytes, and its lines: what it is encoded in is found out here, and what is no text is refused."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from perftrack.errors import ProfileError
from perftrack.ncu.foreign import refuse_binary, refuse_junk
from perftrack.ncu.zstd import MAGIC as ZSTD

LIMIT = 2**30  # bytes; a larger file is some other one, or an endless stream
REPORT = b"NVR\0"
_REPORT_SUFFIXES = (".ncu-rep", ".ncu-repz", ".nsight-cuprof-report")
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 20

Source = str | Path | IO[bytes] | IO[str]


@dataclass(frozen=True, slots=True)
class Lines:
    """A text file, as UTF-8 without line feeds. `is_whole`: it ends with a line feed."""

    name: str
    lines: list[bytes]
    is_whole: bool


def name_of(source: Source, name: str | None) -> str:
    if name is not None:
        return name
    if isinstance(source, str | Path):
        return str(source)
    found = getattr(source, "name", None)
    return found if isinstance(found, str) else "the input"


def load(source: Source, name: str, limit: int = LIMIT) -> bytes | Path:
    """The bytes of the source; the path itself where it is that of a report, which is not read into memory.

    Raises ProfileError where it cannot be read or is larger than `limit`.
    """
    try:
        if not isinstance(source, str | Path):
            return _limited(source.read, name, limit)
        path = Path(source)
        with path.open("rb") as stream:
            if stream.peek(len(REPORT))[: len(REPORT)] in {REPORT, ZSTD}:
                return path
            data = _limited(stream.read, name, limit)
            if path.suffix in _REPORT_SUFFIXES and (not data or b"\0" in data[:_CHUNK]):
                return path
            return data
    except OSError as error:
        raise ProfileError(f"{name} cannot be read: {error.strerror or error}", "Check the path.") from error
    except UnicodeDecodeError as error:
        raise ProfileError(f"{name}: not text in {error.encoding}", "Open the file in binary mode.") from error


def _limited(read: Callable[[int], bytes | str], name: str, limit: int) -> bytes:
    data = read(limit + 1)
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if len(data) > limit:
        raise ProfileError(
            f"{name}: more than {limit >> 20} MiB",
            "Export fewer launches a file: ncu --import REPORT.ncu-rep --csv --range-filter :0-999:",
        )
    return data


def is_report(data: bytes) -> bool:
    return data.startswith((REPORT, ZSTD))


def text_lines(data: bytes, name: str) -> Lines:
    """The lines of a text in whatever encoding. Raises ProfileError for what is none, or has nothing of ncu.

    UTF-16 is what PowerShell writes, and a Windows code page what old consoles do.
    """
    data = _decoded(data, name)
    junk = refuse_junk(data, name)
    if junk is not None:
        raise junk
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    is_whole = data.endswith(b"\n")
    stream = io.BytesIO(data)
    del data  # the whole file, once more
    lines = [line[:-1] for line in stream]  # several times as fast as to split
    if lines and not is_whole:
        stream.seek(-1, io.SEEK_END)
        lines[-1] += stream.read()
    return Lines(name, lines, is_whole)


def _decoded(data: bytes, name: str) -> bytes:
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if encoding is None and b"\0" in data:
        encoding = _wide(data[:400])
        if encoding is None:
            raise refuse_binary(data, name)
    if encoding is not None:
        try:
            return data.decode(encoding).encode()
        except UnicodeError as error:
            raise ProfileError(
                f"{name}:1: {encoding} text that is cut off or damaged", "Copy or export the file again."
            ) from error
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.isascii() or _is_utf8(data):
        return data
    if _controls(data[:4096]):
        raise refuse_binary(data, name)
    # Bytes that the code page leaves open are control characters in Latin-1.
    try:
        return data.decode("cp1252").encode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()


def _is_utf8(data: bytes) -> bool:
    """In steps: a whole copy as text can be four times the file."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    stream = io.BytesIO(data)
    try:
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _wide(start: bytes) -> str | None:
    """UTF-16 without a mark: of every two bytes of plain text one is zero, and always the same one."""
    even, odd = start[::2], start[1::2]
    if odd.count(0) > 0.8 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.8 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    return None


def _controls(start: bytes) -> bool:
    odd = sum(1 for byte in start if byte < 32 and byte not in b"\t\n\r\x1b\f\b")
    return odd > len(start) / 100
