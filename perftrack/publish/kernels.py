"""The kernels page: what profiles say of each case's launches by commit, and where they stand under the roof.

A launch is followed over commits by its kernel's name, its NVTX range and which of several such launches it is;
its grid and block may change and are shown. Durations are the profiler's own, which serialises launches and
flushes caches: they are compared with one another and never with recorded times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from perftrack.core.caseroof import CaseRoof, case_roof
from perftrack.core.launches.kernelname import short
from perftrack.core.launches.launch import Dim3, LaunchSummary, Profile
from perftrack.core.roofline import Declared, Peak, Placement
from perftrack.core.units import format_value
from perftrack.publish import addresses
from perftrack.publish.context import frame
from perftrack.publish.devicepages import KernelsPage
from perftrack.publish.gather import History
from perftrack.publish.packing import PackedFile

Identity = tuple[str, str, int]


def kernels_page(history: History, base_url: str | None) -> KernelsPage:
    return KernelsPage(frame(history, addresses.KERNELS, "Kernels", "kernels", base_url), len(_by_case(history)))


def kernel_list(history: History) -> Mapping[str, object]:
    """Of every profiled case a row: its key, and what the newest profile says."""
    rows = []
    for case, profiles in _by_case(history).items():
        newest, times = profiles[-1], _times(history, case)
        summaries = [launch.summary for launch in newest.launches]
        seconds = [s.duration_s for s in summaries if s.duration_s is not None]
        placed = times.roof(newest.sha).over(newest)
        longest = max(range(len(summaries)), key=lambda i: summaries[i].duration_s or 0.0, default=None)
        rows.append(
            {
                "key": addresses.kernel_key(case),
                "case": case,
                "commits": len(profiles),
                "launches": len(summaries),
                "duration": sum(seconds) if seconds and len(seconds) == len(summaries) else None,
                "longest": "" if longest is None else short(summaries[longest].kernel),
                "bound": "" if longest is None else summaries[longest].bound.value,
                "fraction": None if longest is None else placed[longest].fraction,
                "against": "" if longest is None else placed[longest].against.value,
                "sha": newest.sha,
            }
        )
    names = list(rows[0]) if rows else []
    return {name: [row[name] for row in rows] for name in names}


def kernel_files(history: History) -> Iterator[tuple[str, PackedFile]]:
    """Path and content of each profiled case's file."""
    pages = {s.case.id: addresses.benchmark_page(s.case.benchmark) for s in history.series}
    for case, profiles in _by_case(history).items():
        key = addresses.kernel_key(case)
        document = {"case": case, "page": pages.get(case, ""), **_document(history, case, profiles)}
        yield addresses.kernel_data(key), PackedFile(document)


def _document(history: History, case: str, profiles: Sequence[Profile]) -> dict[str, object]:
    times = _times(history, case)
    identities: dict[Identity, int] = {}
    rows: list[dict[str, object]] = []
    code: dict[Identity, str] = {}
    for at, profile in enumerate(profiles):
        placements = times.roof(profile.sha).over(profile)
        seen: dict[tuple[str, str], int] = {}
        for launch, placement in zip(profile.launches, placements, strict=True):
            s = launch.summary
            nth = seen[s.kernel, s.nvtx] = seen.get((s.kernel, s.nvtx), -1) + 1
            identity = s.kernel, s.nvtx, nth
            before = code.get(identity, "")
            rows.append(
                {
                    "at": at,
                    "launch": identities.setdefault(identity, len(identities)),
                    **_values(s),
                    **_placed(placement),
                    "changed": bool(before and s.code_hash and before != s.code_hash),
                }
            )
            code[identity] = s.code_hash or before
    newest = times.roof(profiles[-1].sha)
    return {
        "profiles": [
            [p.sha, p.taken_at, p.ncu_version, p.clock_control, p.cache_control, p.collection, list(p.limitations)]
            for p in profiles
        ],
        "launches": [[kernel, short(kernel), nvtx, nth] for kernel, nvtx, nth in identities],
        "rows": {name: [row[name] for row in rows] for name in rows[0]} if rows else {},
        "roof": {
            "compute": _peak(newest.compute, "flop/s"),
            "memory": _peak(newest.memory, "B/s"),
        },
    }


def _values(s: LaunchSummary) -> dict[str, object]:
    moved = None
    if s.dram_read_bytes is not None and s.dram_write_bytes is not None:
        moved = s.dram_read_bytes + s.dram_write_bytes
    top = s.top_stalls[0] if s.top_stalls else None
    return {
        "grid": _dims(s.grid),
        "block": _dims(s.block),
        "instances": s.instances,
        "duration": s.duration_s,
        "dram": moved,
        "dram_pct": s.dram_pct,
        "sm_pct": s.sm_pct,
        "occupancy": s.occupancy_achieved_pct,
        "limiter": s.occupancy_limiter or "",
        "registers": s.registers,
        "shared": s.shared_bytes,
        "stall": top.reason if top else "",
        "stall_pct": top.share_pct if top else None,
        "bound": s.bound.value,
    }


def _placed(placement: Placement) -> dict[str, object]:
    return {
        "intensity": placement.intensity,
        "rate": placement.flops_per_s,
        "moved_rate": placement.bytes_per_s,
        "fraction": placement.fraction,
        "side": placement.side.value if placement.side else "",
        "against": placement.against.value,
        "missing": "; ".join(placement.missing),
    }


def _dims(dims: Dim3 | None) -> str:
    if dims is None:
        return ""
    shown = list(dims)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return "×".join(map(str, shown))


def _peak(peak: Peak | None, unit: str) -> list[object] | None:
    return None if peak is None else [peak.name, peak.value, format_value(peak.value, unit)]


class _Times:
    """The recorded time of one case by commit, and the ceilings of the environment that it was taken in."""

    def __init__(self, history: History, at: int | None, case: str) -> None:
        self._history = history
        self._series = None if at is None else history.series[at]
        self._work = history.work.get((case, "time"))
        self._seconds: dict[str, float] = {}
        self._keys: dict[str, str] = {}
        if at is None:
            return
        points = history.points(at)
        for place_ in np.flatnonzero(points.ok & points.clean & np.isfinite(points.value)).tolist():
            sha = history.commits[int(points.commit[place_])].sha
            self._seconds[sha] = float(points.value[place_])
            slot = int(points.lane[place_])
            if slot >= 0:
                self._keys[sha] = history.lanes[slot].lane.fingerprint.key_id

    def roof(self, sha: str) -> CaseRoof:
        work = self._work
        declared = Declared(
            flops=work.flops if work else None,
            bytes=work.bytes_moved if work else None,
            seconds=self._seconds.get(sha),
        )
        if self._series is None:
            return CaseRoof(declared=declared)
        ceilings = self._history.ceilings.by_key.get(self._keys.get(sha, ""), ())
        return case_roof(self._series.case.params, self._series.tags, declared, ceilings)


def _times(history: History, case: str) -> _Times:
    found = (i for i, s in enumerate(history.series) if s.case.id == case and s.metric == "time")
    return _Times(history, next(found, None), case)


def _by_case(history: History) -> dict[str, list[Profile]]:
    """Profiles by case, in the order of commits; those of a commit that the history does not have come first."""
    order = sorted(history.profiles, key=lambda p: (p.case_id, history.commit_index.get(p.sha, -1), p.taken_at))
    by_case: dict[str, list[Profile]] = {}
    for profile in order:
        by_case.setdefault(profile.case_id, []).append(profile)
    return by_case
