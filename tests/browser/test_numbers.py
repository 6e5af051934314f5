"""The browser makes the numbers of packed columns that their description says, and reads packed files."""

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perftrack.publish.numerals import differences, numerals, usual_scale
from perftrack.publish.packing import PackedFile
from perftrack.publish.site import build_site
from tests.browser.conftest import Visit, served
from tests.publish.synthetic import SyntheticHistory
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


@pytest.mark.parametrize("rows", [0, 1, 700])
def test_a_packed_file_reads_back(visit: Visit, tmp_path: Path, rows: int) -> None:
    """Also where a server says that it is UTF-8, as most do of all scripts."""
    build_site(SyntheticHistory(3), tmp_path / "site")
    columns, _ = drawn(rows)
    file = PackedFile({"text": "à \u2028 'quoted' \"twice\" not measured"}, columns)
    made = tmp_path / "site" / "data" / "made" / "up.js"
    made.parent.mkdir()
    made.write_bytes(file.script())
    with served(tmp_path / "site") as address:
        for start in (address, (tmp_path / "site").as_uri()):
            found = visit(f"{start}/index.html").evaluate("perftrack.need('made/up')")
            assert_same(file, found)


def assert_same(file: PackedFile, found: dict[str, Any]) -> None:
    assert found["text"] == file.document["text"]
    assert found["columns"] == {name: column.tolist() for name, column in file.columns.items()}
