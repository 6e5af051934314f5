"""The worse of several looks at who else was there."""

from __future__ import annotations

from itertools import permutations

from perftrack.core.company import Occupancy, worst
from perftrack.core.tiers import Exclusivity

ALONE, HIDDEN, SHARED = (
    Occupancy(e, e.value) for e in (Exclusivity.EXCLUSIVE, Exclusivity.UNKNOWN, Exclusivity.SHARED)
)


def test_company_at_any_look_is_company_and_what_is_unknown_comes_next() -> None:
    for order in permutations((ALONE, HIDDEN, SHARED)):
        assert worst(order) is SHARED
    assert worst((ALONE, HIDDEN)) is worst((HIDDEN, ALONE)) is HIDDEN
    assert worst((ALONE,)) is ALONE


def test_of_looks_alike_the_first_one_explains() -> None:
    first, second = Occupancy(Exclusivity.SHARED, "1"), Occupancy(Exclusivity.SHARED, "2")
    assert worst((ALONE, first, second)) is first
