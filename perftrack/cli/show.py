"""perftrack show."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import bench_option, json_option, project_options


@click.command("show")
@click.argument("revision", default="HEAD", metavar="[REV]")
@bench_option
@click.option("--samples", is_flag=True, help="With --json: every sample, by process and window.")
@json_option
@project_options
def command(
    revision: str,
    patterns: tuple[str, ...],
    samples: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Show the recorded results of a commit.

    \b
    Examples:
      perftrack show
      perftrack show HEAD~1 --bench tokenize
      perftrack show HEAD --json --samples
    """
    from perftrack.app.ceilings import ceilings_in_force
    from perftrack.app.history import matching, results_of
    from perftrack.app.project import Project
    from perftrack.cli.documents import commit_json, measurement_json
    from perftrack.cli.output import console, print_json, reasons_json, table
    from perftrack.cli.record_view import indented, note, shown_share, shown_value
    from perftrack.core.fingerprint import EnvironmentFingerprint
    from perftrack.core.launches.words import on_line

    project = Project.find(directory, store)
    (results,) = matching(patterns, results_of(project, revision, dirty_too=True))
    ceilings = ceilings_in_force(project)
    in_history = bool(project.repository.reached([results.commit.sha]))
    if as_json:
        print_json(
            {
                "commit": commit_json(results.commit),
                "in_history": in_history,
                "runs": list(results.run_ids),
                "unmeasured": reasons_json(results.unmeasured),
                "measurements": [
                    measurement_json(m, samples=samples, shares=ceilings.shares(m)) for m in results.measurements
                ],
            }
        )
        return 0
    lost = "" if in_history else "not in history: "
    click.echo(f"{results.commit.sha[:12]} {lost}{on_line(results.commit.subject)}")
    for why in results.unmeasured:
        click.echo(f"  {why.code}: {indented(why.message)}")
    if not results.measurements:
        click.echo(f"run {', '.join(results.run_ids)}")
        return 0
    shares = [shown_share(ceilings.shares(m)) for m in results.measurements]
    share_column = [("of ceiling", "right")] if any(shares) else []
    rows = table(
        [
            ("case", "left"),
            ("metric", "left"),
            ("value", "right"),
            *share_column,
            ("tier", "left"),
            ("env", "left"),
            ("", "left"),
        ]
    )
    environments: dict[str, EnvironmentFingerprint] = {}
    for m, share in zip(results.measurements, shares, strict=True):
        if m.fingerprint is not None:
            environments.setdefault(m.fingerprint.key_id, m.fingerprint)
        rows.add_row(
            m.case.id,
            m.metric,
            shown_value(m),
            *([share] if share_column else []),
            m.tier.value if m.value is not None else "",
            m.fingerprint.key_id[:8] if m.fingerprint else "",
            note(m),
        )
    console().print(rows)
    for key, fingerprint in environments.items():
        what = fingerprint.gpu_name or fingerprint.cpu_model
        told = f"env {key[:8]}: {fingerprint.device_kind}, {what}, Python {fingerprint.python_version}"
        click.echo(on_line(told))
    reasons = {r.code: r.message for m in results.measurements for r in m.reasons if m.value is not None}
    reasons.pop("ceiling-at", None)  # beside each ceiling
    for code, message in reasons.items():
        click.echo(f"tier reason {code}: {on_line(message)}")
    limits = {r.code: r.message for m in results.measurements for r in m.limitations}
    for code, message in limits.items():
        click.echo(f"limitation {code}: {on_line(message)}")
    click.echo(f"run {', '.join(results.run_ids)}")
    return 0
