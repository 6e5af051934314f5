"""Which devices a recording is spread over, and how each is chosen for a process."""

from __future__ import annotations

import pytest

from perftrack.app import accelerators as module
from perftrack.app.accelerators import Accelerator, accelerators
from perftrack.errors import UsageError


@pytest.fixture(autouse=True)
def no_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "card_names", tuple)


def test_none_are_none() -> None:
    assert accelerators("", "cuda", {}) == ()


def test_numbers_are_those_that_the_variable_of_the_kind_takes() -> None:
    assert accelerators("0,2", "cuda", {}) == (
        Accelerator(0, {"CUDA_VISIBLE_DEVICES": "0"}),
        Accelerator(2, {"CUDA_VISIBLE_DEVICES": "2"}),
    )
    assert accelerators("1", "rocm", {}) == (Accelerator(1, {"HIP_VISIBLE_DEVICES": "1"}),)


def test_they_count_within_what_is_visible_already() -> None:
    found = accelerators("1", "", {"CUDA_VISIBLE_DEVICES": "GPU-a, GPU-b"})
    assert found == (Accelerator(1, {"CUDA_VISIBLE_DEVICES": "GPU-b"}),)


def test_all_is_every_card_that_the_driver_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "card_names", lambda: ("H200", "H200"))
    assert [a.number for a in accelerators("all", "", {})] == [0, 1]


@pytest.mark.parametrize(
    ("given", "kind", "environ", "says"),
    [
        ("0,x", "cuda", {}, "expected numbers"),
        ("-1", "cuda", {}, "expected numbers"),
        ("0,", "cuda", {}, "expected numbers"),
        ("1,1", "cuda", {}, "named twice"),
        ("2", "cuda", {"CUDA_VISIBLE_DEVICES": "4,5"}, "there is no device 2; 2 can be seen"),
        ("all", "cuda", {}, "cannot be read here"),
        ("0", "cpu", {}, "the device is cpu"),
    ],
)
def test_what_names_no_devices_is_wrong_usage(given: str, kind: str, environ: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        accelerators(given, kind, environ)
