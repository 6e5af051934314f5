from __future__ import annotations

import pytest

from perftrack.publish.ceilings import ceilings_page
from perftrack.publish.devicepages import CeilingsPage
from perftrack.publish.gather import read_history
from tests.publish.synthetic import SyntheticHistory
from tests.publish.topped import Topped


@pytest.fixture(scope="module")
def page() -> CeilingsPage:
    return ceilings_page(read_history(Topped(4)), None)


def test_a_store_without_ceilings_has_no_environments_there() -> None:
    assert ceilings_page(read_history(SyntheticHistory(3)), None).environments == ()


def test_every_environment_has_its_own_newest_ceilings(page: CeilingsPage) -> None:
    assert len(page.environments) == 2
    first, second = page.environments
    assert {r.commit.sha for r in first.rows} != {r.commit.sha for r in second.rows}
    assert [len(e.rows) for e in page.environments] == [3, 3]


def test_values_have_units_and_half_widths(page: CeilingsPage) -> None:
    values = {(r.name, r.dtype): r.value for r in page.environments[0].rows if r.in_force}
    assert values == {("MAMF", "bfloat16"): "850.00 Tflop/s ± 0.12 %", ("copy", ""): "4.2000 Tbyte/s ± 0.24 %"}


def test_a_tuned_ceiling_is_shown_and_not_in_force(page: CeilingsPage) -> None:
    (tuned,) = (r for r in page.environments[0].rows if r.value.startswith("860"))
    assert not tuned.in_force


def test_definitions_shown_are_stated_once(page: CeilingsPage) -> None:
    assert [name for name, _ in page.definitions] == ["copy-device", "mamf-median5"]
    assert all(len(sentence) > 20 for _, sentence in page.definitions)
