"""Detectors of change points to compare with, each importable only where it is installed.

Otava and signal-processing-algorithms pin an old NumPy: give each an environment of its own and run
tests/bench/detection.py with that environment's Python and this repository on PYTHONPATH.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Detector = Callable[[np.ndarray], list[int]]


def ours() -> Detector:
    from perftrack.core.changes.changepoint import detect

    return lambda values: [change.most_likely for change in detect(values.tolist())]


def otava() -> Detector:
    """apache-otava with its defaults."""
    from otava.analysis import compute_change_points

    return lambda values: [change.index for change in compute_change_points(values.tolist())[0]]


def e_divisive() -> Detector:
    """signal-processing-algorithms: E-divisive means, p = .01, 100 permutations."""
    from signal_processing_algorithms.energy_statistics import energy_statistics

    return lambda values: list(energy_statistics.e_divisive(values, pvalue=0.01, permutations=100))


def ruptures_rbf() -> Detector:
    """ruptures: kernel change points, Gaussian kernel, penalty 6."""
    import ruptures

    return lambda values: ruptures.KernelCPD(kernel="rbf").fit(values.reshape(-1, 1)).predict(pen=6)[:-1]


DETECTORS: dict[str, Callable[[], Detector]] = {
    "perftrack": ours,
    "otava": otava,
    "e-divisive": e_divisive,
    "ruptures": ruptures_rbf,
}
