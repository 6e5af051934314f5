"""A long made-up history of many benchmarks, as a Git repository, as results of asv and as a store of perftrack.

The numbers are the same in both formats: a level per benchmark, noise of its own, now and then a step, and a
95 % interval. Everything is drawn from one seed.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import lane_id
from perftrack.core.model import Cache, Case, Protocol, Timer
from perftrack.core.reasons import reason
from perftrack.store import Store
from perftrack.store.connection import writing
from perftrack.store.texts import canonical_json, case_key, reasons_json

START = 1_600_000_000
HOUR = 3600
STEPS = 1.5  # per benchmark and 2,000 commits, on average
MACHINE = EnvironmentFingerprint(
    device_kind="cuda", gpu_name="NVIDIA H200", driver_version="550.54.15", machine="x86_64", host="bench-01"
)
EVENT = Protocol(Timer.EVENT, Cache.COLD)


@dataclass(frozen=True, slots=True)
class LongHistory:
    """`values`, `half`: (benchmarks, commits) seconds, the second half of an interval; `shas` oldest first."""

    shas: tuple[str, ...]
    values: NDArray[np.float64]
    half: NDArray[np.float64]

    @property
    def names(self) -> list[str]:
        return [f"suite_{at // 25:02d}.time_work_{at:04d}" for at in range(len(self.values))]


def make_history(folder: Path, commits: int, benchmarks: int, seed: int = 1) -> LongHistory:
    """Make a repository of so many commits in `folder`, and the numbers that belong to it."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    stream = "".join(
        f"commit refs/heads/main\ncommitter Ada Lang <a@b> {START + n * HOUR} +0000\n"
        f"data {len(_subject(n))}\n{_subject(n)}\n"
        for n in range(commits)
    )
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "fast-import", "--quiet"], input=stream.encode(), check=True)
    listed = subprocess.run([*git, "rev-list", "--reverse", "main"], capture_output=True, text=True, check=True)
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0.003, 0.02, benchmarks)
    values = 1e-3 * np.exp(
        rng.normal(0, 2, (benchmarks, 1)) + rng.normal(0, 1, (benchmarks, commits)) * noise[:, None]
    )
    for own in values:
        for _ in range(rng.poisson(STEPS * commits / 2000)):
            own[rng.integers(1, commits) :] *= np.exp(rng.choice([-1, 1]) * rng.uniform(0.02, 0.2))
    half = values * noise[:, None] * rng.uniform(0.8, 1.6, values.shape)
    return LongHistory(tuple(listed.stdout.split()), values, half)


def _subject(at: int) -> str:
    return f"Change number {at} of the kernels"


def write_asv(folder: Path, repository: Path, history: LongHistory) -> None:
    """Results of asv 0.6 (format 2) and a configuration in `folder`, as `asv run` would have left them."""
    results = folder / "results" / "bench-01"
    results.mkdir(parents=True)
    config = {
        "version": 1,
        "project": "kernels",
        "repo": str(repository),
        "branches": ["main"],
        "environment_type": "virtualenv",
        "show_commit_url": "https://example.org/commit/",
    }
    (folder / "asv.conf.json").write_text(json.dumps(config))
    machine = {"arch": "x86_64", "cpu": "cpu", "machine": "bench-01", "num_cpu": "2", "os": "Linux", "ram": "1"}
    (results / "machine.json").write_text(json.dumps(machine | {"version": 1}))
    listed = {name: _asv_benchmark(name) for name in history.names}
    (folder / "results" / "benchmarks.json").write_text(json.dumps(listed | {"version": 2}))
    for at, sha in enumerate(history.shas):
        document = _asv_results(history, at, machine) | {"commit_hash": sha, "date": (START + at * HOUR) * 1000}
        (results / f"{sha[:8]}-virtualenv-py3.11.json").write_text(json.dumps(document, separators=(",", ":")))


def _asv_benchmark(name: str) -> dict[str, object]:
    texts = {"code": "def time_work():\n    work()", "name": name, "pretty_name": None, "type": "time"}
    numbers = {"number": 0, "repeat": 0, "rounds": 2, "sample_time": 0.01, "timeout": 60.0, "warmup_time": -1}
    rest = {"param_names": [], "params": [], "unit": "seconds", "min_run_count": 2, "version": _version(name)}
    return texts | numbers | rest


def _version(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _asv_results(history: LongHistory, at: int, machine: dict[str, str]) -> dict[str, object]:
    columns = "result params version started_at duration stats_ci_99_a stats_ci_99_b stats_q_25 stats_q_75"
    rows = {}
    for name, value, half in zip(history.names, history.values[:, at], history.half[:, at], strict=True):
        low, high = float(f"{value - half:.5g}"), float(f"{value + half:.5g}")
        started = (START + at * HOUR) * 1000
        rows[name] = [[float(value)], [], _version(name), started, 1.5, [low], [high], [low], [high], [10], [10]]
    return {
        "env_name": "virtualenv-py3.11",
        "params": machine | {"python": "3.11"},
        "python": "3.11",
        "requirements": {},
        "env_vars": {},
        "result_columns": [*columns.split(), "stats_number", "stats_repeat", "samples", "profile"],
        "results": rows,
        "durations": {},
        "version": 2,
    }


_MADE = "CREATE TEMP TABLE made AS SELECT unnest($1) AS no, unnest($2) AS run_id, unnest($3) AS sha"
_NAMED = "CREATE TEMP TABLE named AS SELECT unnest($1) AS case_key, unnest($2) AS name, unnest($3) AS no"
_RUN = """
INSERT INTO runs SELECT run_id, sha, $start + 3600 * no + 60, 100, 1, false, '[]', '0.1.0', 'bench-01', '', '{}'
FROM made WHERE no BETWEEN $first AND $last ORDER BY no
"""
_COMMITS = """
INSERT INTO commits
SELECT sha, [], 'Ada Lang', $start + 3600 * no, $start + 3600 * no, 'Change number ' || no || ' of the kernels'
FROM made WHERE no BETWEEN $first AND $last ORDER BY no
"""
_MEASUREMENTS = """
INSERT INTO measurements BY NAME
SELECT r.run_id, v.b::INTEGER AS measurement_no, c.case_key, '[]' AS param_order, 'time' AS metric, 's' AS unit,
       'lower' AS direction, 'ok' AS status, $timer AS timer, $cache AS cache, 1 AS protocol_version,
       $lane AS lane_id, $environment AS fingerprint_id, 'B' AS tier, v.value, v.lo AS interval_lo,
       v.hi AS interval_hi, $reasons AS reasons, $limitations AS limitations, '["work"]' AS tags,
       'benchmarks/bench_work.py:12' AS source, '' AS code_hash, '' AS output, 3 AS process_count,
       1e-6 AS within_variance
FROM numbers v JOIN made r ON r.no = v.r JOIN named c ON c.no = v.b ORDER BY v.r, v.b
"""


def write_store(path: Path, history: LongHistory, first: int = 0, last: int | None = None) -> Store:
    """Put the commits `first` up to, without, `last` into a store: in bulk, to save time, and without samples."""
    store = Store(path)
    last = len(history.shas) if last is None else last
    count, commits = len(history.names), range(first, last)
    cases = [Case(name) for name in history.names]
    span = {"start": START, "first": first, "last": last - 1}
    values, half = history.values[:, first:last].T.ravel(), history.half[:, first:last].T.ravel()
    numbers = {
        "r": np.repeat(np.arange(first, last), count),
        "b": np.tile(np.arange(count), len(commits)),
        "value": values,
        "lo": values - half,
        "hi": values + half,
    }
    with writing(path, 60.0) as db:
        db.execute(_NAMED, [[case_key(c) for c in cases], history.names, list(range(count))])
        made = [list(commits), [_run_id(sha) for sha in history.shas[first:last]], list(history.shas[first:last])]
        db.execute(
            "CREATE TEMP TABLE made AS SELECT unnest($1) AS no, unnest($2) AS run_id, unnest($3) AS sha", made
        )
        if first == 0:
            fields = canonical_json(MACHINE.to_dict())
            db.execute("INSERT INTO fingerprints VALUES ($1, $2, $3)", [MACHINE.id, MACHINE.key_id, fields])
            db.execute("INSERT INTO cases SELECT case_key, name, name, '{}' FROM named ORDER BY no")
        db.execute(_COMMITS, span)
        db.execute(_RUN, span)
        db.register("numbers", numbers)
        facts = {
            "timer": EVENT.timer.value,
            "cache": EVENT.cache.value,
            "lane": lane_id(MACHINE, EVENT),
            "environment": MACHINE.id,
            "reasons": reasons_json((reason("clocks-floating"),)),
            "limitations": reasons_json((reason("clocks-unlocked"),)),
        }
        db.execute(_MEASUREMENTS, facts)
    return store


def _run_id(sha: str) -> str:
    return hashlib.sha256(sha.encode()).hexdigest()[:20]


def shortened(history: LongHistory, commits: int) -> LongHistory:
    """The first so many commits of a history."""
    return replace(
        history, shas=history.shas[:commits], values=history.values[:, :commits], half=history.half[:, :commits]
    )
