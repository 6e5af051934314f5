"""Whether the board's other cards idle meanwhile."""

from __future__ import annotations

import time

from perftrack.ceiling.siblings import BoardWatch


class Board:
    """Card 1 idles at every look, card 2 at every second one."""

    def __init__(self) -> None:
        self.looks = 0

    def idle_siblings(self) -> tuple[tuple[int, float], ...]:
        self.looks += 1
        return ((1, 0.0), (2, 3.0)) if self.looks % 2 else ((1, 0.0),)


def test_a_neighbour_s_idleness_is_a_share_of_the_looks() -> None:
    board = Board()
    watch = BoardWatch(board, period_s=0.002)
    watch.begin()
    while board.looks < 10:
        time.sleep(0.002)
    first, second = watch.end()
    assert (first.index, first.share) == (1, 1.0)
    assert second.index == 2 and 0.3 < second.share < 0.7


def test_without_a_look_nothing_is_said_of_neighbours() -> None:
    watch = BoardWatch(Board(), period_s=60)
    watch.begin()
    assert watch.end() == ()
    assert watch.end() == ()
