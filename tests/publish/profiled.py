"""A made-up history whose first GPU case has profiles and measured ceilings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perftrack.core.ceiling import DataType, Definition
from perftrack.core.launches.launch import Bound, Launch, LaunchSummary, Profile, Stall
from perftrack.core.share import Ceilings, StoredCeiling
from tests.publish.synthetic import SyntheticHistory

CASE = "matmul[dtype=bf16,n=1024]"
KERNEL = "void gemm<(int)128, float>(float const*, float*)"
LAUNCH = LaunchSummary(
    KERNEL,
    grid=(64, 1, 1),
    block=(128, 1, 1),
    duration_s=1e-3,
    dram_read_bytes=3e9,
    dram_write_bytes=1e9,
    dram_pct=80.0,
    sm_pct=20.0,
    occupancy_achieved_pct=62.5,
    occupancy_limiter="registers",
    registers=64.0,
    shared_bytes=2048.0,
    flops=2e10,
    top_stalls=(Stall("long scoreboard", 10.0, 71.0, "pcsamp"),),
    bound=Bound.MEMORY,
    code_hash="aa",
)
SECOND = replace(
    LAUNCH,
    kernel="reduce",
    duration_s=1e-5,
    dram_read_bytes=8e6,
    dram_write_bytes=1e6,
    occupancy_achieved_pct=35.0,
    registers=16.0,
    flops=None,
    top_stalls=(Stall("barrier", 4.0, 40.0, "pcsamp"),),
    bound=Bound.LATENCY,
)


class Profiled(SyntheticHistory):
    """Every commit is profiled; from the third on the product uses other code and twice the registers."""

    case = CASE

    def profiles(self) -> Sequence[Profile]:
        made = []
        for at, commit in enumerate(self.commits()):
            later = at >= 2
            first = replace(LAUNCH, registers=128.0, duration_s=1.5e-3, code_hash="bb") if later else LAUNCH
            taken = Profile(commit.sha, self.case, 1.8e9 + at, (Launch(first), Launch(SECOND), Launch(SECOND)))
            made.append(replace(taken, ncu_version="2025.3.1", clock_control="none", collection="basic"))
        return made

    def ceilings(self) -> Ceilings:
        keys = {lane.fingerprint.key_id for lane in self.lanes()}
        peak = StoredCeiling("", Definition.MAMF, DataType.BFLOAT16, 8e14, None, "r", "s", 0.0)
        copy = replace(peak, definition=Definition.COPY_DEVICE, dtype=None, value=4e12)
        return Ceilings({key: (replace(peak, key=key), replace(copy, key=key)) for key in keys})
