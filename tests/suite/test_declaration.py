"""What the decorators accept, and how a mistake is kept with its place instead of raised."""

import enum
import textwrap
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import Case, Direction
from perftrack.suite.declaration import Skip, benchmark, drain, metric, skip
from perftrack.suite.declared import Declaration
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
        ({"warmup": 1.5}, "warmup=1.5"),
        ({"timeout": float("inf")}, "timeout=inf"),
        ({"threshold": float("nan")}, "threshold=nan"),
        ({"timeout": 10**400}, "timeout=1000"),
        ({"cache": ["hot"]}, "cache=['hot']"),
        ({"name": 5}, "name=5: a name must be a string"),
        ({"name": ""}, "1 to 200 characters"),
        ({"name": "a\x1bb"}, "control character"),
        ({"name": "a\ud800"}, "surrogate"),
        ({"tags": "abc"}, "tags='abc' must be a list"),
        ({"tags": [1]}, "a tag must be a string, not 1"),
        ({"tags": ["a\nb"]}, "control character"),
        ({"tags": 5}, "tags=5 must be a list"),
        ({"flops": "many"}, "flops='many'"),
        ({"bytes": -1}, "bytes=-1"),
        ({"flops": float("nan")}, "flops=nan"),
        ({"flops": True}, "flops=True"),
        ({"flops": lambda m, /: m}, "flops: its parameters do not fit"),
        ({"baseline": 5}, "baseline=5"),
        ({"baseline": len}, "baseline=<built-in"),
        ({"params": {"a": range(10**12)}}, "1000000000000 parameter combinations"),
        ({"params": {"a": range(10**30)}}, "parameter combinations"),
        ({"params": {"a": range(10**12), "b": []}}, "no combination"),
        ({"params": 5}, "params=5"),
        ({"params": ["n"]}, "'n' is none"),
        ({"params": {1: [2]}}, "name must be a string, not 1"),
        ({"params": {"n\n": [2]}}, "control character"),
        ({"params": {"n": ["a\tb"]}}, "control character"),
        ({"params": {"n": ["\ud800"]}}, "surrogate"),
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


@pytest.mark.parametrize("target", [len, int, 5, "name", textwrap.dedent])
def test_what_cannot_be_set_up_is_a_problem_where_it_is_declared(target):
    benchmark(target)
    (found,) = drain()
    assert len(found.problems) == 1
    assert found.file
    assert found.line > 0


async def coroutine():
    return 1


async def async_generator():
    yield 1


@pytest.mark.parametrize("target", [coroutine, async_generator])
@pytest.mark.parametrize("decorator", [benchmark, metric(unit="B")])
def test_a_function_that_would_only_make_a_coroutine_is_a_problem(target, decorator):
    decorator(target)
    (found,) = drain()
    assert "only makes" in found.problems[0]


def test_a_metric_that_would_only_make_a_generator_is_a_problem():
    @metric(unit="B")
    def size():
        yield 1

    (found,) = drain()
    assert "a generator" in found.problems[0]


@pytest.mark.parametrize("unit", [5, None, "a\x00", "\ud800"])
def test_a_unit_that_cannot_be_shown_is_a_problem(unit):
    @metric(unit=unit)
    def size():
        return 1

    (found,) = drain()
    assert "unit=" in found.problems[0]


def test_a_value_whose_repr_raises_is_still_only_a_problem():
    class Broken:
        def __repr__(self):
            raise ZeroDivisionError

    assert "whose repr raises ZeroDivisionError" in declared(device=Broken()).problems[0]


def test_every_combination_must_fit_the_function_not_only_the_first():
    @benchmark(params=[{"n": 1}, {"m": 1}])
    def sample(n):
        return lambda: n

    (found,) = drain()
    assert "do not fit" in found.problems[0]


def test_parameters_are_kept_as_they_travel():
    class Size(enum.IntEnum):
        SMALL = 1

    class Type(enum.StrEnum):
        HALF = "fp16"

    ((size, kind),) = declared(params={"n": [Size.SMALL], "t": [Type.HALF]}).cases
    assert (type(size[1]), type(kind[1])) == (int, str)
    assert (size[1], kind[1]) == (1, "fp16")


@given(st.text(max_size=10))
def test_a_case_id_holds_printable_text_or_is_refused(text):
    found = declared(params={"n": [text]})
    assert found.problems or len(Case("x", found.cases[0]).id.splitlines()) == 1
    assert bool(found.problems) == any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text)
