"""Configuration: `perftrack.toml`, or `[tool.perftrack]` in pyproject.toml, to a frozen Config.

Every problem in the file is reported at once, with its key. `SETTINGS` is the one table of what can be set:
it drives parsing, `perftrack config show` and the documentation's test.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from perftrack.config.command import commands
from perftrack.config.values import (
    address,
    field_names,
    number,
    one_of,
    pattern,
    patterns,
    relative,
    renamed,
    text,
    texts,
    variables,
    whole,
)
from perftrack.core.command import CommandSpec
from perftrack.core.fingerprint import make_policy
from perftrack.errors import ConfigError

__all__ = ("FILES", "SETTINGS", "Config", "Setting", "load_config", "parse_config", "shown")

FILES = ("perftrack.toml", "pyproject.toml")


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
    env: str = ""
    env_files: tuple[str, ...] = ()
    env_requirements: tuple[str, ...] = ()
    env_install: str = ""
    env_cache_gib: float = 20.0
    processes: int = 4  # the fewest that a comparison of two runs can rest on alone
    max_processes: int = 4
    width: float = 0.005
    windows: int = 5
    window_s: float = 0.1
    budget_s: float = 5.0
    timeout_s: float = 120.0
    device: str = ""
    threshold: float = 0.02
    release: str = ""
    silence_days: int = 14
    silence_commits: int = 3
    silence_ignore: tuple[str, ...] = ()
    site: str = "perftrack-site"
    site_url: str = ""
    ncu: str = ""
    ncu_clock_control: str = "none"
    ncu_cache_control: str = "all"
    ncu_launches: int = 200
    ncu_timeout_s: float = 600.0
    fingerprint_key: tuple[str, ...] = ()
    fingerprint_context: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    command: tuple[CommandSpec, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    path: Path | None = None  # the file it came from; None: defaults


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the file. `toml`: its name there; `parse` raises ValueError, one argument a problem."""

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
            problems += [f"{key}: {wrong}" for wrong in error.args]
    both = ("fingerprint_key", "fingerprint_context")
    if all(name in values for name in both):
        try:
            make_policy(key=values[both[0]], context=values[both[1]])  # type: ignore[arg-type]
        except ValueError as error:
            problems.append(str(error))
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


SETTINGS: tuple[Setting, ...] = (
    Setting("benchmarks", "benchmarks", relative, "folder of the benchmark files"),
    Setting("pattern", "pattern", pattern, "file name pattern of the benchmark files"),
    Setting("store", "store", text, "path of the store"),
    Setting("python", "python", text, "interpreter that runs the benchmarks; empty: perftrack's own"),
    Setting(
        "pythonpath",
        "pythonpath",
        texts,
        "import folders of the tree under test; default: src if it exists, and the root",
    ),
    Setting("build", "build", text, "shell command that builds a commit's worktree before it is measured"),
    Setting(
        "build-timeout",
        "build_timeout_s",
        number(0, 86_400),
        "seconds a build, or making an environment, may take",
    ),
    Setting(
        "env",
        "env",
        one_of("", "venv", "current"),
        "where commits in worktrees are built and measured: venv, current; empty: by their dependency files",
    ),
    Setting(
        "env-files",
        "env_files",
        patterns,
        "files that tell environments apart; default: pyproject.toml, setup.*, requirements*.txt, *.lock",
    ),
    Setting("env-requirements", "env_requirements", texts, "what to install with pip into every environment"),
    Setting(
        "env-install",
        "env_install",
        text,
        "shell command that installs a commit's dependencies; default: pip, requirements.txt and the project",
    ),
    Setting("env-cache-gib", "env_cache_gib", number(0, 100_000), "GiB that kept environments may take"),
    Setting("processes", "processes", whole(1, 100), "fresh worker processes a run"),
    Setting("max-processes", "max_processes", whole(1, 100), "most processes, for cases that are too wide"),
    Setting("width", "width", number(0, 1), "relative half-width at which a case needs no more processes"),
    Setting("windows", "windows", whole(2, 1000), "windows of samples in each process"),
    Setting("window", "window_s", number(0, 60), "seconds of timed work in a window"),
    Setting("budget", "budget_s", number(0, 3600), "seconds of timed work a case may take in one process"),
    Setting("timeout", "timeout_s", number(0, 86_400), "seconds after which a case is killed, set-up included"),
    Setting("device", "device", text, "device to run on instead of the declared one: cpu, cuda, …"),
    Setting("threshold", "threshold", number(0, 10), "relative change that matters, 0.02 is 2 %"),
    Setting("release", "release", text, "tag or revision that detect counts creep from; empty: the last tag"),
    Setting(
        "silence-days", "silence_days", whole(0, 10_000), "days without a run that detect calls silence; 0: never"
    ),
    Setting(
        "silence-commits",
        "silence_commits",
        whole(1, 1000),
        "measured commits without a case that detect calls silence",
    ),
    Setting(
        "silence-ignore", "silence_ignore", texts, "patterns of cases, devices and hosts that may fall silent"
    ),
    Setting("site", "site", text, "folder that site build writes"),
    Setting("site-url", "site_url", address, "where the site is published, for links to it"),
    Setting("ncu", "ncu", text, "Nsight Compute's ncu; empty: the one on PATH, or an installed one"),
    Setting(
        "ncu-clock-control",
        "ncu_clock_control",
        one_of("none", "base", "boost"),
        "what ncu does to the clocks: none, base or boost",
    ),
    Setting(
        "ncu-cache-control", "ncu_cache_control", one_of("all", "none"), "caches that ncu flushes: all or none"
    ),
    Setting("ncu-launches", "ncu_launches", whole(1, 100_000), "most launches of a case that are profiled"),
    Setting("ncu-timeout", "ncu_timeout_s", number(0, 86_400), "seconds that profiling one case may take"),
    Setting("fingerprint-key", "fingerprint_key", field_names, "context fields that must match to compare"),
    Setting("fingerprint-context", "fingerprint_context", field_names, "key fields that need not match"),
    Setting("environment", "environment", variables, "environment variables set for the workers"),
    Setting("aliases", "aliases", renamed, 'earlier names of benchmarks, by present name: new = ["old"]'),
    Setting("command", "command", commands, "command benchmarks: name, run, metric, timeout, threshold, tags"),
)


def shown(config: Config) -> tuple[tuple[Setting, object], ...]:
    """Every setting with its value, in the table's order."""
    values = {f.name: getattr(config, f.name) for f in fields(config)}
    return tuple((s, values[s.attribute]) for s in SETTINGS)
