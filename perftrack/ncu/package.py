"""NVIDIA's `ncu-report` package: the units of metrics, and a second opinion on what a report holds.

It is the only one that knows units, and its exceptions are of every kind: whatever it raises means that it cannot
read the file.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perftrack.errors import ProfileError
from perftrack.ncu.nvtx import spelled

_DEMANGLED = 1  # of the names that a launch has
_TEXT = 2  # kind of a metric whose value is text
# What a result is, by its number in the package: the word that stands for a name where it has none.
_WORKLOADS = {1: "range", 2: "command list", 3: "graph"}
AGAIN = "copy the file again, or take the profile again"


class Package:
    """One report, opened by the package. Launches are numbered through, over all ranges."""

    def __init__(self, context: Any, name: str) -> None:
        self.name = name
        self._places = [
            (found, index)
            for found in (context.range_by_idx(i) for i in range(context.num_ranges()))
            for index in range(found.num_actions())
        ]
        self._context = context  # what its ranges live by

    def __len__(self) -> int:
        return len(self._places)

    def action(self, number: int) -> Any:
        """The launch as the package has it: parsed anew at each call, about a millisecond."""
        found, index = self._places[number]
        with self._blamed():
            action = found.action_by_idx(index)
            if action is not None:
                return action
        raise self._unreadable()

    def kernel(self, action: Any) -> str:
        with self._blamed():
            return str(action.name(_DEMANGLED) or _WORKLOADS.get(action.workload_type(), ""))

    def unit(self, action: Any, metric: str) -> str:
        with self._blamed():
            return str(action.metric_by_name(metric).unit())

    def names(self, action: Any) -> tuple[str, ...]:
        with self._blamed():
            return tuple(action.metric_names())

    def value(self, action: Any, metric: str) -> float | str | None:
        """The aggregate of an instanced metric; None where it has no value."""
        with self._blamed():
            found = action.metric_by_name(metric)
            if found is None or not found.has_value():
                return None
            value = found.value()
            return str(value) if found.kind() == _TEXT else float(value)

    def nvtx(self, action: Any) -> str:
        with self._blamed():
            state = action.nvtx_state()
            domains = () if state is None else [state.domain_by_id(i) for i in sorted(state.domains())]
            return spelled(
                ((d.name(), name) for d in domains for name in d.push_pop_ranges()),
                ((d.name(), name) for d in domains for name in d.start_end_ranges()),
            )

    @contextlib.contextmanager
    def _blamed(self) -> Iterator[None]:
        try:
            yield
        except ProfileError:
            raise
        except Exception as error:  # any: see above
            raise self._unreadable() from error

    def _unreadable(self) -> ProfileError:
        return ProfileError(f"{self.name}: damaged report: NVIDIA's reader cannot read a launch of it", AGAIN)


@contextlib.contextmanager
def opened(report: Path | bytes, name: str) -> Iterator[Package]:
    """The report, opened. Raises ProfileError where the package is not installed or refuses the file."""
    module = load()
    with tempfile.TemporaryDirectory(prefix="perftrack-ncu-") as folder:
        path = report if isinstance(report, Path) else Path(folder) / "report.ncu-rep"
        if isinstance(report, bytes):
            path.write_bytes(report)
        try:
            package = Package(module.load_report(str(path)), name)
        except Exception as error:  # any: see above
            raise ProfileError(f"{name}: damaged report: NVIDIA's reader refuses it ({error})", AGAIN) from error
        yield package


def load() -> Any:
    """The package's module. Raises ProfileError, naming the extra, where it is not installed or does not load."""
    try:
        import ncu_report
    except (ImportError, OSError) as error:
        raise ProfileError(
            "reading a .ncu-rep needs NVIDIA's package ncu-report, which is not installed here",
            'install it with: pip install "perftrack-gpu[ncu]"; CSV needs no package: '
            "ncu --import FILE --page raw --csv",
        ) from error
    return ncu_report
