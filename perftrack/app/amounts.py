"""How much a recording measures, and under which fingerprint policy."""

from __future__ import annotations

from perftrack.app.project import Project
from perftrack.app.recording import RecordOptions
from perftrack.core.fingerprint import make_policy
from perftrack.core.plan import Plan

QUICK = Plan(windows=3, window_s=0.03, max_samples=20, warmup_cap_s=0.2, budget_s=1.0, pause_s=0.002)
QUICK_PROCESSES = 2


def plan_of(project: Project, options: RecordOptions) -> tuple[Plan, int]:
    """How much to measure: the configuration's amounts, or the fixed small ones of --quick."""
    config = project.config
    if options.quick:
        return QUICK, options.processes or QUICK_PROCESSES
    plan = Plan(windows=config.windows, window_s=config.window_s, budget_s=config.budget_s)
    return plan, options.processes or config.processes


def extension(project: Project, options: RecordOptions, processes: int) -> tuple[int, float | None]:
    """Processes at most, and the half-width that ends them early; None where their number is fixed."""
    config = project.config
    configured = processes if options.quick or options.processes else config.max_processes
    most = max(processes, options.max_processes or configured)
    return most, (options.width or config.width) if most > processes else None


def policy(project: Project) -> str:
    """The fingerprint policy of the configuration. Raises InvalidValueError for a field that does not exist."""
    config = project.config
    return make_policy(key=config.fingerprint_key, context=config.fingerprint_context) or ""
