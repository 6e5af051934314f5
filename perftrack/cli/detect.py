"""perftrack detect."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import bench_option, json_option, project_options


@click.command("detect")
@click.option("--since", metavar="REV", help="Only changes by commits that came after REV.")
@bench_option
@click.option("--all", "everything", is_flag=True, help="Also list small, past and recovered changes.")
@click.option(
    "--once",
    is_flag=True,
    help="Remember what is reported, and count only what no earlier --once reported.",
)
@click.option(
    "--release", metavar="REV", help="Count slow creep from here. [default: configured, or the last tag]"
)
@click.option(
    "--silence-days",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Days without a run that are silence; 0: look for none. [default: configured, 14]",
)
@click.option("--all-parents", is_flag=True, help="Follow merged branches too, not only first parents.")
@json_option
@project_options
def command(
    since: str | None,
    patterns: tuple[str, ...],
    everything: bool,
    once: bool,
    release: str | None,
    silence_days: int | None,
    all_parents: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Find what changed over the recorded history of HEAD, and when: change points, slow creep, silence.

    Every lane is looked at by itself, one value a commit. Changes that one commit can have made are one event,
    with the range of commits that holds it and what else changed there. Exit 3 if a regression stands that
    nobody accepted; 4 if one is suspected, something fell silent, or nothing has enough commits to tell; else 0.

    \b
    Examples:
      perftrack detect
      perftrack detect --since HEAD~1 --all
      perftrack detect --json
      perftrack detect --once       in CI: each change fails one build
    """
    from perftrack.app.detect import DetectOptions, detect, remember
    from perftrack.app.project import Project
    from perftrack.cli import detect_view as view

    options = DetectOptions(
        since=since,
        release=release,
        silence_days=silence_days,
        patterns=patterns,
        all_parents=all_parents,
        once=once,
    )
    project = Project.find(directory, store)
    detection = detect(project, options)
    if as_json:
        view.show_json(project, detection)
    else:
        view.show_text(project, detection, everything=everything)
    if once:
        remember(project, detection)  # after it was said: what nobody saw is not known
    return detection.exit_code
