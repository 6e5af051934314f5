"""A replay file: scripted samples and evidence per case, for the replay device and its telemetry.

The environment variable PERFTRACK_REPLAY names a JSON file. A relative path is looked up in the current
directory, so a file that is committed follows the commit that is checked out.

    {"resolution_s": 1e-9,                 the timer's step; 1e-9 if absent
     "seed": 1,                            of the noise; 0 if absent
     "fingerprint": {"gpu_name": "X"},     fields of the environment's fingerprint
     "cases": {"matmul[n=64]": {"time": SCRIPT, ...}, ...},
     "ceiling": {"seed": 1, ...}}          numbers of the card on paper whose ceilings are sought (app.rigreplay)

A SCRIPT is an object with either of

    "samples": [[1.0e-3, 1.1e-3, ...], ...]   seconds per call: one list per process, in the order taken;
                                              a flat list serves every process; a list starts over at its end
    "level": 1e-3, or [1e-3, 1.2e-3]          one level, or one per process (the last serves the rest), with
    "noise": 0.01                             log-normal noise of this standard deviation on each sample,
    "drift": 0.001                            and this relative step from each window to the next

and, all optional: "fail": "text" (every window of the case fails so) or {"process": 1, "message": "text"};
"host_s"; "locked": true; "exclusivity": "exclusive" | "shared" | "unknown"; and the evidence of each
window, as one value or a list with one per window: "clock_mhz" (a list of readings, or a list of such
lists), "event_reasons", "throttle_s", "power_w", "energy_j", "temperature_c".

Its fingerprint has the device kind `replay`, so nothing replayed is ever compared with something measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from perftrack.core.fingerprint import EnvironmentFingerprint, decode_value
from perftrack.core.model import Evidence
from perftrack.core.tiers import Exclusivity
from perftrack.errors import DeviceError, InvalidValueError

T = TypeVar("T")

EVIDENCE_KEYS = ("event_reasons", "throttle_s", "power_w", "energy_j", "temperature_c")
_SCRIPT_KEYS = {
    "samples", "level", "noise", "drift", "fail", "host_s", "locked", "exclusivity", "clock_mhz", *EVIDENCE_KEYS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Script:
    """What one metric of one case replays. `levels` and `samples`: one entry per process."""

    samples: tuple[tuple[float, ...], ...] = ()
    levels: tuple[float, ...] = ()
    noise: float = 0.0
    drift: float = 0.0
    fail: str = ""
    fail_process: int | None = None
    host_s: float | None = None
    locked: bool = False
    exclusivity: Exclusivity = Exclusivity.UNKNOWN
    evidence: tuple[Evidence, ...] = ()

    def middle(self, process: int) -> float:
        """Seconds per call about which the process's samples lie."""
        return median(pick(self.samples, process)) if self.samples else pick(self.levels, process)


@dataclass(frozen=True, slots=True)
class Recording:
    """A parsed replay file."""

    path: Path
    resolution_s: float
    seed: int
    fingerprint: EnvironmentFingerprint
    scripts: Mapping[tuple[str, str], Script]
    ceiling: Mapping[str, float] = field(default_factory=dict)


def read_recording(path: Path) -> Recording:
    """Parse a replay file. Raises DeviceError naming the file and the place that is wrong."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        cases = data["cases"]
        scripts = {
            (str(case), str(metric)): _script(script)
            for case, metrics in cases.items()
            for metric, script in metrics.items()
        }
        fields: dict[str, Any] = {n: decode_value(v) for n, v in data.get("fingerprint", {}).items()}
        fingerprint = EnvironmentFingerprint(**{**fields, "device_kind": "replay"})
        ceiling = {str(name): _number(value) for name, value in data.get("ceiling", {}).items()}
        return Recording(
            path, float(data.get("resolution_s", 1e-9)), int(data.get("seed", 0)), fingerprint, scripts, ceiling
        )
    except OSError as error:
        raise DeviceError(f"can't read the recording {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, InvalidValueError) as error:
        raise DeviceError(f"{path} is not a recording: {type(error).__name__}: {error}") from error


def _script(data: Mapping[str, object]) -> Script:
    if extra := sorted(set(data) - _SCRIPT_KEYS):
        raise ValueError(f"unknown key(s) {', '.join(extra)}")
    samples, levels = _rows(data.get("samples")), _row(data.get("level"))
    fail = data.get("fail", "")
    if not isinstance(fail, Mapping):
        fail = {"message": fail}
    if bool(samples) == bool(levels) and not fail["message"]:
        raise ValueError('a script has either "samples" or "level"')
    process, host_s = fail.get("process"), data.get("host_s")
    return Script(
        samples=samples,
        levels=levels or (() if samples else (1.0,)),
        noise=_number(data.get("noise", 0.0)),
        drift=_number(data.get("drift", 0.0)),
        fail=str(fail["message"]),
        fail_process=None if process is None else int(_number(process)),
        host_s=None if host_s is None else _number(host_s),
        locked=data.get("locked") is True,
        exclusivity=Exclusivity(str(data.get("exclusivity", "unknown"))),
        evidence=_evidence(data),
    )


def _evidence(data: Mapping[str, object]) -> tuple[Evidence, ...]:
    """One per window; as many as the longest list has, the last serving the windows after it."""
    clocks = _rows(data.get("clock_mhz")) or ((),)
    columns = {key: _row(data[key]) for key in EVIDENCE_KEYS if key in data}
    length = max(len(clocks), *map(len, columns.values())) if columns else len(clocks)

    def at(key: str, window: int) -> float | None:
        return pick(columns[key], window) if key in columns else None

    reasons = [at("event_reasons", i) for i in range(length)]
    return tuple(
        Evidence(
            clock_mhz=pick(clocks, i),
            event_reasons=None if reasons[i] is None else int(reasons[i] or 0),
            throttle_s=at("throttle_s", i),
            power_w=at("power_w", i),
            energy_j=at("energy_j", i),
            temperature_c=at("temperature_c", i),
        )
        for i in range(length)
    )


def _rows(value: object) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list) or not value:
        return ()
    rows = value if isinstance(value[0], list) else [value]
    return tuple(_row(row) for row in rows)


def _row(value: object) -> tuple[float, ...]:
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    if not items:
        raise ValueError("an empty list of samples")
    return tuple(_number(item) for item in items)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def pick(items: Sequence[T], index: int) -> T:
    """The item of this process or window; the last one serves those beyond it."""
    return items[min(index, len(items) - 1)]
