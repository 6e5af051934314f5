"""A grid of shapes measured once in both regimes on a real device, and its file: what a search can be judged by.

The file is a NumPy archive without pickled objects. Iterations are rows padded with NaN:

    meta                                       JSON: version, and the device's facts
    shapes            (s, 3)                   m, n, k
    boost_seconds, boost_clock, boost_power    (s, i): one burst after an idle pause, in the order run
    held_seconds, held_clock, held_power       (s, j): one burst on a hot device, evenly thinned
    held_period       (s,)                     seconds from one iteration to the next
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perftrack.ceiling.protocols import Burst, RigFacts
from perftrack.core.ceiling import DataType, Shape
from perftrack.errors import DeviceError, InvalidValueError

VERSION = 1
KEPT = 64  # iterations of a hot burst that are kept
MOST_SHAPES, MOST_KEPT = 200_000, 4096

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One shape in both regimes. `period_s`: from one hot iteration to the next, gap included."""

    boost: Burst
    held: Burst
    period_s: float

    @property
    def shape(self) -> Shape:
        return self.held.shape


@dataclass(frozen=True, slots=True)
class Grid:
    """What was recorded of one device."""

    facts: RigFacts
    entries: tuple[Recorded, ...]

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return tuple(e.shape for e in self.entries)


def merge(grids: Sequence[Grid]) -> Grid:
    """Parts of one grid together; of a shape in several, the first. Raises InvalidValueError for two devices."""
    if not grids:
        raise InvalidValueError("no grids to merge")
    first = grids[0].facts
    for grid in grids[1:]:
        if (grid.facts.product, grid.facts.dtype) != (first.product, first.dtype):
            raise InvalidValueError(
                f"grids of {first.product} in {first.dtype} and {grid.facts.product} in {grid.facts.dtype} differ"
            )
    entries = {e.shape: e for grid in reversed(grids) for e in grid.entries}
    return Grid(first, tuple(entries.values()))


def thinned(burst: Burst, count: int = KEPT) -> Burst:
    """At most `count` iterations, evenly spaced, so that their mean is the burst's."""
    every = len(burst.seconds)
    if every <= count:
        return burst
    at = [i * every // count for i in range(count)]

    def pick(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[i] for i in at) if values else ()

    return replace(
        burst,
        seconds=pick(burst.seconds),
        clock_mhz=pick(burst.clock_mhz),
        power_w=pick(burst.power_w),
    )


def save_grid(path: Path, grid: Grid) -> None:
    """Write the file, whole or not at all. Raises DeviceError where it can't be written."""
    columns: dict[str, Any] = {
        "meta": np.array(json.dumps({"version": VERSION, "facts": asdict(grid.facts)})),
        "shapes": np.array([(s.m, s.n, s.k) for s in grid.shapes], dtype=np.int64).reshape(-1, 3),
        "held_period": np.array([e.period_s for e in grid.entries], dtype=np.float64),
    }
    for regime, bursts in (("boost", [e.boost for e in grid.entries]), ("held", [e.held for e in grid.entries])):
        columns[f"{regime}_seconds"] = _rows(b.seconds for b in bursts)
        columns[f"{regime}_clock"] = _rows(b.clock_mhz for b in bursts)
        columns[f"{regime}_power"] = _rows(b.power_w for b in bursts)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            np.savez_compressed(file, **columns)
        partial.replace(path)
    except OSError as error:
        raise DeviceError(f"can't write the grid {path}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def load_grid(path: Path) -> Grid:
    """Read the file. Raises DeviceError naming it and what is wrong; nothing in it is executed."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return _grid(lambda name: archive[name])
    except OSError as error:
        raise DeviceError(f"can't read the grid {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, MemoryError, EOFError, zipfile.BadZipFile) as error:
        raise DeviceError(f"{path} is not a recorded grid: {type(error).__name__}: {error}") from error


def _grid(column: Callable[[str], Any]) -> Grid:
    meta = json.loads(str(column("meta")))
    if meta["version"] != VERSION:
        raise ValueError(f"version {meta['version']!r}; this perftrack reads {VERSION}")
    sizes = np.asarray(column("shapes"))
    if sizes.ndim != 2 or sizes.shape[1] != 3 or not np.issubdtype(sizes.dtype, np.integer):
        raise ValueError(f"shapes of {sizes.dtype} {sizes.shape}")
    if not 0 < len(sizes) <= MOST_SHAPES or sizes.min() < 1:
        raise ValueError(f"{len(sizes)} shapes, the smallest size {sizes.min(initial=1)}")
    shapes = [Shape(*map(int, row)) for row in sizes]
    boosts, helds = (_bursts(column, regime, shapes) for regime in ("boost", "held"))
    periods = _column(column("held_period"), len(shapes), 1)
    if not (np.isfinite(periods) & (periods > 0)).all():
        raise ValueError("a period that is no time")
    rows = zip(boosts, helds, periods.tolist(), strict=True)
    return Grid(_facts(meta["facts"]), tuple(Recorded(b, h, p) for b, h, p in rows))


def _bursts(column: Callable[[str], Any], regime: str, shapes: Sequence[Shape]) -> list[Burst]:
    seconds, clock, power = (
        _column(column(f"{regime}_{name}"), len(shapes), 2) for name in ("seconds", "clock", "power")
    )
    bursts = []
    for i, shape in enumerate(shapes):
        taken = seconds[i][~np.isnan(seconds[i])]
        if not len(taken) or not (np.isfinite(taken) & (taken > 0)).all():
            raise ValueError(f"{shape}: no seconds, or some that are no time")
        bursts.append(
            Burst(shape, tuple(taken.tolist()), _readings(clock[i], len(taken)), _readings(power[i], len(taken)))
        )
    return bursts


def _readings(row: Floats, count: int) -> tuple[float | None, ...]:
    """A row of clocks or powers; empty where none was read, None for gaps."""
    values = tuple(None if np.isnan(v) else float(v) for v in row[:count])
    return () if all(v is None for v in values) else values + (None,) * (count - len(values))


def _column(values: Any, length: int, dimensions: int) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != dimensions or len(found) != length or (dimensions == 2 and found.shape[1] > MOST_KEPT):
        raise ValueError(f"a column of shape {found.shape} for {length} shapes")
    return found


def _rows(rows: Iterable[Sequence[float | None]]) -> Floats:
    kept = [[np.nan if v is None else v for v in row] for row in rows]
    width = max(map(len, kept), default=0)
    return np.array([row + [np.nan] * (width - len(row)) for row in kept], dtype=np.float64).reshape(
        len(kept), width
    )


def _facts(data: dict[str, Any]) -> RigFacts:
    tile = data.pop("tile_hint")
    return RigFacts(**{**data, "dtype": DataType(data["dtype"]), "tile_hint": tuple(tile) if tile else None})
