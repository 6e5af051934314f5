"""The NVML handle of the card that a process numbers `index`, proven to be that card.

NVML numbers cards by PCI address and knows nothing of CUDA_VISIBLE_DEVICES or CUDA_DEVICE_ORDER, so its
numbers are never taken for the process's. Reading a neighbour's clock is worse than reading none:
where the card can't be established, DeviceError says why.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from perftrack.errors import DeviceError
from perftrack.timing.gauge import Identity
from perftrack.timing.visible import Form, Selector, choose, match_uuid, parse_visible, slice_of

_HINT = "perftrack doctor shows the cards and what this process may use"


@dataclass(frozen=True, slots=True)
class Card:
    """`handle` of the device; `board` the physical card it is, or for a MIG slice is part of."""

    api: Any
    handle: Any
    board: Any
    uuid: str
    proof: str

    @property
    def is_slice(self) -> bool:
        return self.uuid.startswith("MIG-")


def load_nvml() -> Any:
    """pynvml, initialised. Raises DeviceError where there is no NVML. Every load needs an nvmlShutdown."""
    try:
        import pynvml
    except ImportError as error:
        raise DeviceError("nvidia-ml-py is not installed", "pip install nvidia-ml-py") from error
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise DeviceError(f"NVML can't be used: {error}") from error
    return pynvml


def find_card(index: int, api: Any, identity: Identity | None, environ: Mapping[str, str] = os.environ) -> Card:
    """The card that this process numbers `index`. Raises DeviceError where that can't be established."""
    try:
        if identity is not None and identity.uuid is not None:
            card = _by_torch_uuid(api, identity.uuid)
            if not card.is_slice and _is_split(api, card.board):
                card = _by_environment(api, index, identity, environ)  # torch told the board, not the slice
        else:
            card = _by_environment(api, index, identity, environ)
        _check(card, identity)
    except api.NVMLError as error:
        raise DeviceError(f"NVML does not find device {index}: {error}", _HINT) from error
    return card


def every_card(api: Any) -> tuple[Card, ...]:
    """Every card of the host, and the slices in place of one that is split; without those that fail."""
    found: list[Card] = []
    try:
        count = api.nvmlDeviceGetCount()
    except api.NVMLError:
        return ()
    for index in range(count):
        with contextlib.suppress(api.NVMLError):
            board = api.nvmlDeviceGetHandleByIndex(index)
            handles = _slices(api, board) if _is_split(api, board) else [board]
            found += [_card(api, handle, "listed") for handle in handles]
    return tuple(found)


def _by_torch_uuid(api: Any, uuid: str) -> Card:
    for prefix in ("GPU-", "MIG-"):
        try:
            handle = _handle(api, prefix + uuid)
        except api.NVMLError:
            continue
        return _card(api, handle, "UUID from torch")
    raise DeviceError(f"NVML knows no card with torch's UUID {uuid}", _HINT)


def _by_environment(api: Any, index: int, identity: Identity | None, environ: Mapping[str, str]) -> Card:
    boards = [api.nvmlDeviceGetHandleByIndex(i) for i in range(api.nvmlDeviceGetCount())]
    selector = choose(parse_visible(environ.get("CUDA_VISIBLE_DEVICES")), index)
    if selector is not None and selector.form is Form.UUID:
        at = match_uuid(selector, [_text(api.nvmlDeviceGetUUID(b)) for b in boards])
        return _whole(api, boards[at], "UUID in CUDA_VISIBLE_DEVICES")
    if selector is not None and selector.form is Form.MIG:
        # A slice's UUID is looked up whole: CUDA takes no beginnings of those.
        return _card(api, _slice_handle(api, selector, boards), "slice in CUDA_VISIBLE_DEVICES")
    if identity is not None and identity.pci is not None:
        for board in boards:
            if _pci(api, board) == identity.pci:
                return _whole(api, board, "PCI address from torch")
        raise DeviceError("NVML knows no card at torch's PCI address", _HINT)
    position = index if selector is None else selector.position
    if position >= len(boards):
        raise DeviceError(f"there is no card {position}: this host has {len(boards)}", _HINT)
    if len(boards) > 1 and environ.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
        raise DeviceError(
            f"which of {len(boards)} cards is device {index} can't be told: CUDA orders them by speed",
            "set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name the card by UUID in CUDA_VISIBLE_DEVICES",
        )
    return _whole(api, boards[position], "only card" if len(boards) == 1 else "PCI order")


def _whole(api: Any, board: Any, proof: str) -> Card:
    """A whole card. One that is split into slices runs nothing itself, so the process must be on a slice."""
    if _is_split(api, board):
        raise DeviceError(
            "the card is split into MIG slices, and which one this process uses can't be told",
            "name it in CUDA_VISIBLE_DEVICES=MIG-…",
        )
    return _card(api, board, proof)


def _card(api: Any, handle: Any, proof: str) -> Card:
    uuid = _text(api.nvmlDeviceGetUUID(handle))
    board = api.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle) if uuid.startswith("MIG-") else handle
    return Card(api, handle, board, uuid, proof)


def _slice_handle(api: Any, selector: Selector, boards: list[Any]) -> Any:
    place = slice_of(selector)
    if place is None:
        return _handle(api, selector.text)
    uuid, gpu_instance, compute_instance = place
    at = match_uuid(Selector(Form.UUID, uuid), [_text(api.nvmlDeviceGetUUID(b)) for b in boards])
    for handle in _slices(api, boards[at]):
        found = api.nvmlDeviceGetGpuInstanceId(handle), api.nvmlDeviceGetComputeInstanceId(handle)
        if found == (gpu_instance, compute_instance):
            return handle
    raise DeviceError(f"the card has no slice {gpu_instance}/{compute_instance}", _HINT)


def _slices(api: Any, board: Any) -> list[Any]:
    handles = []
    for i in range(api.nvmlDeviceGetMaxMigDeviceCount(board)):
        with contextlib.suppress(api.NVMLError):
            handles.append(api.nvmlDeviceGetMigDeviceHandleByIndex(board, i))
    return handles


def _check(card: Card, identity: Identity | None) -> None:
    """Ask the handle who it is, and compare with everything that torch tells."""
    if identity is None:
        return
    api = card.api
    uuids = card.uuid.lower(), _text(api.nvmlDeviceGetUUID(card.board)).lower()
    if identity.uuid is not None and not any(u.endswith(identity.uuid) for u in uuids):
        raise DeviceError(f"NVML returned {card.uuid} for torch's {identity.uuid}", _HINT)
    if identity.pci is not None and (pci := _pci(api, card.board)) is not None and pci != identity.pci:
        raise DeviceError(f"NVML's card is at PCI address {pci}, torch's at {identity.pci}", _HINT)
    name = _text(api.nvmlDeviceGetName(card.board))
    if not identity.name.startswith(name):
        raise DeviceError(f"NVML's card is a {name}, torch's a {identity.name}", _HINT)


def _pci(api: Any, board: Any) -> tuple[int, int, int] | None:
    try:
        info = api.nvmlDeviceGetPciInfo(board)
    except api.NVMLError:
        return None
    return int(info.domain), int(info.bus), int(info.device)


def _is_split(api: Any, board: Any) -> bool:
    try:
        current, _pending = api.nvmlDeviceGetMigMode(board)
    except api.NVMLError:
        return False
    return bool(current)


def _handle(api: Any, uuid: str) -> Any:
    by_uuid: Callable[[bytes], Any] = api.nvmlDeviceGetHandleByUUID
    return by_uuid(uuid.encode())


def _text(value: object) -> str:
    """Older versions of the library return bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)
