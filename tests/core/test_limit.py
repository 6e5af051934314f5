"""Which stored ceilings can refuse a result."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.ceiling import DataType, Definition
from perftrack.core.limit import known_limits, limit_for
from perftrack.core.share import StoredCeiling

MAMF = StoredCeiling("here", Definition.MAMF, DataType.BFLOAT16, 8e14, None, "run", "sha", 0.0)
COPY = replace(MAMF, definition=Definition.COPY_DEVICE, dtype=None, value=4e12)


def test_a_ceiling_that_was_cut_short_or_not_validated_refuses_nothing() -> None:
    assert known_limits([replace(MAMF, complete=False), replace(COPY, validated=False)]) == ()
    assert len(known_limits([MAMF, COPY])) == 2


def test_a_cache_s_bandwidth_is_no_limit_of_memory() -> None:
    assert known_limits([replace(COPY, definition=Definition.COPY_L2)]) == ()


def test_the_highest_of_an_environment_s_own_counts() -> None:
    known = known_limits([MAMF, replace(MAMF, definition=Definition.MAMF_PEAK, value=8.1e14), COPY])
    found = limit_for(known, "here", "bfloat16")
    assert found is not None and found.rate == 8.1e14
    assert limit_for(known, "here", "") is not None
    assert limit_for(known, "there", "bfloat16") is None
    assert limit_for(known, "here", "float16") is None
