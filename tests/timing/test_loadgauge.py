"""Readings of a card at its limits: instantaneous power, rated clock, idle neighbours."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perftrack.timing.amd import open_amd
from perftrack.timing.card import Card
from perftrack.timing.loadgauge import LoadGauge
from perftrack.timing.nvml import NvmlGauge
from tests.timing.fake_nvml import GPU_B, MIG_1, FakeCard, FakeNvml, NotSupported, Slice
from tests.timing.test_vendors import amdsmi


class Nvml(FakeNvml):
    """With what finding ceilings asks beside the rest: an instant's power, links and utilisation by card."""

    def __init__(self, *cards: FakeCard) -> None:
        super().__init__(*cards)
        self.linked: set[int] = set()
        self.busy: dict[str, int] = {}
        self.instant_mw: int | None = 690_000

    def nvmlDeviceGetFieldValues(self, card: FakeCard, fields: list[int]) -> list[Any]:
        assert fields == [186]
        if self.instant_mw is None:
            return [SimpleNamespace(nvmlReturn=3, value=SimpleNamespace(uiVal=0))]
        return [SimpleNamespace(nvmlReturn=0, value=SimpleNamespace(uiVal=self.instant_mw))]

    def nvmlDeviceGetMaxClockInfo(self, card: FakeCard, which: int) -> int:
        assert which == 1
        return 1980

    def nvmlDeviceGetNvLinkState(self, card: FakeCard, link: int) -> int:
        if link > 3:
            raise NotSupported
        return int(link in self.linked)

    def nvmlDeviceGetUtilizationRates(self, card: FakeCard) -> Any:
        return SimpleNamespace(gpu=self.busy.get(card.uuid, 0))


def gauge(nvml: Nvml, handle: FakeCard | Slice | None = None) -> LoadGauge:
    board = nvml.cards[0]
    handle = handle or board
    return LoadGauge(NvmlGauge(Card(nvml, handle, board, handle.uuid, "test")))


def test_power_is_that_of_the_instant() -> None:
    assert gauge(Nvml(FakeCard(power_mw=500_000))).power_w() == 690.0


@pytest.mark.parametrize("how", ["call fails", "field fails", "call is missing"])
def test_a_driver_without_it_gives_the_running_mean(how: str) -> None:
    nvml = Nvml(FakeCard(power_mw=500_000))
    if how == "call fails":
        nvml.fails["nvmlDeviceGetFieldValues"] = NotSupported()
    elif how == "field fails":
        nvml.instant_mw = None
    else:
        nvml.missing.add("nvmlDeviceGetFieldValues")
    assert gauge(nvml).power_w() == 500.0


def test_clock_heat_and_reasons_are_the_gauge_s() -> None:
    load = gauge(Nvml(FakeCard(sm_mhz=1755, temperature=61, reasons=4)))
    assert (load.clock_mhz(), load.temperature_c(), load.event_reasons()) == (1755.0, 61.0, 4)
    assert load.rated_clock_mhz() == 1980.0
    assert (load.library, load.separates) == ("nvml", True)


def board(**busy: int) -> Nvml:
    nvml = Nvml(FakeCard(), FakeCard(uuid=GPU_B), FakeCard(uuid="GPU-c"), FakeCard(uuid="GPU-d", name="NVIDIA T4"))
    nvml.linked = {2}
    nvml.busy = {GPU_B: busy.get("b", 0), "GPU-c": busy.get("c", 0)}
    return nvml


def test_idle_neighbours_are_those_of_the_same_model_that_do_little() -> None:
    assert gauge(board(b=3, c=80)).idle_siblings() == ((1, 3.0),)


def test_cards_without_links_have_no_neighbours() -> None:
    nvml = board()
    nvml.linked = set()
    assert gauge(nvml).idle_siblings() == ()


def test_a_neighbour_that_cannot_be_read_is_not_called_idle() -> None:
    nvml = board()
    nvml.fails["nvmlDeviceGetUtilizationRates"] = NotSupported()
    assert gauge(nvml).idle_siblings() == ()


def test_a_slice_has_no_power_and_no_neighbours_of_its_own() -> None:
    part = Slice(MIG_1, 1)
    nvml = board()
    nvml.cards[0].slices.append(part)
    load = gauge(nvml, part)
    assert load.power_w() is None
    assert load.idle_siblings() == ()


def test_amd_s_card_tells_its_rated_clock_and_excludes_nothing_by_power(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "torch", raising=False)
    amdsmi(monkeypatch, "0000:c1:00.0")
    load = LoadGauge(open_amd(0))
    assert (load.rated_clock_mhz(), load.power_w(), load.clock_mhz()) == (2100.0, 700.0, 1000.0)
    assert (load.library, load.separates) == ("amdsmi", False)
    assert load.idle_siblings() == ()
