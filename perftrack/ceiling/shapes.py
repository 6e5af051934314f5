"""Shapes that a user names: lists, ranges `START STOP [STEP]`, and files of shapes. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from perftrack.core.ceiling import DataType, Shape
from perftrack.core.text import quoted
from perftrack.errors import UsageError

MAX_DIMENSION = 2**24  # larger ones overflow what kernels index with
MAX_SHAPES = 200_000
MAX_FILE_BYTES = 16 * 2**20
BLOCK_K = 32  # fp4 packs two elements a byte and scales blocks of 32 along K
_SEPARATORS = re.compile(r"[\s,xX×*]+")


def parse_range(option: str, numbers: Sequence[int]) -> tuple[int, ...]:
    """Values of `START STOP [STEP]`: START, START + STEP, … below STOP; the step is 1 unless given.

    START 0 begins at STEP, since no dimension is 0. Raises UsageError naming the option.
    """
    given = f"{option} {' '.join(map(str, numbers))}"
    if len(numbers) not in {2, 3}:
        raise UsageError(f"{given}: expected START STOP [STEP]", "START 0 begins at STEP; STOP itself is left out")
    start, stop, step = (*numbers, 1)[:3]
    if step < 1:
        raise UsageError(f"{given}: the step must be at least 1, not {step}")
    if start < 0:
        raise UsageError(f"{given}: the start must not be below 0")
    if stop > MAX_DIMENSION + 1:
        raise UsageError(f"{given}: sizes above {MAX_DIMENSION} are not supported")
    values = range(start or step, stop, step)
    if not values:
        raise UsageError(f"{given}: no value lies in this range", "STOP itself is left out")
    if len(values) > MAX_SHAPES:
        raise UsageError(f"{given}: {len(values)} values are more than {MAX_SHAPES}", "give a larger step")
    return tuple(values)


def parse_values(option: str, numbers: Sequence[int]) -> tuple[int, ...]:
    """An explicit list, each value once. Raises UsageError for one that is no dimension."""
    if not numbers:
        raise UsageError(f"{option}: expected at least one value")
    for number in numbers:
        _check_dimension(option, number)
    return tuple(dict.fromkeys(numbers))


def grid(m: Sequence[int], n: Sequence[int], k: Sequence[int]) -> tuple[Shape, ...]:
    """The product, M slowest. Raises UsageError where it has none or too many."""
    count = len(m) * len(n) * len(k)
    if not count:
        empty = ", ".join(f"--{name}" for name, values in (("m", m), ("n", n), ("k", k)) if not values)
        raise UsageError(f"no shapes to search: {empty} has no values", "give --m, --n and --k, or --shapes-file")
    if count > MAX_SHAPES:
        raise UsageError(f"{count} shapes are more than {MAX_SHAPES}", "give larger steps or fewer values")
    return tuple(Shape(*sizes) for sizes in product(m, n, k))


def read_shapes(path: Path) -> tuple[Shape, ...]:
    """Shapes from a file, one `MxNxK` a line (or separated by commas or blanks); `#` starts a comment.

    Repeated shapes count once. Raises UsageError naming the file, the line and what is wrong with it.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise UsageError(f"{path}: more than {MAX_FILE_BYTES >> 20} MiB is no list of shapes")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"can't read --shapes-file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--shapes-file {path} is not UTF-8 text: {error.reason}") from error
    found: dict[Shape, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#", 1)[0].strip()
        if content:
            found[_shape(f"{path}:{number}", content)] = None
    if not found:
        raise UsageError(f"--shapes-file {path} has no shapes", "write one MxNxK a line")
    if len(found) > MAX_SHAPES:
        raise UsageError(f"--shapes-file {path}: {len(found)} shapes are more than {MAX_SHAPES}")
    return tuple(found)


def check_dtype(shapes: Sequence[Shape], dtype: DataType) -> None:
    """Refuse what the data type cannot be: fp4 needs K in whole blocks. Raises UsageError naming the values."""
    if dtype not in {DataType.MXFP4, DataType.NVFP4}:
        return
    wrong = sorted({s.k for s in shapes if s.k % BLOCK_K})
    if wrong:
        few = ", ".join(map(str, wrong[:5])) + (", …" if len(wrong) > 5 else "")
        raise UsageError(f"{dtype} needs K to be a multiple of {BLOCK_K}, got {few}")


def _shape(where: str, content: str) -> Shape:
    parts = _SEPARATORS.split(content)
    if len(parts) != 3:
        raise UsageError(f"{where}: expected MxNxK, got {quoted(content)}")
    sizes = []
    for part in parts:
        if not (part.isascii() and part.isdigit()):
            raise UsageError(f"{where}: {quoted(part)} is no size in {quoted(content)}")
        sizes.append(int(part[:20]))
        _check_dimension(where, sizes[-1])
    return Shape(*sizes)


def _check_dimension(where: str, number: int) -> None:
    if not 1 <= number <= MAX_DIMENSION:
        raise UsageError(f"{where}: {number} is not a size from 1 to {MAX_DIMENSION}")
