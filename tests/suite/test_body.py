"""What makes a benchmark another one, and what does not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from perftrack.suite.declaration import drain
from perftrack.suite.declared import Declaration
from perftrack.suite.discovery import import_file

PLAIN = """
import functools
import perftrack as pt

def quiet(function):
    return function

@pt.benchmark(params={"n": [1, 2]})
def sample(n):
    # warm
    data = "# no comment"  # but this is one
    return lambda: data * n
"""


@pytest.fixture
def load(tmp_path: Path):
    numbers = itertools.count()

    def one(text: str) -> Declaration:
        drain()
        path = tmp_path / f"bench_{next(numbers)}.py"
        path.write_text(text)
        assert import_file(path, tmp_path) is None
        (found,) = drain()
        return found

    return one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"n": [1, 2]}', '{"n": [1, 2, 3]}'),
        ('params={"n": [1, 2]}', 'params={"n": [1, 2]}, tags=["x"], name="other", aliases=["sample"]'),
        ("def sample", "def renamed"),
        ("# warm", "# cold\n\n    # very"),
        ("# but this is one", ""),
        ('@pt.benchmark(params={"n": [1, 2]})', '@pt.benchmark(\n    params={"n": [1, 2]},\n)'),
    ],
)
def test_names_parameters_tags_and_comments_leave_a_benchmark_what_it_was(load, old, new):
    assert old in PLAIN
    assert load(PLAIN).code_hash == load(PLAIN.replace(old, new)).code_hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("data * n", "data * n * 2"),
        ("# no comment", "# still none"),
        ("(n)", "(n=1)"),
        ("@pt.benchmark", "@quiet\n@pt.benchmark"),
        ("@pt.benchmark(", '@pt.benchmark(cache="cold", '),
        ("@pt.benchmark(", "@pt.benchmark(warmup=3, "),
    ],
)
def test_code_other_decorators_and_settings_make_it_another(load, old, new):
    assert old in PLAIN
    assert load(PLAIN).code_hash != load(PLAIN.replace(old, new)).code_hash


def test_the_baseline_s_code_counts(load):
    text = PLAIN.replace("@pt.benchmark(", "@pt.benchmark(baseline=plain, ")
    text = text.replace("def quiet", "def plain(n):\n    return lambda: n\n\ndef quiet")
    assert load(text).code_hash != load(text.replace("lambda: n\n", "lambda: -n\n")).code_hash


def test_a_lambda_and_code_without_source_have_a_hash(load):
    found = load("import perftrack as pt\npt.benchmark(name='x')(lambda: (lambda: 1))\n")
    other = load("import perftrack as pt\npt.benchmark(name='x')(lambda: (lambda: 2))\n")
    assert found.code_hash != other.code_hash
