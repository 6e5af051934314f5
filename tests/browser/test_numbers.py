"""The browser makes the numbers of packed columns that their description says, and reads packed files."""

import math
import random
from pathlib import Path

import numpy as np

from perftrack.publish.numerals import differences, numerals, usual_scale
from perftrack.publish.packing import PackedFile
from tests.browser.conftest import Visit
from tests.publish.unpacking import values


def drawn(count: int) -> tuple[dict[str, np.ndarray], list[list[int]]]:
    """Columns of made-up values of which each has a reference of its own, often one far from it."""
    draw = random.Random(20260102)
    own = np.array([draw.choice((1, -1)) * 10 ** draw.uniform(-12, 12) for _ in range(count)])
    wide = np.abs(own) * np.array([10 ** draw.uniform(-7, 0.5) * (draw.random() < 0.9) for _ in range(count)])
    own = np.where((wide == 0) & (np.arange(count) % 2 == 0), np.rint(own), own)
    first = own * np.array(
        [10 ** draw.choice((0, draw.uniform(-1, 1), draw.uniform(-12, 12))) for _ in range(count)]
    )
    moved = wide * np.array([draw.uniform(-1, 1) for _ in range(count)])
    found = numerals(own, own - wide + moved, own + wide + moved)
    half = np.abs(first) * 0.013
    start = numerals(first, first - half, first + half)
    beyond = found.grade - start.grade
    columns = {
        "step": found.scale - np.where(found.wide, usual_scale(found.grade, start.level), start.scale),
        "value": differences(found.digits, found.scale, start.digits, start.scale),
        "width": np.where(found.wide, beyond + (beyond >= 0), 0),
        "skew": found.skew,
    }
    parts = (start.digits, start.scale, start.level, start.grade)
    return columns, [list(map(int, row)) for row in zip(*parts, strict=True)]


def test_values_and_intervals_are_those_of_the_description(visit: Visit, site: Path) -> None:
    columns, references = drawn(3000)
    plain = {name: column.tolist() for name, column in columns.items()}
    page = visit(f"{site.as_uri()}/index.html")
    script = "([columns, references]) => perftrack.numbers(columns, (i) => references[i], () => true, () => true)"
    found = page.evaluate(script, [plain, references])
    for at, told in enumerate(values(plain, references)):
        assert found["value"][at] == told.value
        assert math.isclose(found["lo"][at], told.lo, rel_tol=1e-12, abs_tol=1e-12 * told.half)
        assert math.isclose(found["hi"][at], told.hi, rel_tol=1e-12, abs_tol=1e-12 * told.half)


def test_a_packed_file_reads_back(visit: Visit, site: Path) -> None:
    columns, _ = drawn(700)
    file = PackedFile("made/up", {"text": "à \u2028 'quoted' \"twice\" not measured"}, columns)
    page = visit(f"{site.as_uri()}/index.html")
    # By a script's text, since the page's policy lets nothing be evaluated.
    name, length, text = (
        file.script().decode().removeprefix("perftrack.packed(").removesuffix(");\n").split(",", 2)
    )
    script = "async (file) => { await perftrack.packed(...file); return perftrack.get(file[0]); }"
    found = page.evaluate(script, [name[1:-1], int(length), text[1:-1]])
    assert found["text"] == file.document["text"]
    assert found["columns"] == {name: column.tolist() for name, column in columns.items()}
