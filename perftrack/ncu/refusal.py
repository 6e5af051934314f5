"""Why a file of ncu has no launches, in its own words and with what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from perftrack.errors import ProfileError
from perftrack.ncu.header import Header
from perftrack.ncu.raw import RawLaunch
from perftrack.ncu.remarks import Remarks
from perftrack.ncu.source import Lines

_PERMISSION = (
    "Let all users read performance counters: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into "
    "/etc/modprobe.d/nvidia.conf, rebuild the initramfs and reboot; or run ncu as root; in a container add "
    "--cap-add=SYS_ADMIN. https://developer.nvidia.com/ERR_NVGPUCTRPERM"
)
_REPLAY = (
    "Run the program without ncu, then with --set basic and --replay-mode application: a kernel that fails, or "
    "that cannot be repeated on the same memory, cannot be profiled in several passes."
)
# What ncu says, and what helps; the first that matches.
_ERRORS = (
    (re.compile(r"ERR_NVGPUCTRPERM|permission to access NVIDIA GPU Performance Counters"), _PERMISSION),
    (re.compile(r"LaunchFailed|[Ff]ailed to (?:profile|prepare)|error was reported by the driver"), _REPLAY),
    (re.compile(r"[Mm]etric|[Ss]ection"), "See what this ncu knows: ncu --query-metrics, ncu --list-sections"),
    (re.compile(r"not support"), "ncu needs a device of compute capability 7.0 or later."),
    (re.compile(r"error code|exited|terminated"), "Run the program without ncu: it ended with an error."),
)
_DOCTOR = "perftrack doctor --device cuda says what is missing."
_REPORT = re.compile(rb"\s*==PROF== Report: (\S.*)")
_SHOWN = 20  # kernels
# Metrics that are known of a launch without counting anything.
_SHAPE = "Launch Statistics"
_ATTRIBUTES = ("launch__", "device__attribute_", "nvlink__", "numa__", "c2clink__", "profiler__")


def refuse_without_launches(text: Lines, remarks: Remarks, headers: Sequence[Header]) -> ProfileError | None:
    """The error for output of ncu that has no launches; None where it is none of ncu."""
    error = next(remarks.errors(), None)
    if error is not None:
        at, said = error
        hint = next((hint for pattern, hint in _ERRORS if pattern.search(said)), _DOCTOR)
        return ProfileError(f"{text.name}:{at + 1}: ncu profiled nothing: {said}", hint)
    nothing = remarks.no_kernels()
    if nothing is not None:
        return _no_kernels(text.name, *nothing)
    report = _first(text, _REPORT)
    if report is not None:
        at, found = report
        message = (
            f"{text.name}:{at + 1}: the data is in the report {found[1].decode().strip()}, not in this output"
        )
        return ProfileError(message, "Read that report.")
    if headers:
        message = "titles of a table and no rows: the file is cut off, or nothing was profiled"
        return ProfileError(
            f"{text.name}:{headers[-1].line + 1}: {message}",
            "Export it again: ncu --import REPORT.ncu-rep --csv --page raw",
        )
    return None


def _first(text: Lines, pattern: re.Pattern[bytes]) -> tuple[int, re.Match[bytes]] | None:
    return next(((at, found) for at, line in enumerate(text.lines) if (found := pattern.match(line))), None)


def _no_kernels(name: str, at: int, offered: Sequence[str]) -> ProfileError:
    message = f"{name}:{at + 1}: ncu profiled no kernels"
    if not offered:
        return ProfileError(
            message, "Does the program launch any? For those of its children: --target-processes all"
        )
    more = f" and {len(offered) - _SHOWN} more" if len(offered) > _SHOWN else ""
    return ProfileError(
        f"{message}; the program launched {', '.join(offered[:_SHOWN])}{more}",
        "Widen --kernel-name, --launch-skip, --launch-count or the NVTX filter.",
    )


def with_data(launches: Iterable[RawLaunch], is_failed: bool) -> tuple[tuple[RawLaunch, ...], tuple[str, ...]]:
    """The launches that have data, and a note for each that has none.

    Where ncu reported an error, data is a counter; attributes of launch and device are there before it counts.
    """
    kept: list[RawLaunch] = []
    notes: list[str] = []
    is_sure = False
    for launch in launches:
        if is_failed or not is_sure:
            has_data = _has_data(launch, is_failed)
            is_sure = is_sure or has_data
            if is_failed and not has_data:
                notes.append(f"launch {launch.id} ({launch.kernel}) has no data: profiling it failed")
                continue
        kept.append(launch)
    return (tuple(kept) if is_sure else ()), tuple(notes)


def _has_data(launch: RawLaunch, is_failed: bool) -> bool:
    counters = launch.by_name()
    for name in counters.names:
        if is_failed and name.startswith(_ATTRIBUTES):
            continue
        found = (c for c in counters.named(name) if not (is_failed and c.section == _SHAPE))
        if any(isinstance(counter.value, float) for counter in found):
            return True
    return False
