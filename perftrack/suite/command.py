"""Command benchmarks: a configured command whose wall time, or the JSON it prints, is the measurement.

Standard library only. Commands run without a shell, in the root of the tree under test.
"""

from __future__ import annotations

import json
import math
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perftrack.core.command import CommandSpec
from perftrack.core.model import Direction
from perftrack.errors import MeasurementError, SuiteError
from perftrack.suite.messages import Declared, Kind

OUTPUT_LIMIT = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    value: float
    unit: str = ""
    direction: Direction = Direction.LOWER


def command_declared(spec: CommandSpec) -> Declared:
    return Declared(
        name=spec.name,
        kind=Kind.COMMAND,
        source=spec.source,
        unit="s" if spec.metric == "time" else "",
        timeout_s=spec.timeout_s,
        threshold=spec.threshold,
        tags=tuple(spec.tags),
        code_hash=shlex.join((spec.metric, *spec.run)),
        device="cpu",
    )


def run_command(spec: CommandSpec, root: Path) -> Callable[[], object]:
    """A callable that runs the command once; raises MeasurementError where it exits with another code than 0."""

    def once() -> None:
        _execute(spec, root, subprocess.DEVNULL)

    return once


def run_json(spec: CommandSpec, root: Path) -> tuple[Value, ...]:
    """The numbers that the command prints as one JSON document on stdout.

    `{"name": 1.5}` or `{"name": {"value": 1.5, "unit": "B", "direction": "higher"}}`. Raises MeasurementError
    for anything else, naming what was found.
    """
    text = _execute(spec, root, subprocess.PIPE)
    try:
        document = json.loads(text)
    except ValueError as error:
        raise MeasurementError(f"{spec.name}: stdout is no JSON: {error}; it begins {text[:80]!r}") from error
    if not isinstance(document, dict) or not document:
        raise MeasurementError(f"{spec.name}: stdout must be a JSON object of numbers, not {text[:80]!r}")
    return tuple(_value(spec, str(name), item) for name, item in document.items())


def _value(spec: CommandSpec, name: str, item: object) -> Value:
    fields = dict(item) if isinstance(item, dict) else {"value": item}
    number = fields.pop("value", None)
    unit, direction = fields.pop("unit", ""), fields.pop("direction", "lower")
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise MeasurementError(f"{spec.name}: {name} is {number!r}, not a finite number")
    if not isinstance(unit, str) or direction not in tuple(Direction) or fields:
        raise MeasurementError(
            f"{spec.name}: {name} may have value, unit and direction (lower or higher), not {item!r}"
        )
    return Value(name, float(number), unit, Direction(str(direction)))


def _execute(spec: CommandSpec, root: Path, stdout: int) -> str:
    try:
        done = subprocess.run(spec.run, cwd=root, stdin=subprocess.DEVNULL, stdout=stdout, check=False)
    except OSError as error:
        raise SuiteError(
            f"{spec.source}: {spec.name}: cannot run {spec.run[0]!r}: {error.strerror}",
            "The command runs without a shell in the root of the tree; give a path or a name on PATH.",
        ) from error
    if done.returncode != 0:
        raise MeasurementError(f"{spec.name}: {shlex.join(spec.run)} exited with {done.returncode}")
    return (done.stdout or b"")[:OUTPUT_LIMIT].decode(errors="replace")
