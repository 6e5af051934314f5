"""PyTorch's TunableOp: it times every kernel of the library for a shape when it first sees it. Stdlib only.

That takes minutes a shape, so it is paused while hundreds of shapes are scouted, and only the few that are
confirmed are tuned, before any of them is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perftrack.core.ceiling import Shape


class TunableOp:
    """`run`: one product of a shape, waited for, with operands of its own."""

    def __init__(self, tunable: Any, run: Callable[[Shape], None]) -> None:
        self._tunable = tunable
        self._run = run

    def pause(self) -> None:
        self._tunable.tuning_enable(False)

    def tune(self, shape: Shape) -> None:
        self._tunable.tuning_enable(True)
        try:
            self._run(shape)
        finally:
            self._tunable.tuning_enable(False)


def find_tunable(torch: Any, kind: str) -> Any | None:
    """torch.cuda.tunable where it is switched on for this process, else None."""
    if kind not in ("cuda", "rocm"):
        return None
    tunable = getattr(torch.cuda, "tunable", None)
    return tunable if tunable is not None and tunable.is_enabled() else None
