"""What share of its ceiling a result reaches. Pure; standard library only.

A benchmark that declares its flops is held against the MAMF, and the MSMF, of the type it multiplies; one that
declares its bytes against the faster of copy and triad, of the L2 where its data stay there. The share that is
shown is the largest of them: the limit that the work is nearest to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perftrack.core.ceiling import CeilingKind, DataType, Definition
from perftrack.core.ceilingcase import dtype_of
from perftrack.core.model import Cache, Interval, Measurement, Params

FLOPS = (Definition.MAMF, Definition.MSMF)
DEVICE_BYTES = (Definition.COPY_DEVICE, Definition.TRIAD_DEVICE)
L2_BYTES = (Definition.COPY_L2, Definition.TRIAD_L2)
NAMES = {
    CeilingKind.MAMF: "MAMF", CeilingKind.MSMF: "MSMF", CeilingKind.COPY: "copy", CeilingKind.TRIAD: "triad",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredCeiling:
    """A ceiling as the store knows it. `key`: the fingerprint key that it holds for; `l2_bytes` of its device.

    `complete`: its search was not cut short; `validated`: by telemetry. `tuned`: with knobs that change what its
    definition means.
    """

    key: str
    definition: Definition
    dtype: DataType | None
    value: float
    interval: Interval | None
    run_id: str
    sha: str
    started_at: float
    complete: bool = True
    validated: bool = True
    tuned: bool = False

    @property
    def name(self) -> str:
        """`MAMF bfloat16`, `copy`, `copy L2`."""
        parts = [NAMES[self.definition.kind]]
        if self.dtype is not None:
            parts.append(self.dtype.value)
        if self.definition in L2_BYTES:
            parts.append("L2")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Work:
    """What one call of a case declares, the case's names for its type, and how its cache was."""

    flops: float | None
    bytes_moved: float | None
    params: Params = ()
    tags: tuple[str, ...] = ()
    cache: Cache = Cache.COLD


@dataclass(frozen=True, slots=True)
class Share:
    """`value`: rate over the ceiling's; `interval`: its least and most, from the ends of both intervals."""

    ceiling: StoredCeiling
    value: float
    interval: Interval | None


def shares(
    seconds: float | None,
    interval: Interval | None,
    work: Work,
    ceilings: Sequence[StoredCeiling],
    l2_bytes: float | None = None,
) -> tuple[Share, ...]:
    """Shares of a time, the largest first; empty where nothing is declared or no ceiling is known.

    `ceilings`: those of the measurement's own environment. `l2_bytes`: up to which data may stay in the L2 cache;
    None reads every amount as memory's.
    """
    if seconds is None or seconds <= 0:
        return ()
    found: list[Share] = []
    if work.flops:
        dtype = dtype_of(work.params, work.tags) or _only_type(ceilings)
        chosen = [c for c in ceilings if c.definition in FLOPS and c.dtype is dtype and dtype is not None]
        found += [_share(work.flops, seconds, interval, c) for c in chosen]
    if work.bytes_moved:
        in_cache = work.cache is Cache.HOT and l2_bytes is not None and work.bytes_moved <= l2_bytes
        places = [c for c in ceilings if c.definition in (L2_BYTES if in_cache else DEVICE_BYTES)]
        fastest = max(places, key=lambda c: c.value, default=None)
        if fastest is not None:
            found.append(_share(work.bytes_moved, seconds, interval, fastest))
    return tuple(sorted(found, key=_order, reverse=True))


def nearest(found: Sequence[Share]) -> Share | None:
    """The one for a column: the largest share of a limit that bounds the work, which MSMF, a mean, does not."""
    return next((s for s in found if s.ceiling.definition is not Definition.MSMF), found[0] if found else None)


def _order(share: Share) -> tuple[bool, float]:
    return share.ceiling.definition is not Definition.MSMF, share.value


def _only_type(ceilings: Sequence[StoredCeiling]) -> DataType | None:
    """Where products of one type alone were measured, it is the one that people of this project use."""
    types = {c.dtype for c in ceilings if c.definition in FLOPS}
    return types.pop() if len(types) == 1 else None


def _share(amount: float, seconds: float, interval: Interval | None, ceiling: StoredCeiling) -> Share:
    ends = None
    if interval is not None and interval.lo > 0:
        least = ceiling.interval.lo if ceiling.interval and ceiling.interval.lo > 0 else ceiling.value
        most = ceiling.interval.hi if ceiling.interval else ceiling.value
        ends = Interval(amount / interval.hi / most, amount / interval.lo / least)
    return Share(ceiling, amount / seconds / ceiling.value, ends)


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Those in force, by fingerprint key. `l2_bytes`: of the device, where it is known."""

    by_key: Mapping[str, tuple[StoredCeiling, ...]] = field(default_factory=dict)
    l2_bytes: Mapping[str, float] = field(default_factory=dict)

    def shares(self, measurement: Measurement) -> tuple[Share, ...]:
        """Shares of a measured time, as `shares` has them; empty for anything else."""
        if measurement.fingerprint is None or measurement.metric != "time" or not self.by_key:
            return ()
        work = Work(
            measurement.flops,
            measurement.bytes_moved,
            measurement.case.params,
            measurement.tags,
            measurement.protocol.cache,
        )
        return self.shares_of(measurement.fingerprint.key_id, measurement.value, measurement.interval, work)

    def shares_of(
        self, key: str, seconds: float | None, interval: Interval | None, work: Work
    ) -> tuple[Share, ...]:
        """The same of a time in the environment `key`."""
        return shares(seconds, interval, work, self.by_key.get(key, ()), self.l2_bytes.get(key))
