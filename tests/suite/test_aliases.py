"""Earlier names of benchmarks, and exact metrics: what the decorators take of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.suite.declaration import benchmark, drain, metric
from perftrack.suite.discovery import load_suite


@pytest.fixture(autouse=True)
def _clean():
    drain()
    yield
    drain()


def problems_of(decorator) -> tuple[str, ...]:
    @decorator
    def sample():
        return 1

    (found,) = drain()
    return found.problems


def test_aliases_and_exactness_travel_with_the_declaration():
    @metric(unit="B", exact=True, aliases=["old", "older"])
    def size():
        return 1

    (found,) = drain()
    sent = found.declared("bench.py:1")
    assert (sent.aliases, sent.exact) == (("old", "older"), True)


def test_exactness_is_a_setting_of_the_benchmark():
    def size():
        return 1

    for exact in (False, True):
        metric(unit="B", exact=exact)(size)
    one, other = drain()
    assert one.code_hash != other.code_hash


@pytest.mark.parametrize(
    ("decorator", "said"),
    [
        (benchmark(aliases="old"), "aliases='old' must be a list"),
        (benchmark(aliases=[3]), "aliases: a name must be a string"),
        (benchmark(aliases=["sample"]), "aliases='sample' is the name that it has"),
        (benchmark(name="x", aliases=["x"]), "aliases='x' is the name that it has"),
        (metric(unit="B", exact=1), "exact=1 must be True or False"),
    ],
)
def test_what_they_cannot_be_is_a_problem(decorator, said):
    assert any(said in problem for problem in problems_of(decorator))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '@pt.benchmark(aliases=["b"])\ndef a():\n    pass\n@pt.benchmark\ndef b():\n    pass\n',
            "b is a benchmark",
        ),
        (
            '@pt.benchmark(aliases=["x"])\ndef a():\n    pass\n@pt.benchmark(aliases=["x"])\ndef b():\n    pass\n',
            "x is an alias of a as well",
        ),
    ],
)
def test_a_name_that_is_in_use_or_claimed_twice_is_a_problem(tmp_path: Path, text, said):
    file = tmp_path / "bench_x.py"
    file.write_text("import perftrack as pt\n" + text)
    (problem,) = load_suite([file], tmp_path).problems
    assert said in problem.message
