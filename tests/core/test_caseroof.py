"""The roof over a case's launches: which ceilings it takes, and whose flops and bytes."""

from __future__ import annotations

import pytest

from perftrack.core.caseroof import CaseRoof, case_roof
from perftrack.core.ceiling import DataType, Definition
from perftrack.core.launches.launch import Launch, LaunchSummary, Profile
from perftrack.core.model import Case
from perftrack.core.roofline import Counted, Declared, Peak, Roof
from perftrack.core.share import StoredCeiling


def ceiling(definition: Definition, value: float, dtype: DataType | None = None) -> StoredCeiling:
    return StoredCeiling("key", definition, dtype, value, None, "run", "a" * 40, 1.0)


CEILINGS = (
    ceiling(Definition.MAMF, 7e14, DataType("bfloat16")),
    ceiling(Definition.MAMF, 4e14, DataType("float16")),
    ceiling(Definition.MSMF, 6e14, DataType("bfloat16")),
    ceiling(Definition.COPY_DEVICE, 4.0e12),
    ceiling(Definition.TRIAD_DEVICE, 4.2e12),
    ceiling(Definition.COPY_L2, 9e12),
)
LAUNCH = LaunchSummary(
    "k", duration_s=1e-3, flops=1e9, dram_read_bytes=2e9, dram_write_bytes=1e9, dram_pct=70.0, sm_pct=5.0
)


def roof_of(case: Case) -> CaseRoof:
    return case_roof(case.params, (), Declared(), CEILINGS)


def profile(*summaries: LaunchSummary) -> Profile:
    return Profile("a" * 40, "x", 1.0, tuple(Launch(s) for s in summaries))


def test_the_roof_is_the_type_of_the_case_and_the_faster_of_copy_and_triad() -> None:
    roof = roof_of(Case("mm", (("dtype", "bfloat16"),)))
    assert (roof.compute, roof.memory) == (Peak("MAMF bfloat16", 7e14), Peak("triad", 4.2e12))


def test_without_a_type_there_is_no_peak_of_arithmetic_that_could_be_the_wrong_one() -> None:
    assert roof_of(Case("softmax")).compute is None


def test_a_single_launch_has_what_its_call_declares() -> None:
    (placed,) = CaseRoof(declared=Declared(4e9, 8e9, 2e-3)).over(profile(LAUNCH))
    assert placed.intensity == 0.5
    assert (placed.flops_source, placed.seconds_source) == (Counted.DECLARED, "the recorded time")
    assert placed.bytes_per_s == pytest.approx(4e12)


def test_of_several_launches_each_has_its_own_counters() -> None:
    roof = CaseRoof(declared=Declared(4e9, 8e9, 2e-3))
    for placed in roof.over(profile(LAUNCH, LAUNCH)):
        assert placed.flops_source is Counted.COUNTERS
        assert placed.intensity == pytest.approx(1 / 3)


def test_under_measured_ceilings_that_is_said() -> None:
    roof = CaseRoof(Peak("MAMF bfloat16", 7e14), Peak("triad", 4.2e12))
    (placed,) = roof.over(profile(LAUNCH))
    assert placed.against is Roof.MEASURED
    assert placed.fraction == pytest.approx(3e12 / 4.2e12)


def test_without_ceilings_it_is_the_profilers_own_peak() -> None:
    (placed,) = CaseRoof().over(profile(LAUNCH))
    assert (placed.against, placed.fraction) == (Roof.PROFILER, 0.7)
