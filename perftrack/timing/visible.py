"""Which physical cards a process may use: CUDA_VISIBLE_DEVICES and its relatives, parsed as the driver does.

The variable is a list of positions, of card UUIDs (a unique beginning is enough), or of MIG slices. The
list ends at the first entry that is not valid: cards before it are visible, those after it are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from perftrack.errors import DeviceError

_HINT = "check CUDA_VISIBLE_DEVICES"


class Form(StrEnum):
    INDEX = "index"
    UUID = "uuid"
    MIG = "mig"


@dataclass(frozen=True, slots=True)
class Selector:
    """One visible device: its position, the beginning of its UUID (`GPU-…`), or its slice (`MIG-…`)."""

    form: Form
    text: str

    @property
    def position(self) -> int:
        return int(self.text)


def parse_visible(value: str | None) -> tuple[Selector, ...] | None:
    """The devices that the variable leaves visible, in the process's own order; None if it is not set.

    Empty where it hides every card: `""`, `-1`, `NoDevFiles`, anything unreadable, a repeated entry.
    """
    if value is None:
        return None
    found: list[Selector] = []
    for item in value.split(","):
        selector = _selector(item.strip())
        if selector is None or (found and selector.form is not found[0].form):
            break
        if selector in found:
            return ()
        found.append(selector)
    return tuple(found)


def _selector(item: str) -> Selector | None:
    if item.startswith("GPU-"):
        return Selector(Form.UUID, item)
    if item.startswith("MIG-"):
        return Selector(Form.MIG, item)
    # As strtoul reads it: digits, and whatever follows them is ignored. A sign ends the list.
    digits = re.match(r"\d+", item)
    return Selector(Form.INDEX, str(int(digits[0]))) if digits else None


def match_uuid(selector: Selector, uuids: Sequence[str]) -> int:
    """Position in `uuids` of the one card that the selector names. Raises DeviceError for none or several."""
    wanted = selector.text.lower()
    found = [i for i, uuid in enumerate(uuids) if uuid.lower().startswith(wanted)]
    if len(found) != 1:
        what = "several cards" if found else "no card"
        raise DeviceError(f"{selector.text} names {what} of this host", _HINT)
    return found[0]


def slice_of(selector: Selector) -> tuple[str, int, int] | None:
    """(card UUID, GPU instance, compute instance) of the older form `MIG-GPU-<uuid>/<gi>/<ci>`, else None."""
    match = re.fullmatch(r"MIG-(GPU-[0-9A-Fa-f-]+)/(\d+)/(\d+)", selector.text)
    return (match[1], int(match[2]), int(match[3])) if match else None


def choose(selectors: tuple[Selector, ...] | None, index: int) -> Selector | None:
    """The selector of the device that the process numbers `index`; None where no variable restricts it.

    Raises DeviceError where fewer devices are visible.
    """
    if selectors is None:
        return None
    if index >= len(selectors):
        raise DeviceError(f"the process sees {len(selectors)} card(s), so none is number {index}", _HINT)
    return selectors[index]
