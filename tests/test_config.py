"""Configuration files: read, checked, and every problem told at once."""

from pathlib import Path

import pytest

from perftrack.config import SETTINGS, Config, load_config, parse_config, shown
from perftrack.errors import ConfigError


def test_defaults_without_a_file(tmp_path):
    assert load_config(tmp_path) == Config()


def test_pyproject_without_a_table_is_defaults(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname='x'\n")
    assert load_config(tmp_path).path is None


def test_pyproject_table_is_read(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.perftrack]\nprocesses = 5\nthreshold = 0.1\n")
    config = load_config(tmp_path)
    assert (config.processes, config.threshold, config.path) == (5, 0.1, tmp_path / "pyproject.toml")


def test_perftrack_toml_goes_before_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.perftrack]\nprocesses = 5\n")
    (tmp_path / "perftrack.toml").write_text("processes = 7\n")
    assert load_config(tmp_path).processes == 7


def test_commands_are_read_with_their_arguments_split():
    table = {"command": [{"name": "cli", "run": "python -c 'pass'", "timeout": 5}]}
    (command,) = parse_config(table, Path("f")).command
    assert (command.name, command.run, command.timeout_s) == ("cli", ("python", "-c", "pass"), 5.0)


def test_every_problem_is_told_at_once():
    with pytest.raises(ConfigError) as caught:
        parse_config({"proceses": 3, "windows": 1, "benchmarks": "/abs"}, Path("p.toml"))
    text = caught.value.message
    assert "3 problems" in text
    assert "did you mean 'processes'" in text
    assert "windows: must be a whole number from 2" in text
    assert "benchmarks: must be a path inside" in text


@pytest.mark.parametrize(
    "table",
    [
        {"benchmarks": "../up"},
        {"processes": True},
        {"processes": 0},
        {"threshold": 0},
        {"threshold": "2%"},
        {"timeout": float("inf")},
        {"pythonpath": "src"},
        {"environment": {"A": 1}},
        {"command": {"name": "x"}},
        {"command": ["x"]},
        {"command": [{"name": "x"}]},
        {"command": [{"name": "x", "run": "y", "metric": "speed"}]},
        {"command": [{"name": "x", "run": "y", "shell": True}]},
        {"command": [{"name": "x", "run": "'"}]},
        {"command": [{"name": "x", "run": "y"}, {"name": "x", "run": "z"}]},
    ],
)
def test_a_bad_value_is_refused(table):
    with pytest.raises(ConfigError):
        parse_config(table, Path("f"))


def test_broken_toml_names_the_file_and_place(tmp_path):
    (tmp_path / "perftrack.toml").write_text("a = \n")
    with pytest.raises(ConfigError, match=r"perftrack\.toml.*line 1"):
        load_config(tmp_path)


def test_a_table_that_is_no_table_is_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool]\nperftrack = 3\n")
    with pytest.raises(ConfigError, match="must be a table"):
        load_config(tmp_path)


def test_every_setting_is_an_attribute_of_config_and_the_other_way_round():
    attributes = set(Config.__dataclass_fields__) - {"path"}
    assert {s.attribute for s in SETTINGS} == attributes
    assert len(shown(Config())) == len(SETTINGS)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"environment": {"A=B": "1"}}, "'A=B' cannot name a variable"),
        ({"environment": {"": "1"}}, "'' cannot name a variable"),
        ({"environment": {"A\0": "1"}}, "cannot name a variable"),
        ({"environment": {"A": "\0"}}, "the value of 'A' has a NUL"),
        ({"pattern": "/abs/bench_*.py"}, "pattern: must be a file name pattern"),
        ({"pattern": "../bench_*.py"}, "pattern: must be a file name pattern"),
        ({"pattern": ""}, "pattern: must be a file name pattern"),
        ({"pattern": "bench**.py"}, "pattern: must be a file name pattern"),
        ({"fingerprint-key": ["gpu_nmae"]}, "fingerprint-key: no fingerprint field named gpu_nmae"),
        ({"fingerprint-context": ["nothing"]}, "fingerprint-context: no fingerprint field"),
        ({"fingerprint-key": ["host"], "fingerprint-context": ["host"]}, "both key and context: host"),
        ({"command": [{"name": "x", "run": "  "}]}, "must name a program"),
        ({"command": [{"name": "x", "run": []}]}, "must name a program"),
        ({"command": [{"name": "x", "run": [" "]}]}, "must name a program"),
        ({"command": [{"name": "x", "run": ["a\0"]}]}, "NUL"),
        ({"command": [{"name": "x\n", "run": "y"}]}, "control character"),
        ({"command": [{"name": " ", "run": "y"}]}, "1 to 200 characters"),
        ({"command": [{"name": 5, "run": "y"}]}, "must be a string"),
        ({"command": [{"name": "x", "run": "y", "tags": ["a\x1b"]}]}, "control character"),
    ],
)
def test_a_value_that_would_fail_later_is_refused_with_its_key(table, says):
    with pytest.raises(ConfigError) as caught:
        parse_config(table, Path("f"))
    assert says in caught.value.message
    assert "1 problem " in caught.value.message


def test_the_problems_of_every_variable_and_command_are_told_at_once():
    commands = [{"name": "a", "run": "x | y", "timeout": 0}, {"name": "b"}]
    with pytest.raises(ConfigError, match="5 problems") as caught:
        parse_config({"command": commands, "environment": {"=": "", "A": 1}}, Path("f"))
    assert "command: b: a command needs `run`" in caught.value.message


@pytest.mark.parametrize(
    "run", ["a && b", "a || b", "a|b", "a; b", "a > b", "a < b", "a `b`", "a $(b)", "a &", "a\nb", "a 'x' && b"]
)
def test_shell_syntax_in_a_command_is_refused_with_what_to_write(run):
    with pytest.raises(ConfigError, match=r'run = \["sh", "-c"'):
        parse_config({"command": [{"name": "x", "run": run}]}, Path("f"))


@pytest.mark.parametrize(
    ("run", "argument"),
    [
        ("a 'b && c'", "b && c"),
        ('a "b|c"', "b|c"),
        (r"a b\;c", "b;c"),
        ("a x?b=1&c=2", "x?b=1&c=2"),
        ("a $b", "$b"),
    ],
)
def test_quoted_shell_syntax_is_an_argument(run, argument):
    (command,) = parse_config({"command": [{"name": "x", "run": run}]}, Path("f")).command
    assert command.run == ("a", argument)
