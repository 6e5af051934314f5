"""What the decorators accept, and how a mistake is kept with its place instead of raised."""

import pytest

from perftrack.core.model import Direction
from perftrack.suite.declaration import Declaration, Skip, benchmark, drain, metric, skip
from perftrack.suite.messages import Kind


@pytest.fixture(autouse=True)
def _clean():
    drain()
    yield
    drain()


def declared(**options) -> Declaration:
    @benchmark(**options)
    def sample(**params):
        return lambda: None

    (found,) = drain()
    return found


def test_bare_decorator_declares_one_case():
    @benchmark
    def plain():
        return lambda: None

    (found,) = drain()
    assert (found.name, found.cases, found.kind) == ("plain", ((),), Kind.BENCHMARK)


def test_decorated_function_stays_callable():
    @benchmark(params={"n": [1]})
    def double(n):
        return 2 * n

    assert double(4) == 8


def test_every_combination_of_params_is_a_case():
    cases = declared(params={"n": [1, 2], "dtype": ["a", "b"]}).cases
    assert [dict(c) for c in cases] == [
        {"n": 1, "dtype": "a"},
        {"n": 1, "dtype": "b"},
        {"n": 2, "dtype": "a"},
        {"n": 2, "dtype": "b"},
    ]


def test_params_may_list_the_combinations():
    cases = declared(params=[{"n": 1, "m": 2}, {"n": 3, "m": 4}]).cases
    assert [dict(c) for c in cases] == [{"n": 1, "m": 2}, {"n": 3, "m": 4}]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"params": {"n": [[1, 2]]}}, "type list"),
        ({"params": {"n": [object()]}}, "type object"),
        ({"params": {"n": ["x" * 201]}}, "201 characters"),
        ({"params": {"n": [float("nan")]}}, "nan"),
        ({"params": {"n": [2**63]}}, "64 bits"),
        ({"params": {"n": "abc"}}, "list of values"),
        ({"params": {"n": 3}}, "list of values"),
        ({"params": {"n": []}}, "no combination"),
        ({"params": {"n": [1, 1]}}, "read the same: [n=1]"),
        ({"params": {"n": [1, "1"]}}, "read the same: [n=1]"),
        ({"params": {"a": list(range(200)), "b": list(range(200))}}, "40000 parameter combinations"),
        ({"device": "gpu"}, "device='gpu'"),
        ({"cache": "warm"}, "cache='warm'"),
        ({"timer": "wall"}, "timer='wall'"),
        ({"timeout": -1}, "timeout=-1"),
        ({"threshold": 0}, "threshold=0"),
        ({"warmup": "many"}, "warmup='many'"),
    ],
)
def test_a_bad_declaration_is_kept_as_a_problem(options, says):
    (problem,) = declared(**options).problems
    assert says in problem


def test_params_that_the_function_does_not_take_are_a_problem():
    @benchmark(params={"n": [1]})
    def nothing():
        return lambda: None

    (found,) = drain()
    assert "do not fit" in found.problems[0]


def test_a_function_that_needs_params_without_any_is_a_problem():
    @benchmark
    def needs(n):
        return lambda: n

    (found,) = drain()
    assert "do not fit" in found.problems[0]


def test_metric_keeps_unit_and_direction():
    @metric(unit="B", direction="higher")
    def size():
        return 1

    (found,) = drain()
    assert (found.kind, found.unit, found.direction) == (Kind.METRIC, "B", Direction.HIGHER)


def test_metric_with_an_unknown_direction_is_a_problem():
    @metric(unit="B", direction="down")
    def size():
        return 1

    (found,) = drain()
    assert "direction='down'" in found.problems[0]


def test_skip_raises_with_its_reason():
    with pytest.raises(Skip, match="no GPU"):
        skip("no GPU")


def test_code_hash_follows_the_source_and_the_settings():
    def make(body, **options):
        scope: dict = {}
        exec(f"def f():\n    return {body}", scope)
        benchmark(**options)(scope["f"])
        return drain()[0].code_hash

    assert make("1") == make("1")
    assert make("1") != make("2")
    assert make("1") != make("1", cache="cold")
    assert make("1") == make("1", tags=["x"])
