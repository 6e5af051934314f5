"""What `perftrack ceiling` answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from perftrack.app.ceiling import Taken
from perftrack.app.ceilingruns import StoredResult
from perftrack.app.ceilingshow import ShownCeiling
from perftrack.app.deviceceilings import DeviceCeilings, Part, spreads
from perftrack.cli.ceiling_documents import shown_json, taken_json
from perftrack.cli.output import console, print_json, table
from perftrack.core.ceiling import Definition
from perftrack.core.launches.words import on_line
from perftrack.core.model import Reason
from perftrack.core.units import format_interval, format_percent, format_value

_COLUMNS = (
    ("ceiling", "left"),
    ("type", "left"),
    ("value", "right"),
    ("fastest", "right"),
    ("MxNxK", "left"),
    ("clock", "right"),
    ("power", "right"),
    ("", "left"),
)


def exit_code(taken: Taken) -> int:
    """0 if every device was measured as asked; 1 if one failed, or nothing was measured."""
    devices = taken.measured.devices
    measured = any(part.results for d in devices for part in d.parts)
    return 1 if not measured or any(d.failed for d in devices) else 0


def show_taken(taken: Taken, *, as_json: bool) -> None:
    if as_json:
        print_json(taken_json(taken))
        return
    for device in taken.measured.devices:
        _echo_device(device)
    results = [r for d in taken.measured.devices for p in d.parts for r in p.results]
    for definition in dict.fromkeys(r.definition for r in results):
        click.echo(f"{definition.value}: {definition.sentence}")
    if len(taken.measured.devices) > 1:
        _echo_spread(taken.measured.devices)
    for stored in taken.runs:
        if stored is not None:
            run, new = stored
            click.echo(f"run {run.id}" + ("" if new else " was already stored"))


def _echo_device(device: DeviceCeilings) -> None:
    product = next((p.facts.product for p in device.parts), "")
    click.echo(on_line(f"{device.name} {product}".rstrip()))
    if device.failure is not None:
        click.echo(f"Error: {device.name}: {device.failure.message}", err=True)
        if device.failure.hint:
            click.echo(f"Hint: {device.failure.hint}", err=True)
    rows = table(_COLUMNS)
    for result in (r for part in device.parts for r in part.results):
        rows.add_row(
            result.definition.value,
            result.dtype.value if result.dtype else "",
            format_interval(result.value, result.definition.unit, result.interval),
            format_value(result.peak, result.definition.unit) if result.peak else "",
            str(result.shape) if result.shape else "",
            _measure(result.clock_mhz, "MHz"),
            _measure(result.power_w, "W"),
            _marks(result.partial, result.validated),
        )
    if any(part.results for part in device.parts):
        console().print(rows)
    else:
        click.echo("  nothing was measured")
    for part in device.parts:
        _echo_crosscheck(part)
    for warning in _warnings(device):
        click.echo(f"warning {warning.code}: {on_line(warning.message)}")


def _echo_crosscheck(part: Part) -> None:
    rows = part.report.crosscheck if part.report else ()
    for row in (r for r in rows if r.boost or r.saturated):
        ratio = "" if row.ratio is None else f", {100 * row.ratio:.0f} % of it"
        roles = " and ".join(r.value.upper() for r in row.roles)
        saturated = format_value(row.saturated.value if row.saturated else None, "flop/s")
        boost = format_value(row.boost.value if row.boost else None, "flop/s")
        click.echo(f"{part.dtype} {row.shape} ({roles}): {boost} at boost clock, {saturated} saturated{ratio}")


def _echo_spread(devices: Sequence[DeviceCeilings]) -> None:
    """Per ceiling, how far the devices of this node lie apart, and which is the slowest."""
    for dtype, row in spreads(devices):
        unit = row.definition.unit
        named = row.definition.value + (f" {dtype}" if unit == "flop/s" else "")
        slowest, least = row.slowest
        click.echo(
            f"{named}: {format_value(least, unit)} to {format_value(row.fastest[1], unit)} over "
            f"{len(row.results)} devices, spread {format_percent(100 * row.spread)}, slowest {slowest}"
            + (", of different shapes" if row.shapes_differ else "")
        )


def _warnings(device: DeviceCeilings) -> list[Reason]:
    said = [w for p in device.parts for w in (*p.warnings, *(w for r in p.results for w in r.warnings))]
    return list(dict.fromkeys(said))


def _marks(partial: bool, validated: bool) -> str:
    marks = (["partial"] if partial else []) + ([] if validated else ["unvalidated"])
    return ", ".join(marks)


def _measure(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.0f} {unit}"


def show_stored(found: Sequence[ShownCeiling], *, as_json: bool) -> None:
    if as_json:
        print_json({"ceilings": [shown_json(c) for c in found]})
        return
    if not found:
        click.echo("No ceiling is stored. Measure one with: perftrack ceiling measure")
        return
    for key in dict.fromkeys(c.result.fingerprint.key_id for c in found):
        own = [c for c in found if c.result.fingerprint.key_id == key]
        fingerprint = own[0].result.fingerprint
        product = fingerprint.gpu_name or fingerprint.device_kind
        click.echo(on_line(f"env {key[:8]}: {product}, torch {fingerprint.torch_version}"))
        rows = table((*_COLUMNS[:-1], ("tier", "left"), ("commit", "left"), ("", "left")))
        for shown in own:
            rows.add_row(*_stored_cells(shown.result), shown.sha[:12], _stored_marks(shown))
        console().print(rows)
    _echo_definitions(c.result.definition for c in found)


def _echo_definitions(definitions: Iterable[Definition]) -> None:
    for definition in dict.fromkeys(definitions):
        click.echo(f"{definition.value}: {definition.sentence}")


def _stored_cells(result: StoredResult) -> tuple[str, ...]:
    m = result.measurement
    return (
        result.definition.value,
        result.dtype.value if result.dtype else "",
        format_interval(m.value, m.unit, m.interval),
        format_value(result.peak, m.unit) if result.peak else "",
        str(result.shape) if result.shape else "",
        _measure(result.clock_mhz, "MHz"),
        _measure(result.power_w, "W"),
        m.tier.value,
    )


def _stored_marks(shown: ShownCeiling) -> str:
    marks = _marks(shown.result.partial, shown.result.validated)
    tuned = dict(shown.result.case.params).get("tuned")
    return ", ".join(x for x in (marks, f"tuned {tuned}" if tuned else "") if x)


def show_knobs(*, as_json: bool) -> None:
    from perftrack.ceiling.tuning import knobs, shown

    rows = knobs()
    if as_json:
        print_json(
            {
                "knobs": [
                    {
                        "name": k.name,
                        "default": k.default,
                        "expects": k.expects,
                        "meaning": k.meaning.doc,
                        "defines": bool(k.meaning.defines),
                    }
                    for k in rows
                ]
            }
        )
        return
    shown_rows = table(
        [("knob", "left"), ("default", "right"), ("meaning", "left"), ("expects", "left"), ("", "left")]
    )
    for k in rows:
        mark = "defines the ceiling" if k.meaning.defines else ""
        shown_rows.add_row(k.name, shown(k.default), k.meaning.doc, k.expects, mark)
    console().print(shown_rows)
