"""What cards are used for while a run has nothing on them."""

from __future__ import annotations

import sys

import pytest

from perftrack.core.company import CardUse
from perftrack.timing import uses
from perftrack.timing.uses import SETTLE_S, card_uses, memory_now

GIB = 1 << 30


class Cards:
    """Looks at one card, one after the other, in virtual time; the last is there to stay."""

    def __init__(self, *looks: CardUse) -> None:
        self.looks = list(looks)
        self.now = 0.0

    def read(self) -> tuple[CardUse, ...]:
        return (self.looks.pop(0) if len(self.looks) > 1 else self.looks[0],)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def use(memory: int | None, busy: float | None = 0.0) -> CardUse:
    return CardUse("a", memory, busy)


def first(cards: Cards) -> CardUse:
    (found,) = card_uses(cards.read, clock=cards.clock, sleep=cards.sleep)
    return found


def later(cards: Cards, before: CardUse) -> CardUse:
    (found,) = memory_now((before,), cards.read, clock=cards.clock, sleep=cards.sleep)
    return found


def test_a_quiet_card_is_looked_at_once() -> None:
    cards = Cards(use(0), use(GIB))
    assert first(cards) == use(0)
    assert cards.now == 0


def test_the_end_of_an_earlier_run_is_waited_for() -> None:
    assert first(Cards(use(GIB, 90.0), use(0, 30.0), use(0, 0.0))) == use(0, 0.0)


def test_a_card_that_stays_busy_is_told_so_after_a_second() -> None:
    cards = Cards(use(GIB, 90.0))
    assert first(cards) == use(GIB, 90.0)
    assert SETTLE_S <= cards.now < SETTLE_S + 0.5


def test_unknown_utilisation_is_nothing_to_wait_for() -> None:
    cards = Cards(use(None, None))
    assert first(cards) == use(None, None)
    assert cards.now == 0


def test_memory_that_somebody_took_since_counts() -> None:
    assert later(Cards(use(2 * GIB)), use(0)) == use(2 * GIB)


def test_memory_of_the_process_that_has_just_ended_is_waited_for() -> None:
    assert later(Cards(use(2 * GIB), use(0)), use(0)) == use(0)


def test_memory_that_was_in_use_before_is_not_forgotten() -> None:
    assert later(Cards(use(0)), use(GIB)) == use(GIB)
    assert later(Cards(use(None)), use(GIB)) == use(GIB)


def test_utilisation_stays_that_of_before_the_run() -> None:
    assert later(Cards(use(0, 90.0)), use(0, 0.0)) == use(0, 0.0)


def test_a_card_that_is_gone_keeps_what_was_read() -> None:
    assert memory_now((use(GIB),), lambda: (CardUse("b", 0, 0.0),)) == (use(GIB),)


def test_without_cards_nothing_is_looked_at_again() -> None:
    assert memory_now((), lambda: pytest.fail("looked")) == ()


def test_a_machine_without_drivers_imports_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("drivers are looked for on Linux")
    monkeypatch.setattr(uses, "driver_present", lambda: False)
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    assert card_uses() == ()
    assert "pynvml" not in sys.modules
