"""What each file of a site was made from, so that what did not change is not made again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perftrack.publish.marker import MARKER, marked

SIGNATURES = ".perftrack-signatures"
_DIGEST, _SIZE = 8, 4
_ENTRY = _DIGEST + _SIZE


@dataclass(frozen=True, slots=True)
class Signature:
    """`text` as `short` gives it, and the size of the file in bytes."""

    text: str
    size: int


def short(signature: str) -> str:
    """16 hex digits of a signature of any length."""
    return hashlib.blake2b(signature.encode(), digest_size=_DIGEST).hexdigest()


def signature_bytes(marker: bytes, signed: Mapping[str, Signature]) -> bytes:
    """The signatures by path as bytes: of the marker file that they belong to, then of each path in its order."""
    nothing = bytes(_ENTRY)
    entries = [_of_marker(marker)]
    for path in _paths(marker):
        own = signed.get(path)
        fits = own is not None and own.size < 1 << (8 * _SIZE)
        entries.append(bytes.fromhex(own.text) + own.size.to_bytes(_SIZE, "little") if own and fits else nothing)
    return b"".join(entries)


def former_signatures(output: Path, files: frozenset[str]) -> Mapping[str, Signature]:
    """Those of the last build by path; none where it was killed, or anything about them is not as it was left."""
    try:
        marker, content = (output / MARKER).read_bytes(), (output / SIGNATURES).read_bytes()
    except OSError:
        return {}
    paths = sorted(files)
    if content[:_DIGEST] != _of_marker(marker) or len(content) != _DIGEST + _ENTRY * len(paths):
        return {}
    found = {}
    for at, path in enumerate(paths):
        entry = content[_DIGEST + at * _ENTRY : _DIGEST + (at + 1) * _ENTRY]
        if any(entry):
            found[path] = Signature(entry[:_DIGEST].hex(), int.from_bytes(entry[_DIGEST:], "little"))
    return found


def _of_marker(marker: bytes) -> bytes:
    return hashlib.blake2b(marker, digest_size=_DIGEST).digest()


def _paths(marker: bytes) -> list[str]:
    return sorted(marked(marker))
