from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.changes.watch import Standing, WatchedChange, watch
from perftrack.errors import InvalidValueError


def stepped(*steps: int, n: int = 200, ratio: float = 1.05) -> list[float]:
    values = np.exp(0.01 * np.random.default_rng(1).standard_normal(n))
    for at in steps:
        values[at:] *= ratio
    return values.tolist()


def standings(found: tuple[WatchedChange, ...]) -> list[Standing]:
    return [watched.standing for watched in found]


def test_a_change_of_trusted_values_is_an_alert() -> None:
    (found,) = watch(stepped(120), [True] * 200)
    assert found.standing is Standing.ALERT
    assert found.change.most_likely == pytest.approx(120, abs=1)


def test_a_change_that_only_tier_c_shows_is_a_suspect() -> None:
    assert standings(watch(stepped(180), [True] * 180 + [False] * 20)) == [Standing.SUSPECT]


def test_tier_c_in_between_does_not_take_an_alert_away() -> None:
    trusted = [i % 4 > 0 for i in range(200)]
    (found,) = watch(stepped(120), trusted)
    assert found.standing is Standing.ALERT


def test_what_is_not_trusted_may_be_on_either_side() -> None:
    trusted = [not 115 <= i < 125 for i in range(200)]
    (found,) = watch(stepped(120, ratio=1.2), trusted)
    assert (found.change.first, found.change.last) == (115, 125)


def test_nothing_trusted_never_alerts() -> None:
    assert Standing.ALERT not in standings(watch(stepped(120), [False] * 200))


@pytest.mark.parametrize("epoch", [120, 117, 124])
def test_an_accepted_change_is_told_as_accepted_and_not_alerted(epoch: int) -> None:
    (found,) = watch(stepped(120), [True] * 200, [epoch])
    assert (found.standing, found.epoch) == (Standing.ACCEPTED, epoch)
    assert found.change.most_likely == pytest.approx(120, abs=1)


def test_an_epoch_accepts_one_change_only() -> None:
    found = watch([10.0] * 30 + [11.0] * 2 + [12.0] * 30, [True] * 62, [30], exact=True)
    assert [(w.change.most_likely, w.standing) for w in found] == [(30, Standing.ACCEPTED), (32, Standing.ALERT)]


def test_a_count_is_accepted_at_its_own_commit_only() -> None:
    found = watch([10.0] * 30 + [12.0] * 30, [True] * 60, [26], exact=True)
    assert standings(found) == [Standing.ALERT]


def test_an_epoch_far_from_a_change_does_not_accept_it() -> None:
    assert standings(watch(stepped(120), [True] * 200, [60])) == [Standing.ALERT]


def test_changes_before_an_epoch_are_past_and_after_it_alert() -> None:
    found = watch(stepped(50, 100, 150), [True] * 200, [100])
    assert standings(found) == [Standing.PAST, Standing.ACCEPTED, Standing.ALERT]
    assert [w.change.most_likely for w in found] == [pytest.approx(at, abs=1) for at in (50, 100, 150)]


def test_all_is_past_once_the_newest_commit_is_accepted() -> None:
    assert standings(watch(stepped(120), [True] * 200, [200])) == [Standing.PAST]


def test_counts_are_counts_in_every_stretch() -> None:
    found = watch([48.0] * 30 + [64.0] * 30 + [70.0], [True] * 61, [30], exact=True)
    assert [(w.change.most_likely, w.standing) for w in found] == [(30, Standing.ACCEPTED), (60, Standing.ALERT)]


def test_nothing_measured_has_no_changes() -> None:
    assert watch([], []) == ()


@pytest.mark.parametrize(("trusted", "epochs"), [([True], []), ([True] * 2, [3]), ([True] * 2, [-1])])
def test_arguments_that_do_not_fit_are_refused(trusted: list[bool], epochs: list[int]) -> None:
    with pytest.raises(InvalidValueError):
        watch([1.0, 2.0], trusted, epochs)
