"""Kernels that a library tunes when it first sees a shape: only when asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perftrack.ceiling.protocols import ShapeRefusedError
from perftrack.ceiling.tunable import TunableOp, find_tunable
from perftrack.core.ceiling import Shape

SHAPE = Shape(64, 64, 64)


def test_kernels_are_tuned_for_one_shape_and_never_again_by_themselves() -> None:
    state: list[Any] = []
    tunable = SimpleNamespace(tuning_enable=lambda on: state.append(on))
    tuner = TunableOp(tunable, state.append)
    tuner.pause()
    tuner.tune(SHAPE)
    assert state == [False, True, SHAPE, False]


def test_tuning_ends_paused_though_the_shape_was_refused() -> None:
    state: list[bool] = []

    def refuse(shape: Shape) -> None:
        raise ShapeRefusedError("no kernel")

    with pytest.raises(ShapeRefusedError):
        TunableOp(SimpleNamespace(tuning_enable=state.append), refuse).tune(SHAPE)
    assert state[-1] is False


@pytest.mark.parametrize(
    ("kind", "enabled", "found"), [("rocm", True, True), ("rocm", False, False), ("xpu", True, False)]
)
def test_tunable_kernels_are_found_where_they_are_switched_on(kind: str, enabled: bool, found: bool) -> None:
    torch = SimpleNamespace(cuda=SimpleNamespace(tunable=SimpleNamespace(is_enabled=lambda: enabled)))
    assert (find_tunable(torch, kind) is not None) is found


def test_a_torch_without_tunable_kernels_has_none() -> None:
    assert find_tunable(SimpleNamespace(cuda=SimpleNamespace()), "cuda") is None
