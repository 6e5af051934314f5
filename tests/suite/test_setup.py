"""Set-up and teardown around the callable that is timed."""

import functools

import pytest

from perftrack.errors import SuiteError
from perftrack.suite.declaration import benchmark, drain
from perftrack.suite.setup import amount, prepared


def declare(function, **options):
    drain()
    benchmark(**options)(function)
    (found,) = drain()
    return found


def test_set_up_gets_the_parameters():
    def sample(n):
        return lambda: n + 1

    with prepared(declare(sample, params={"n": [1]}), (("n", 41),), "f:1") as (work, baseline):
        assert work() == 42
        assert baseline is None


def test_a_generator_is_torn_down_after_the_block():
    steps = []

    def sample():
        steps.append("up")
        yield lambda: steps.append("work")
        steps.append("down")

    with prepared(declare(sample), (), "f:1") as (work, _):
        work()
    assert steps == ["up", "work", "down"]


def test_a_generator_is_torn_down_when_the_work_raises():
    steps = []

    def sample():
        try:
            yield lambda: None
        finally:
            steps.append("down")

    with pytest.raises(ZeroDivisionError), prepared(declare(sample), (), "f:1"):
        raise ZeroDivisionError
    assert steps == ["down"]


@pytest.mark.parametrize("made", [None, 3, [1]])
def test_no_callable_is_an_error_with_its_place(made):
    with (
        pytest.raises(SuiteError, match=r"f:1: sample returned .*not a callable"),
        prepared(declare(lambda: made, name="sample"), (), "f:1"),
    ):
        pass


def test_two_yields_are_an_error():
    def sample():
        yield lambda: None
        yield lambda: None

    with pytest.raises(SuiteError, match="yielded twice"), prepared(declare(sample), (), "f:1"):
        pass


def test_no_yield_is_an_error():
    def sample():
        return
        yield

    with pytest.raises(SuiteError, match="without yielding"), prepared(declare(sample), (), "f:1"):
        pass


def test_baseline_is_set_up_with_the_same_parameters():
    def sample(n):
        return lambda: n

    def reference(n):
        return lambda: -n

    declaration = declare(sample, params={"n": [7]}, baseline=reference)
    with prepared(declaration, (("n", 7),), "f:1") as (work, baseline):
        assert (work(), baseline()) == (7, -7)


def test_amounts_may_be_numbers_or_functions_of_the_parameters():
    assert amount(None, ()) is None
    assert amount(5, ()) == 5.0
    assert amount(lambda n: 2 * n**3, (("n", 10),)) == 2000.0


async def coroutine():
    return 1


async def async_generator():
    yield 1


def generator():
    yield 1


class Later:
    async def __call__(self):
        return 1


@pytest.mark.parametrize(
    ("work", "hint"),
    [
        (coroutine, "asyncio.run"),
        (functools.partial(coroutine), "asyncio.run"),
        (Later(), "asyncio.run"),
        (async_generator, "asyncio.run"),
        (generator, "Consume"),
    ],
)
def test_a_callable_that_only_makes_something_to_run_later_is_an_error(work, hint):
    with pytest.raises(SuiteError, match="only makes") as caught, prepared(declare(lambda: work), (), "f:1"):
        pass
    assert hint in caught.value.hint


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, "5", None, True, 1j])
def test_an_amount_that_is_none_is_an_error_naming_the_option(value):
    with pytest.raises(SuiteError, match="flops"):
        amount(lambda: value, (), "flops")
