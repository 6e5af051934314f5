"""The NVTX ranges that a launch stood in, from a report file: the message `NvtxState`, by field numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from perftrack.ncu.wire import LENGTH, Field, WireError, fields, text

DEFAULT_DOMAIN = "<default domain>"
_WHOLE_PROCESS = 1  # scope of push/pop ranges: those of every thread count


def spelled(pushed: Iterable[tuple[str, str]], started: Iterable[tuple[str, str]]) -> str:
    """Open ranges, each as (domain, name), as the profiler's `--nvtx-include` spells them.

    `outer/inner` for pushed ones, outermost first; `domain@outer/inner` outside the default domain, whose name may
    be empty; started ones, and those of further domains, behind commas.
    """
    shown = []
    for ranges, separator in ((pushed, "/"), (started, ",")):
        domains: dict[str, list[str]] = {"": []}
        for domain, name in ranges:
            domains.setdefault("" if domain == DEFAULT_DOMAIN else domain, []).append(name)
        shown += [
            f"{d}@{separator.join(names)}" if d else separator.join(names) for d, names in domains.items() if names
        ]
    return ",".join(shown)


def ranges_of(data: bytes, state: Field, thread: int) -> str:
    """The ranges that were open: pushed ones of the launching thread, and started ones."""
    if state.wire != LENGTH:
        raise WireError(state.start, "an NVTX state that is none")
    domains: dict[int, str] = {}
    stacks: list[tuple[Field, bool]] = []
    started: list[Field] = []
    default = scope = 0
    for found in fields(data, state.start, state.end):
        if found.number == 1:
            number, name = _domain(data, found)
            domains[number] = name
        elif found.number == 2:
            mine, pushed = _thread(data, found, thread)
            stacks += [(stack, mine) for stack in pushed]
        elif found.number == 3:
            started.append(found)
        elif found.number == 4:
            default = found.value
        elif found.number == 5:
            scope = found.value
    domains[default] = ""
    mine_only = [stack for stack, mine in stacks if mine or scope == _WHOLE_PROCESS]
    return spelled(
        (one for stack in mine_only for one in _open(data, stack, 1, domains)),
        (one for stack in started for one in _open(data, stack, 2, domains)),
    )


def _domain(data: bytes, message: Field) -> tuple[int, str]:
    number, name = 0, ""
    for found in fields(data, message.start, message.end):
        if found.number == 1:
            number = found.value
        elif found.number == 2:
            name = text(data, found)
    return number, name


def _thread(data: bytes, message: Field, thread: int) -> tuple[bool, list[Field]]:
    """Whether it is the launching thread, and its stacks of pushed ranges, one a domain."""
    inner = tuple(fields(data, message.start, message.end))
    return any(f.number == 1 and f.value == thread for f in inner), [f for f in inner if f.number == 2]


def _open(data: bytes, stack: Field, name_field: int, domains: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Domain and name of each open range from the outermost in."""
    domain = next((f.value for f in fields(data, stack.start, stack.end) if f.number == 1), 0)
    for found in fields(data, stack.start, stack.end):
        if found.number != 3:
            continue
        for inner in fields(data, found.start, found.end):
            if inner.number == name_field and inner.wire == LENGTH:
                yield domains.get(domain, ""), text(data, inner)
