"""Names of kernels: one spelling of each for matching, a short one for people. Standard library only."""

from __future__ import annotations

import re
from functools import lru_cache

_CAST = re.compile(r"\([A-Za-z_][\w:]*(?: [A-Za-z_][\w:]*)*\)(?=-?\d|\()")
_GAP = re.compile(r"\s*([<>,])\s*")
_POINTER = re.compile(r"(?<=[\w>])\s*([*&])")
_ANONYMOUS = "(anonymous namespace)"
_ELLIPSIS = "…"
SHOWN = 60


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The one spelling of a demangled name: demanglers differ in casts and blanks, not in what they mean.

    `void f<float, (int)512>(T1 *)`, `void f<float,512>(T1*)` and `void f<float, 512>(T1 *)` are one kernel.
    Template arguments and parameters are kept.
    """
    name = name.replace("<unnamed>", _ANONYMOUS)
    inside = name.find("<")
    if inside >= 0:
        name = name[:inside] + _CAST.sub("", name[inside:])
    name = _GAP.sub(r"\1", " ".join(name.split())).replace(",", ", ")
    return _POINTER.sub(r" \1", name)


def base(name: str) -> str:
    """The name without return type, template arguments and parameters: `at::native::reduce_kernel`."""
    out, depth = [], 0
    for character in _guarded(canonical(name)):
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth = max(0, depth - 1)
        elif not depth:
            out.append(character)
    return _unguarded("".join(out).strip().rsplit(" ", 1)[-1]) or name


def short(name: str, width: int = SHOWN) -> str:
    """For people, at most `width` characters: no parameters and return type, inner template arguments cut."""
    head = _before_parameters(_guarded(canonical(name)))
    opening = head.find("<")
    head = _unguarded(head[head.rfind(" ", 0, opening if opening >= 0 else len(head)) + 1 :])
    if len(head) <= width:
        return head
    opening = head.find("<")
    if opening > 0:
        room = width - len(head[:opening]) - 3
        head = f"{head[:opening]}<{head[opening + 1 :][:room]}{_ELLIPSIS}>" if room > 0 else head[:opening]
    if len(head) > width:
        head = _ELLIPSIS + head[-(width - 1) :]
    return head


def _before_parameters(name: str) -> str:
    """`name` up to its parameter list: the last bracket at the outermost level, if the name ends in one."""
    if not name.endswith(")"):
        return name
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += (name[at] in ")>]") - (name[at] in "(<[")
        if depth == 0:
            return name[:at].rstrip() or name
    return name


def _guarded(name: str) -> str:
    """`name` with its one kind of brackets that groups nothing replaced by a mark without brackets or blanks."""
    return name.replace(_ANONYMOUS, "\0")


def _unguarded(name: str) -> str:
    return name.replace("\0", _ANONYMOUS)
