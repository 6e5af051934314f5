"""Callables whose call does no work, and what such a call returned."""

import pytest

from perftrack import compare, measure
from perftrack.core.deferral import deferral, deferred
from perftrack.errors import InvalidValueError, MeasurementError


async def coroutine():
    return 1


async def async_generator():
    yield 1


def generator():
    yield 1


def plain():
    return 1


@pytest.mark.parametrize("work", [plain, len, int, print, [].append, lambda: coroutine])
def test_what_works_when_called_is_not_deferred(work):
    assert deferral(work) is None


@pytest.mark.parametrize("work", [coroutine, async_generator, generator])
def test_the_call_and_its_result_tell_the_same(work):
    assert deferral(work) is not None
    assert deferral(work) == deferred(work())


@pytest.mark.parametrize("work", [coroutine, async_generator, generator, 5])
def test_measure_and_compare_refuse_it_before_anything_runs(work):
    with pytest.raises(InvalidValueError):
        measure(work, device="cpu")
    with pytest.raises(InvalidValueError):
        compare(plain, work, device="cpu")


@pytest.mark.parametrize("work", [coroutine, async_generator, generator])
def test_one_hidden_in_a_lambda_is_told_by_what_it_returns(work):
    with pytest.raises(MeasurementError, match="only its creation would be timed"):
        measure(lambda: work(), device="cpu")
