"""Steps between runs of equal code: what moved them was noise, whatever their size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.launches.samecode import same_code


def equal_code_steps(
    shas: Sequence[str],
    values: Sequence[float],
    within: Sequence[float],
    ran: Mapping[str, Sequence[LaunchSummary]],
) -> tuple[list[float], list[float]]:
    """Steps of ln(value) between successive runs of two commits that ran the same code: see noise.with_pairs.

    `shas`, `values`, `within`: (n,) of a lane's runs in order, `within` the variance of ln(value) that a run's own
    processes explain; `ran`: by commit, its launches. The second list is what processes explain of each step.
    """
    steps, variances = [], []
    for at in range(1, len(shas)):
        before, after = float(values[at - 1]), float(values[at])
        if shas[at - 1] == shas[at] or min(before, after) <= 0:
            continue
        if same_code(ran.get(shas[at - 1], ()), ran.get(shas[at], ())):
            steps.append(math.log(after / before))
            variances.append(float(within[at - 1]) + float(within[at]))
    return steps, variances
