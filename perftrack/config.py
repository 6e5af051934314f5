"""Configuration: `perftrack.toml`, or `[tool.perftrack]` in pyproject.toml, to a frozen Config.

Every problem in the file is reported at once, with its key. `SETTINGS` is the one table of what can be set:
it drives parsing, `perftrack config show` and the documentation's test.
"""

from __future__ import annotations

import difflib
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from perftrack.errors import ConfigError

FILES = ("perftrack.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Command:
    """One `[[tool.perftrack.command]]`."""

    name: str
    run: tuple[str, ...]
    metric: str = "time"
    timeout_s: float | None = None
    threshold: float | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """What a project says of its benchmarks. Paths are relative to the repository's root."""

    benchmarks: str = "benchmarks"
    pattern: str = "bench_*.py"
    store: str = "perftrack.duckdb"
    python: str = ""
    pythonpath: tuple[str, ...] | None = None
    build: str = ""
    build_timeout_s: float = 1800.0
    processes: int = 3
    max_processes: int = 3
    width: float = 0.005
    windows: int = 5
    window_s: float = 0.1
    budget_s: float = 5.0
    timeout_s: float = 120.0
    device: str = ""
    threshold: float = 0.02
    site: str = "perftrack-site"
    fingerprint_key: tuple[str, ...] = ()
    fingerprint_context: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    command: tuple[Command, ...] = ()
    path: Path | None = None  # the file it came from; None: defaults


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the file. `toml`: its name there; `parse` raises ValueError with what is wrong."""

    toml: str
    attribute: str
    parse: Callable[[object], object]
    help: str


def load_config(root: Path) -> Config:
    """The configuration of the project at `root`. Raises ConfigError listing every problem."""
    for name in FILES:
        path = root / name
        table = _read(path)
        if table is None:
            continue
        if name == "pyproject.toml":
            tool = table.get("tool", {})
            table = tool.get("perftrack") if isinstance(tool, dict) else None
            if table is None:
                continue
            if not isinstance(table, dict):
                raise ConfigError(f"{path}: [tool.perftrack] must be a table")
        return parse_config(table, path)
    return Config()


def parse_config(table: Mapping[str, object], path: Path) -> Config:
    """A checked Config from a table. Raises ConfigError listing every problem."""
    problems: list[str] = []
    values: dict[str, object] = {}
    known = {s.toml: s for s in SETTINGS}
    for key, raw in table.items():
        setting = known.get(key)
        if setting is None:
            near = difflib.get_close_matches(key, known, 1)
            problems.append(f"unknown key {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
            continue
        try:
            values[setting.attribute] = setting.parse(raw)
        except ValueError as error:
            problems.append(f"{key}: {error}")
    if problems:
        listed = "\n".join(f"  - {p}" for p in problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise ConfigError(
            f"{path}: {count} in the configuration\n{listed}", "perftrack config show lists the keys."
        )
    return Config(path=path, **values)  # type: ignore[arg-type]


def _read(path: Path) -> dict[str, object] | None:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def _text(raw: object) -> str:
    if not isinstance(raw, str) or "\0" in raw:
        raise ValueError(f"must be a string, not {raw!r}")
    return raw


def _relative(raw: object) -> str:
    text = _text(raw)
    if not text or Path(text).is_absolute() or ".." in Path(text).parts:
        raise ValueError(f"must be a path inside the repository, not {raw!r}")
    return text


def _texts(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise ValueError(f"must be a list of strings, not {raw!r}")
    return tuple(raw)


def _whole(low: int, high: int) -> Callable[[object], int]:
    def parse(raw: object) -> int:
        if not isinstance(raw, int) or isinstance(raw, bool) or not low <= raw <= high:
            raise ValueError(f"must be a whole number from {low} to {high}, not {raw!r}")
        return raw

    return parse


def _number(low: float, high: float) -> Callable[[object], float]:
    def parse(raw: object) -> float:
        if not isinstance(raw, int | float) or isinstance(raw, bool) or not low < raw <= high:
            raise ValueError(f"must be a number above {low:g}, at most {high:g}, not {raw!r}")
        return float(raw)

    return parse


def _variables(raw: object) -> dict[str, str]:
    if not isinstance(raw, dict) or not all(isinstance(v, str) for v in raw.values()):
        raise ValueError("must be a table of strings")
    return dict(raw)


def _commands(raw: object) -> tuple[Command, ...]:
    if not isinstance(raw, list):
        raise ValueError("must be a list of tables: [[tool.perftrack.command]]")
    commands = tuple(_command(item) for item in raw)
    names = [c.name for c in commands]
    if twice := {n for n in names if names.count(n) > 1}:
        raise ValueError(f"two commands are named {sorted(twice)[0]!r}")
    return commands


def _command(raw: object) -> Command:
    if not isinstance(raw, dict):
        raise ValueError(f"must be a table, not {raw!r}")
    allowed = {"name", "run", "metric", "timeout", "threshold", "tags"}
    if extra := sorted(set(raw) - allowed):
        raise ValueError(f"unknown key {extra[0]!r} in a command; it has {', '.join(sorted(allowed))}")
    if not raw.get("name") or not raw.get("run"):
        raise ValueError("a command needs `name` and `run`")
    run = raw["run"]
    argv = _texts(run) if isinstance(run, list) else tuple(shlex.split(_text(run)))
    metric = raw.get("metric", "time")
    if metric not in ("time", "stdout-json"):
        raise ValueError(f'metric must be "time" or "stdout-json", not {metric!r}')
    timeout, threshold = raw.get("timeout"), raw.get("threshold")
    return Command(
        name=_text(raw["name"]),
        run=argv,
        metric=metric,
        timeout_s=None if timeout is None else _number(0, 86_400)(timeout),
        threshold=None if threshold is None else _number(0, 10)(threshold),
        tags=_texts(raw.get("tags", [])),
    )


SETTINGS: tuple[Setting, ...] = (
    Setting("benchmarks", "benchmarks", _relative, "folder of the benchmark files"),
    Setting("pattern", "pattern", _text, "file name pattern of the benchmark files"),
    Setting("store", "store", _text, "path of the store"),
    Setting("python", "python", _text, "interpreter that runs the benchmarks; empty: perftrack's own"),
    Setting(
        "pythonpath",
        "pythonpath",
        _texts,
        "import folders of the tree under test; default: src if it exists, and the root",
    ),
    Setting("build", "build", _text, "shell command that builds a commit's worktree before it is measured"),
    Setting("build-timeout", "build_timeout_s", _number(0, 86_400), "seconds a build may take"),
    Setting("processes", "processes", _whole(1, 100), "fresh worker processes a run"),
    Setting("max-processes", "max_processes", _whole(1, 100), "most processes, for cases that are too wide"),
    Setting("width", "width", _number(0, 1), "relative half-width at which a case needs no more processes"),
    Setting("windows", "windows", _whole(2, 1000), "windows of samples in each process"),
    Setting("window", "window_s", _number(0, 60), "seconds of timed work in a window"),
    Setting("budget", "budget_s", _number(0, 3600), "seconds of timed work a case may take in one process"),
    Setting("timeout", "timeout_s", _number(0, 86_400), "seconds after which a case is killed, set-up included"),
    Setting("device", "device", _text, "device to run on instead of the declared one: cpu, cuda, …"),
    Setting("threshold", "threshold", _number(0, 10), "relative change that matters, 0.02 is 2 %"),
    Setting("site", "site", _text, "folder that site build writes"),
    Setting("fingerprint-key", "fingerprint_key", _texts, "context fields that must match to compare"),
    Setting("fingerprint-context", "fingerprint_context", _texts, "key fields that need not match"),
    Setting("environment", "environment", _variables, "environment variables set for the workers"),
    Setting("command", "command", _commands, "command benchmarks: name, run, metric, timeout, threshold, tags"),
)


def shown(config: Config) -> tuple[tuple[Setting, object], ...]:
    """Every setting with its value, in the table's order."""
    values = {f.name: getattr(config, f.name) for f in fields(config)}
    return tuple((s, values[s.attribute]) for s in SETTINGS)
