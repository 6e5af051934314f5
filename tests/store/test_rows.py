"""A run as columns, and the numbers that are computed while writing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import Case, ProcessSamples, Window
from perftrack.store import canonical_params
from perftrack.store.rows import batch, within_variance
from perftrack.store.texts import case_key
from tests.core.builders import measured
from tests.store import builders


def test_parameters_are_one_text_in_whatever_order() -> None:
    assert canonical_params((("n", 1), ("dtype", "ü"))) == '{"dtype":"ü","n":1}'
    assert canonical_params((("dtype", "ü"), ("n", 1))) == '{"dtype":"ü","n":1}'


def test_parameters_of_different_types_are_different_texts() -> None:
    texts = [canonical_params((("n", v),)) for v in (1, 1.0, True, "1", None, False, 0)]
    assert len(set(texts)) == 7


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_parameters_that_json_cannot_hold_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_params((("n", value),))


def test_a_parameter_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="n, n"):
        canonical_params((("n", 1), ("n", 2)))


@given(
    params=st.dictionaries(st.text(), st.integers() | st.text() | st.booleans(), max_size=4),
    name=st.text(),
)
def test_the_key_of_a_case_does_not_depend_on_order(params: dict[str, int | str | bool], name: str) -> None:
    items = tuple(params.items())
    assert case_key(Case(name, items)) == case_key(Case(name, items[::-1]))
    assert case_key(Case(name + "x", items)) != case_key(Case(name, items))


def test_a_benchmark_whose_name_looks_like_a_case_is_another_case() -> None:
    assert case_key(Case("a[n=1]")) != case_key(Case("a", (("n", 1),)))


def test_the_variance_within_a_run_is_that_of_its_mean() -> None:
    values = [1.0, 1.1, 1.3]
    expected = np.log(values).var(ddof=1) / 3
    assert within_variance(measured(*values)) == pytest.approx(expected)


@pytest.mark.parametrize("values", [(), (1.0,), (1.0, 0.0), (1.0, -1.0)])
def test_there_is_no_variance_within_without_two_positive_processes(values: tuple[float, ...]) -> None:
    assert within_variance(measured(*values)) is None


@pytest.mark.parametrize("odd", [ProcessSamples(1, ()), ProcessSamples(1, (Window(()),))])
def test_there_is_no_variance_within_where_a_process_measured_nothing(odd: ProcessSamples) -> None:
    good = measured(1.0, 2.0).processes
    assert within_variance(measured(processes=(*good, odd))) is None


def test_texts_are_held_once() -> None:
    run = builders.run(*(measured(1.0, case=Case("b", (("n", n),)), source="same") for n in range(50)))
    texts = batch(run, "id", []).texts
    assert texts.count("same") == 1
    assert len(texts) == len(set(texts))


def test_text_that_is_no_unicode_is_shown_where_it_is() -> None:
    with pytest.raises(ValueError, match=r"not Unicode text: 'x{20}\\udcffy'"):
        batch(builders.run(measured(output="x" * 500 + "\udcffy")), "id", [])


def test_columns_are_arrays_of_numbers() -> None:
    columns = [
        c for table in batch(builders.run(), "id", [builders.commit()]).tables.values() for c in table.values()
    ]
    assert {c.dtype.kind for c in columns} <= set("iufb")
