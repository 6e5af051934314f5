"""Many comparisons at once: the share of false ones among the changes that are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.reasons import reason

FALSE_DISCOVERY_RATE = 0.05


def control_false_discoveries(
    judgements: Sequence[Judgement], q: float = FALSE_DISCOVERY_RATE
) -> tuple[Judgement, ...]:
    """Turn regressions and improvements that do not survive Benjamini-Hochberg into `inconclusive`.

    Benjamini & Hochberg (1995) over every p-value in the comparison, those of the unchanged included. Those of
    equal code and of accepted changes are left out: nothing can be discovered there, and a small one would make
    room for the others.
    """
    tested = [j.p_value for j in judgements if j.p_value is not None and not (j.of_equal_code or j.is_accepted)]
    cutoff = benjamini_hochberg(tested, q)
    note = reason("fdr", count=len(tested), q=q)
    out = []
    for judged in judgements:
        changed = judged.verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT)
        if changed and judged.p_value is not None and judged.p_value > cutoff:
            judged = replace(judged, verdict=Verdict.INCONCLUSIVE, reasons=(note, *judged.reasons))  # noqa: PLW2901
        out.append(judged)
    return tuple(out)


def benjamini_hochberg(p_values: Sequence[float], q: float) -> float:
    """Largest p-value that is rejected at false-discovery rate `q`; -1.0 where none is."""
    ordered = np.sort(np.asarray(p_values, dtype=np.float64))
    if not len(ordered):
        return -1.0
    passing = np.flatnonzero(ordered <= q * np.arange(1, len(ordered) + 1) / len(ordered))
    return float(ordered[passing[-1]]) if len(passing) else -1.0
