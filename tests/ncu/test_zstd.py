from __future__ import annotations

import io
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.errors import ProfileError
from perftrack.ncu.zstd import decompress

zstandard = pytest.importorskip("zstandard")
TEXT = bytes(range(256)) * 400


def packed(data: bytes) -> bytes:
    return bytes(zstandard.ZstdCompressor().compress(data))


def unpacked(data: bytes, limit: int = 2**24) -> bytes:
    return decompress(io.BytesIO(data), "made.ncu-repz", limit)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=9000), min_size=1, max_size=4))
def test_frames_in_a_row_are_one_stream(parts: list[bytes]) -> None:
    assert unpacked(b"".join(packed(part) for part in parts)) == b"".join(parts)


@pytest.mark.parametrize("end", [5, 40, -1])
def test_a_stream_that_is_cut_off_is_refused(end: int) -> None:
    with pytest.raises(ProfileError, match=r"made\.ncu-repz: damaged: the file ends in the middle"):
        unpacked(packed(TEXT)[:end])


def test_what_follows_the_stream_is_refused() -> None:
    with pytest.raises(ProfileError, match="its compression cannot be undone"):
        unpacked(packed(TEXT) + b"and more")


def test_a_small_file_that_holds_a_huge_one_is_refused() -> None:
    bomb = packed(bytes(2**26))
    assert len(bomb) < 2**14
    with pytest.raises(ProfileError, match="holds more than") as caught:
        unpacked(bomb, limit=2**20)
    assert "zstd -d" in (caught.value.hint or "")


def test_without_a_library_the_extra_is_named() -> None:
    code = (
        "import io, sys; sys.modules['zstandard'] = None; sys.modules['compression.zstd'] = None\n"
        "from perftrack.ncu.zstd import decompress\n"
        "from perftrack.errors import ProfileError\n"
        "try: decompress(io.BytesIO(b'\\x28\\xb5\\x2f\\xfd'), 'a.ncu-repz')\n"
        "except ProfileError as error: print(error.message, error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "zstandard" in done.stdout
    assert "perftrack-gpu[ncu]" in done.stdout
