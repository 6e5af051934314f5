"""The right card or none: by torch's UUID, by the environment, and never by NVML's own numbers alone."""

from __future__ import annotations

import sys

import pytest

from perftrack.errors import DeviceError
from perftrack.timing.card import Card, find_card, load_nvml
from perftrack.timing.gauge import Identity, torch_identity
from tests.timing import fake_torch
from tests.timing.fake_nvml import GPU_A, GPU_B, MIG_1, MIG_2, FakeCard, FakeNvml, NVMLError, install, split_card

A = FakeCard()
B = FakeCard(uuid=GPU_B, pci=(0, 0x4C, 0))


def identity(
    uuid: str | None = None, pci: tuple[int, int, int] | None = None, name: str = "NVIDIA H200"
) -> Identity:
    bare = None if uuid is None else uuid.removeprefix("GPU-").removeprefix("MIG-")
    return Identity(name=name, uuid=bare, pci=pci, memory_bytes=150 << 30)


def found(nvml: FakeNvml, index: int = 0, who: Identity | None = None, **environ: str) -> Card:
    return find_card(index, nvml, who, environ)


def test_torch_s_uuid_decides_whatever_the_environment_says() -> None:
    card = found(FakeNvml(A, B), 0, identity(GPU_B), CUDA_VISIBLE_DEVICES="0")
    assert (card.uuid, card.proof) == (GPU_B, "UUID from torch")


def test_a_uuid_that_nvml_does_not_know_is_no_card() -> None:
    with pytest.raises(DeviceError, match="knows no card with torch's UUID"):
        found(FakeNvml(A), 0, identity(GPU_B))


def test_a_handle_that_says_it_is_another_card_is_refused() -> None:
    nvml = FakeNvml(A, B)
    nvml.nvmlDeviceGetHandleByUUID = lambda uuid: nvml.cards[0]  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match=r"NVML returned GPU-b1d9e0c2"):
        found(nvml, 0, identity(GPU_B))


def test_a_card_at_another_pci_address_is_refused() -> None:
    with pytest.raises(DeviceError, match="PCI address"):
        found(FakeNvml(A), 0, identity(GPU_A, pci=(0, 0x99, 0)))


def test_a_card_of_another_product_is_refused() -> None:
    with pytest.raises(DeviceError, match="NVML's card is a NVIDIA H200, torch's a NVIDIA L4"):
        found(FakeNvml(A), 0, identity(name="NVIDIA L4"))


def test_the_pci_address_decides_where_torch_is_too_old_for_uuids() -> None:
    card = found(FakeNvml(A, B), 0, identity(pci=(0, 0x4C, 0)))
    assert (card.uuid, card.proof) == (GPU_B, "PCI address from torch")


@pytest.mark.parametrize(
    ("visible", "index", "uuid"),
    [
        (GPU_B, 0, GPU_B),
        (f"{GPU_B},{GPU_A}", 1, GPU_A),
        ("GPU-b1d9f", 0, GPU_B),
        ("GPU-B1D9E", 0, GPU_A),
    ],
)
def test_uuids_in_the_environment_name_the_card(visible: str, index: int, uuid: str) -> None:
    assert found(FakeNvml(A, B), index, CUDA_VISIBLE_DEVICES=visible).uuid == uuid


@pytest.mark.parametrize(("visible", "index", "uuid"), [("1,0", 0, GPU_B), ("1,0", 1, GPU_A), ("1", 0, GPU_B)])
def test_positions_count_in_pci_order_where_cuda_is_told_to(visible: str, index: int, uuid: str) -> None:
    card = found(FakeNvml(A, B), index, CUDA_VISIBLE_DEVICES=visible, CUDA_DEVICE_ORDER="PCI_BUS_ID")
    assert (card.uuid, card.proof) == (uuid, "PCI order")


def test_without_a_variable_pci_order_is_the_process_s_own() -> None:
    assert found(FakeNvml(A, B), 1, CUDA_DEVICE_ORDER="PCI_BUS_ID").uuid == GPU_B


@pytest.mark.parametrize("visible", [{}, {"CUDA_VISIBLE_DEVICES": "0,1"}, {"CUDA_VISIBLE_DEVICES": "1"}])
def test_positions_in_cuda_s_own_order_say_nothing_among_several_cards(visible: dict[str, str]) -> None:
    with pytest.raises(DeviceError, match="orders them by speed") as caught:
        found(FakeNvml(A, B), 0, **visible)
    assert caught.value.hint and "PCI_BUS_ID" in caught.value.hint


def test_the_only_card_is_the_card() -> None:
    assert found(FakeNvml(A)).proof == "only card"
    assert found(FakeNvml(A), CUDA_VISIBLE_DEVICES="0").uuid == GPU_A


@pytest.mark.parametrize("visible", ["", "-1", "NoDevFiles", "3", "0,0", "GPU-0000", "MIG-0000"])
def test_hidden_and_missing_cards_are_none(visible: str) -> None:
    with pytest.raises(DeviceError):
        found(FakeNvml(A), CUDA_VISIBLE_DEVICES=visible)


@pytest.mark.parametrize(
    ("visible", "uuid"), [(MIG_2, MIG_2), (f"MIG-{GPU_A}/1/0", MIG_1), (f"MIG-{GPU_A}/2/0", MIG_2)]
)
def test_slices_are_found_with_their_board(visible: str, uuid: str) -> None:
    nvml = FakeNvml(split_card())
    card = found(nvml, CUDA_VISIBLE_DEVICES=visible)
    assert card.uuid == uuid and card.is_slice
    assert card.board is nvml.cards[0]


def test_a_slice_that_is_not_there_is_none() -> None:
    with pytest.raises(DeviceError, match="no slice 5/0"):
        found(FakeNvml(split_card()), CUDA_VISIBLE_DEVICES=f"MIG-{GPU_A}/5/0")


def test_torch_may_tell_the_slice_s_uuid() -> None:
    card = found(FakeNvml(split_card()), 0, identity(MIG_2, name="NVIDIA H200 MIG 1g.18gb"))
    assert card.uuid == MIG_2


def test_or_the_board_s_and_then_the_environment_names_the_slice() -> None:
    who = identity(GPU_A, name="NVIDIA H200 MIG 1g.18gb")
    assert found(FakeNvml(split_card()), 0, who, CUDA_VISIBLE_DEVICES=MIG_1).uuid == MIG_1


def test_a_split_card_without_a_named_slice_is_none() -> None:
    with pytest.raises(DeviceError, match="split into MIG slices"):
        found(FakeNvml(split_card()))


def test_a_failing_library_is_no_card() -> None:
    nvml = FakeNvml(A)
    nvml.fails["nvmlDeviceGetUUID"] = NVMLError("GPU is lost")
    with pytest.raises(DeviceError, match="GPU is lost"):
        found(nvml, 0, identity(GPU_A))


def test_no_driver_is_an_error_and_not_an_exception_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml(A)
    nvml.fails["nvmlInit"] = NVMLError("Driver Not Loaded")
    install(monkeypatch, nvml)
    with pytest.raises(DeviceError, match="Driver Not Loaded"):
        load_nvml()


def test_no_library_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(DeviceError, match="nvidia-ml-py is not installed"):
        load_nvml()


def test_torch_tells_uuid_and_address(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch.install(monkeypatch, fake_torch.FakeGpu())
    who = torch_identity(0)
    assert who is not None
    assert (who.uuid, who.pci) == (GPU_A.removeprefix("GPU-"), (0, 0x1B, 0))
    assert torch_identity(1) is None


def test_torch_is_not_imported_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert torch_identity(0) is None
    assert "torch" not in sys.modules
