"""The compare page: any two commits or runs, judged in the browser by the rule of core.verdict.

What the browser cannot judge as the command does it says: a permutation test needs the process values.
"""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.core.ceilingcase import definition_of
from perftrack.core.discoveries import FALSE_DISCOVERY_RATE
from perftrack.core.geomean import MIN_CASES
from perftrack.core.noise import MIN_RUNS
from perftrack.core.permutation import MIN_SIDE
from perftrack.core.verdict import CONFIDENCE, DEFAULT_THRESHOLD, MIN_PROCESSES
from perftrack.publish import addresses
from perftrack.publish.catalogue import Catalogue
from perftrack.publish.context import frame
from perftrack.publish.evidence import LEAST, PER_E, PointEvidence
from perftrack.publish.gather import History, HistorySource
from perftrack.publish.lanespread import DF_SCALE, SCALE, Eras, lane_spreads, newest_compared, spread_columns
from perftrack.publish.packing import PackedFile
from perftrack.publish.pages import Frame

PLOTTED = 40  # intervals that one chart shows


@dataclass(frozen=True, slots=True)
class ComparePage:
    """`runs`: how many there are to choose from; which two are compared is in the address."""

    frame: Frame
    runs: int
    plotted: int = PLOTTED


def compare_page(history: History, base_url: str | None) -> ComparePage:
    return ComparePage(frame(history, addresses.COMPARE, "Compare", "compare", base_url), len(history.runs))


def comparison_file(
    history: History, source: HistorySource, numbers: Catalogue, evidence: PointEvidence
) -> PackedFile:
    """What the browser needs to judge beside the runs: the noise of every lane, and the numbers of the rule.

    `pair`: positions of the two newest commits. `left_out`: ceilings, which are no commit's doing. `eras`: by
    number of the series, the commits at which an accepted change begins its history anew.
    """
    eras = Eras(history, source)
    ceilings = frozenset(at for at, s in enumerate(history.series) if definition_of(s.case) is not None)
    pair = newest_compared(history, ceilings)
    starts = {number: eras.starts(at) for number, at in enumerate(numbers.order.tolist())}
    spreads = list(lane_spreads(history, numbers, evidence, eras, pair[-1] if pair else -1))
    document = {
        "pair": pair,
        "left_out": [number for number, at in enumerate(numbers.order.tolist()) if at in ceilings],
        "eras": {str(number): found for number, found in starts.items() if found},
        "threshold": {
            str(number): history.series[at].threshold
            for number, at in enumerate(numbers.order.tolist())
            if history.series[at].threshold is not None
        },
        "rule": {
            "threshold": DEFAULT_THRESHOLD,
            "confidence": CONFIDENCE,
            "q": FALSE_DISCOVERY_RATE,
            "min_side": MIN_SIDE,
            "min_runs": MIN_RUNS,
            "min_processes": MIN_PROCESSES,
            "min_cases": MIN_CASES,
            "scale": SCALE,
            "df_scale": DF_SCALE,
            "least": LEAST,
            "per_e": PER_E,
            "plotted": PLOTTED,
        },
    }
    return PackedFile(document, spread_columns(spreads))
