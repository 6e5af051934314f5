"""Clock and power, read in a thread while bursts run."""

from __future__ import annotations

import time

from perftrack.ceiling.hardware import HostClock
from perftrack.ceiling.sampler import Sampler
from tests.ceiling.fake_rig import Card


def test_a_sampler_reads_from_start_to_stop_in_order_of_time() -> None:
    sampler = Sampler(Card(reasons=4), HostClock())
    sampler.start()
    time.sleep(0.03)
    readings, reasons = sampler.stop()
    assert len(readings) >= 3
    assert [r.at for r in readings] == sorted(r.at for r in readings)
    assert (readings[0].clock_mhz, readings[0].power_w, reasons) == (1980.0, 650.0, 4)


def test_reasons_of_all_readings_are_joined_and_start_over() -> None:
    card = Card(reasons=1)
    sampler = Sampler(card, HostClock())
    sampler.start()
    time.sleep(0.01)
    card.reasons = 4
    time.sleep(0.01)
    assert sampler.stop()[1] == 5
    card.reasons = None
    sampler.start()
    assert sampler.stop()[1] is None


def test_power_that_takes_long_to_read_is_read_rarely_and_the_clock_is_not() -> None:
    class Slow(Card):
        def power_w(self) -> float | None:
            time.sleep(0.004)
            return 650.0

    sampler = Sampler(Slow(), HostClock())
    sampler.start()
    time.sleep(0.1)
    readings, _ = sampler.stop()
    powers = [r for r in readings if r.power_w is not None]
    assert 2 <= len(powers) <= 6
    assert len(readings) > 5 * len(powers)
    assert all(r.clock_mhz == 1980.0 for r in readings)


def test_stopping_a_sampler_twice_is_harmless() -> None:
    sampler = Sampler(Card(), HostClock())
    assert sampler.stop() == ((), None)
