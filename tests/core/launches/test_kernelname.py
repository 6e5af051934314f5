from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.launches.kernelname import base, canonical, short

REDUCE = (
    "void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, "
    "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator "
    "()(at::TensorIterator &)::[lambda(float, float) (instance 1)]>, unsigned int, float, (int)4>>(T3)"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("void f<float, (int)512>(T1 *, T1, T1)", "void f<float, 512>(T1 *, T1, T1)"),
        ("f<float,512>(T1*,T1)", "f<float, 512>(T1 *, T1)"),
        ("f<(unsigned int)128, (long)-1, (ns::Kind)3>()", "f<128, -1, 3>()"),
        ("f<g<int> >(const float4*)", "f<g<int>>(const float4 *)"),
        ("void <unnamed>::f<1>()", "void (anonymous namespace)::f<1>()"),
        ("  f( int )  ", "f( int )"),
    ],
)
def test_spellings_of_one_name_are_one(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f<float, 512>(T1)", "f<float, 256>(T1)"),
        ("f<float>(T1)", "f<double>(T1)"),
        ("f(int)", "f(float)"),
        ("f<&g>()", "f<&h>()"),
        ("f(int)1", "f1"),
    ],
)
def test_different_kernels_stay_different(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("name", "root"),
    [
        (REDUCE, "at::native::reduce_kernel"),
        ("stream_copy(const float4 *, float4 *, int)", "stream_copy"),
        ("triton_poi_fused_add_0", "triton_poi_fused_add_0"),
        ("void (anonymous namespace)::f<1>(int)", "(anonymous namespace)::f"),
        ("void <unnamed>::f<1>(int)", "(anonymous namespace)::f"),
        ("", ""),
    ],
)
def test_the_root_of_a_name(name: str, root: str) -> None:
    assert base(name) == root


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("stream_copy(const float4 *, float4 *, int)", "stream_copy"),
        ("void f<float, (int)512>(T1 *, T1, T1)", "f<float, 512>"),
        (REDUCE, "at::native::reduce_kernel<512, 1, at::native::ReduceOp<flo…>"),
        ("void (anonymous namespace)::f<1>(int)", "(anonymous namespace)::f<1>"),
        ("n" * 80, "…" + "n" * 59),
    ],
)
def test_a_long_name_is_shortened_for_people(name: str, shown: str) -> None:
    assert short(name) == shown


@given(st.text(alphabet="f<>(), *&int10:_ g", max_size=60))
def test_a_spelling_is_its_own_and_what_is_shown_fits(name: str) -> None:
    assert canonical(canonical(name)) == canonical(name)
    assert len(short(name, 20)) <= 20


@pytest.mark.parametrize(
    "name", ["<(" + "a" * 50_000 + "!", "<" + "(a" * 20_000, "<" + "(a a" * 20_000, "*" * 50_000]
)
def test_a_hostile_name_takes_no_time(name: str) -> None:
    start = time.process_time()
    canonical(name), short(name), base(name)
    assert time.process_time() - start < 1
