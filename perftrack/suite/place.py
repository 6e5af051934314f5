"""Where a declaration stands: the function's own place, or that of the statement which declared it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType


def place_of(target: object) -> tuple[str, int]:
    """File and line of a decorated function, asked for while it is being decorated.

    A function that the module being imported does not define itself (one of another file, a builtin, a value
    that is no function at all) stands where that module declares it.
    """
    frame = _module_frame()
    code = code_of(target)
    if code is not None and (frame is None or code.co_filename == frame.f_code.co_filename):
        return code.co_filename, code.co_firstlineno
    return ("", 1) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def code_of(target: object) -> CodeType | None:
    """The code of the Python function or method under a target's wrappers; None where it has none."""
    if callable(target):
        try:
            target = inspect.unwrap(target)
        except ValueError:  # wrappers that go round in a circle
            return None
    code = getattr(target, "__code__", None)
    return code if isinstance(code, CodeType) else None


def source_of(function: Callable[..., object]) -> str:
    """The function's source; where that is lost, its code."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError, ValueError, SyntaxError):
        code = code_of(function)
        return repr((code.co_code, code.co_consts, code.co_names)) if code else ""


def _module_frame() -> FrameType | None:
    """The innermost file that is being imported: helpers it calls stand between it and the decorator."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "<module>" and not code.co_filename.startswith("<"):
            return frame
        frame = frame.f_back
    return None
