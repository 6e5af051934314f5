"""Bursts at boost clock: screening many shapes briefly, confirming the best, repeating the winner."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.ceiling.achievable import FASTEST, Achieved, ranked
from perftrack.ceiling.bench import Bench
from perftrack.ceiling.protocols import Burst, Phase
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape


def screen(bench: Bench, shapes: Sequence[Shape], tuning: Tuning) -> tuple[Shape, ...]:
    """One short burst of each after a short idle; the best for the confirmation, best first."""
    journal = bench.journal
    with bench.part(Phase.SCREEN, len(shapes)):
        for shape in shapes:
            burst = bench.burst(
                shape,
                tuning.boost_burst_s,
                idle_s=tuning.boost_screen_idle_s,
                least=FASTEST,
                most=max(FASTEST, tuning.boost_screen_iterations),
            )
            if burst is not None:
                journal.screens.setdefault(shape, []).append(burst)
    best = ranked(journal.achieved(journal.screens, tuning, need=1))
    return tuple(a.shape for a in best[: tuning.boost_confirm_top])


def confirm_boost(bench: Bench, shapes: Sequence[Shape], tuning: Tuning) -> None:
    """Bursts of each shape, then more for those too close to the leader to tell apart."""
    journal = bench.journal
    with bench.part(Phase.CONFIRM_BOOST, len(shapes) * tuning.confirm_reps):
        for shape in shapes:
            boost_bursts(bench, shape, tuning)
        for result in reversed(_close(ranked(journal.achieved(journal.boosts, tuning)), tuning)):
            boost_bursts(bench, result.shape, tuning)


def lock_boost(bench: Bench, tuning: Tuning) -> None:
    """The winner's whole measurement again, several times: its headline is chosen by none of these."""
    journal = bench.journal
    order = ranked(journal.achieved(journal.boosts, tuning))
    if not order:
        return
    with bench.part(Phase.LOCK_BOOST, tuning.boost_lock_reps * tuning.confirm_reps):
        for _ in range(tuning.boost_lock_reps):
            group = [boost_burst(bench, order[0].shape, tuning) for _ in range(tuning.confirm_reps)]
            taken = tuple(b for b in group if b is not None)
            if taken:
                journal.replicates.append(taken)


def boost_bursts(bench: Bench, shape: Shape, tuning: Tuning) -> None:
    """One measurement of a shape: `confirm_reps` bursts, each after an idle pause."""
    bursts = bench.journal.boosts.setdefault(shape, [])
    for _ in range(tuning.confirm_reps):
        burst = boost_burst(bench, shape, tuning)
        if burst is None:
            return
        bursts.append(burst)


def boost_burst(bench: Bench, shape: Shape, tuning: Tuning, *, idle_s: float | None = None) -> Burst | None:
    """One burst of at most `boost_iterations` after an idle pause."""
    pause = tuning.boost_idle_s if idle_s is None else idle_s
    most = tuning.boost_iterations
    return bench.burst(shape, tuning.boost_burst_s, idle_s=pause, least=FASTEST, most=most)


def _close(order: Sequence[Achieved], tuning: Tuning) -> Sequence[Achieved]:
    """Those within the margin of the leader, and as much boost as it, if there is more than the leader."""
    least = (1 - tuning.confirm_margin) * order[0].value if order else 0.0
    close = [a for a in order if a.boost == order[0].boost and a.value >= least]
    return close[: tuning.lock_tries] if len(close) > 1 else []
