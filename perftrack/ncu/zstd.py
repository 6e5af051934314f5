"""A zstd stream undone, to its end and within a limit."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from typing import Any, BinaryIO

from perftrack.errors import ProfileError

MAGIC = b"\x28\xb5\x2f\xfd"
LIMIT = 4 * 2**30  # bytes: a report of more is read uncompressed, block by block
# A step of input: a block of zstd can stand for 32,000 times its bytes, so a step is at most 128 MiB.
_STEP = 4096


def decompress(stream: BinaryIO, name: str, limit: int = LIMIT) -> bytes:
    """The bytes that `stream` was before compression; several frames in a row are one stream.

    Raises ProfileError where it ends within a frame, is no zstd, holds over `limit` bytes, or where neither Python
    (from 3.14 on) nor the package `zstandard` can undo it.
    """
    begin = _decompressor()
    out = io.BytesIO()
    frame = begin()
    pending = b""
    fed = False
    while True:
        chunk = pending or stream.read(_STEP)
        if not chunk:
            break
        if frame.eof:
            frame, fed = begin(), False
        try:
            out.write(frame.decompress(chunk))
        except Exception as error:  # the two libraries share no exception
            raise ProfileError(f"{name}: damaged: its compression cannot be undone ({error})", _AGAIN) from error
        fed = True
        pending = bytes(frame.unused_data) if frame.eof else b""
        if out.tell() > limit:
            raise ProfileError(
                f"{name} holds more than {limit / 2**30:g} GiB once decompressed",
                "decompress it first, zstd -d -o report.ncu-rep FILE, and give that file",
            )
    if fed and not frame.eof:
        raise ProfileError(f"{name}: damaged: the file ends in the middle of its compressed data", _AGAIN)
    return out.getvalue()


_AGAIN = "copy the file again, or take the profile again"


def _decompressor() -> Callable[[], Any]:
    """What makes the decompressor of one frame."""
    try:
        maker: Callable[[], Any] = importlib.import_module("compression.zstd").ZstdDecompressor
    except ImportError:
        try:
            package = importlib.import_module("zstandard")
        except ImportError as error:
            raise ProfileError(
                "reading a compressed report needs the package zstandard",
                'install it with: pip install "perftrack-gpu[ncu]" (or undo it: zstd -d -o report.ncu-rep FILE)',
            ) from error
        return lambda: package.ZstdDecompressor().decompressobj()
    return maker
