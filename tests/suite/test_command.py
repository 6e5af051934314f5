"""Command benchmarks: what runs, and what counts as a number."""

import sys

import pytest

from perftrack.core.command import CommandSpec
from perftrack.core.model import Direction
from perftrack.errors import MeasurementError, SuiteError
from perftrack.suite.command import run_command, run_json


def printing(text: str) -> CommandSpec:
    return CommandSpec("c", (sys.executable, "-c", f"print({text!r})"), "stdout-json")


def test_numbers_and_full_values_are_read(tmp_path):
    document = '{"plain": 2, "full": {"value": 1.5, "unit": "B", "direction": "higher"}}'
    plain, full = run_json(printing(document), tmp_path)
    assert (plain.name, plain.value, plain.unit, plain.direction) == ("plain", 2.0, "", Direction.LOWER)
    assert (full.value, full.unit, full.direction) == (1.5, "B", Direction.HIGHER)


@pytest.mark.parametrize(
    "text",
    ["", "3", "[1]", "{}", '{"a": "x"}', '{"a": true}', '{"a": NaN}', '{"a": {"value": 1, "direction": "up"}}',
     '{"a": {"value": 1, "extra": 2}}', '{"a": null}', "not json {"],
)  # fmt: skip
def test_anything_else_is_refused(text, tmp_path):
    with pytest.raises(MeasurementError, match=r"^c: "):
        run_json(printing(text), tmp_path)


def test_a_failing_command_is_refused_with_its_code(tmp_path):
    spec = CommandSpec("c", (sys.executable, "-c", "raise SystemExit(7)"))
    with pytest.raises(MeasurementError, match="exited with 7"):
        run_command(spec, tmp_path)()


def test_a_command_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SuiteError, match="cannot run 'no-such-command-here'"):
        run_command(CommandSpec("c", ("no-such-command-here",)), tmp_path)()


def test_commands_run_in_the_given_root(tmp_path):
    code = "import os, json; print(json.dumps({'here': len(os.listdir('.'))}))"
    (tmp_path / "a").touch()
    (value,) = run_json(CommandSpec("c", (sys.executable, "-c", code), "stdout-json"), tmp_path)
    assert value.value == 1.0
