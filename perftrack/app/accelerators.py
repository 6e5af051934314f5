"""The accelerators that a recording is spread over, and how a process is confined to one of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from perftrack.errors import UsageError
from perftrack.timing.nvml import card_names

ALL = "all"
# What the frameworks of a kind go by. torch's ROCm build reads CUDA's name too, but not all of ROCm does.
_VISIBLE = {"rocm": "HIP_VISIBLE_DEVICES", "xpu": "ZE_AFFINITY_MASK", "hpu": "HABANA_VISIBLE_MODULES"}
_CUDA = "CUDA_VISIBLE_DEVICES"
_NONE = ("cpu", "mps")


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One device by its number among the visible ones. `variables`: what makes a process see it alone."""

    number: int
    variables: Mapping[str, str] = field(default_factory=dict)


def accelerators(given: str, kind: str, environ: Mapping[str, str] = os.environ) -> tuple[Accelerator, ...]:
    """The devices that `--devices` names: numbers as in `0,1`, or `all`; none where it is empty.

    Raises UsageError for what are no numbers, a number twice or past the visible devices, and for `all` where
    their count cannot be read.
    """
    if not given:
        return ()
    if kind in _NONE:
        raise UsageError(f"--devices spreads commits over accelerators, and the device is {kind}", "Leave it out.")
    variable = _VISIBLE.get(kind, _CUDA)
    visible = _visible(variable, environ)
    if given == ALL:
        if not visible:
            hint = "Name the devices (--devices 0,1), or set " + variable + "."
            raise UsageError("--devices all: how many devices there are cannot be read here", hint)
        numbers = list(range(len(visible)))
    else:
        numbers = _numbers(given)
        if visible and (past := [n for n in numbers if n >= len(visible)]):
            raise UsageError(f"--devices {given}: there is no device {past[0]}; {len(visible)} can be seen")
    return tuple(Accelerator(n, {variable: visible[n] if visible else str(n)}) for n in numbers)


def _numbers(given: str) -> list[int]:
    items = [item.strip() for item in given.split(",")]
    if not all(item.isascii() and item.isdigit() for item in items):
        raise UsageError(f"--devices {given!r}: expected numbers of devices", 'Such as "0,1", or "all".')
    numbers = [int(item) for item in items]
    if len(set(numbers)) < len(numbers):
        raise UsageError(f"--devices {given}: a device is named twice")
    return numbers


def _visible(variable: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """How the visible devices are named; empty where their number is not known."""
    if environ.get(variable):
        return tuple(item.strip() for item in environ[variable].split(","))
    return tuple(map(str, range(len(card_names())))) if variable == _CUDA else ()
