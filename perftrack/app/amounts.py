"""How much a recording measures, and under which fingerprint policy."""

from __future__ import annotations

from perftrack.app.project import Project
from perftrack.app.recording import RecordOptions
from perftrack.core.fingerprint import make_policy
from perftrack.core.plan import Plan
from perftrack.errors import UsageError

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
    """Processes at most, and the half-width that ends them early; None where their number is fixed.

    Raises UsageError for a maximum below the number to begin with, and a width that nothing would be done about.
    """
    config = project.config
    if options.max_processes is not None and options.max_processes < processes:
        raise UsageError(
            f"--max-processes {options.max_processes} is below the {processes} processes that a run has anyway",
            "Raise it, or lower --processes.",
        )
    configured = processes if options.quick or options.processes else config.max_processes
    most = max(processes, options.max_processes or configured)
    if options.width is not None and most == processes:
        raise UsageError(
            "--width says when more processes are needed, and there may be no more",
            f"Give --max-processes above {processes} too.",
        )
    return most, (options.width or config.width) if most > processes else None


def check_options(project: Project, options: RecordOptions) -> None:
    """Raises UsageError for a device that does not exist, and for amounts that do not fit together."""
    policy(project)
    project.device(options.device)
    extension(project, options, plan_of(project, options)[1])


def policy(project: Project) -> str:
    """The fingerprint policy of the configuration. Raises InvalidValueError for a field that does not exist."""
    config = project.config
    return make_policy(key=config.fingerprint_key, context=config.fingerprint_context) or ""
