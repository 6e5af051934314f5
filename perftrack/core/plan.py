"""How much to measure in one process. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Amounts for one case in one process; seconds.

    windows: blocks of samples, with `pause_s` between them so that they see different clocks and
    neighbours. window_s: timed work wanted in one window. max_samples: the most samples in a window.
    warmup_calls: the floor before timing, 200 because caches, JIT tiers, allocators and clock ramps
    still move after a few dozen. warmup_cap_s: warm-up ends here even below the floor, and says so.
    budget_s: timed work stops here; a slow case has fewer samples, never fewer than two windows of one.
    """

    windows: int = 5
    window_s: float = 0.1
    max_samples: int = 40
    warmup_calls: int = 200
    warmup_cap_s: float = 1.0
    budget_s: float = 5.0
    pause_s: float = 0.01
