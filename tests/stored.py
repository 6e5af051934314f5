"""Recorded histories that nobody measured: real Git, a real store, and values that a test chooses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Case, Commit, Interval, Measurement, MeasurementTier, Run
from perftrack.store import Store, connection, insertion, rows
from perftrack.store.texts import canonical_json
from tests import scratch
from tests.core.builders import HERE, measured, processes
from tests.scratch import Answer, Scratch, called
from tests.store import builders

START = 1_700_000_000
HOUR = 3600


@dataclass
class Stored:
    """A repository with a line of commits, and what is recorded of them in its store."""

    repo: Scratch
    shas: list[str] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return Store(self.repo.root / "perftrack.duckdb")

    def call(self, *arguments: str) -> Answer:
        """The command in this process: the same answer, without the seconds that a start takes."""
        return called(arguments[0], "-C", str(self.repo.root), *arguments[1:])

    def commits(self, count: int, files: Mapping[int, Mapping[str, str]] | None = None) -> None:
        """A line of `count` commits, the first of which goes on from HEAD; each changes `code.py` at least."""
        head = self.repo.git("rev-parse", "--verify", "-q", "HEAD") if self.shas else ""
        lines: list[str] = []
        for number in range(len(self.shas), len(self.shas) + count):
            subject = f"Change {number}"
            at = START + number * HOUR
            lines += ["commit refs/heads/main", f"committer A <a@example.org> {at} +0000"]
            lines += [f"data {len(subject)}", subject]
            if head:
                lines.append(f"from {head}")
                head = ""
            for name, text in {"code.py": f"x = {number}\n", **(files or {}).get(number, {})}.items():
                lines += [f"M 100644 inline {name}", f"data {len(text.encode())}", text]
        stream = "\n".join(lines) + "\n"
        root, environment = self.repo.root, scratch.git_environment()
        subprocess.run(
            ["git", "fast-import", "--quiet"], cwd=root, env=environment, input=stream.encode(), check=True
        )
        self.repo.git("reset", "-q", "--hard", "main")
        self.shas = self.repo.git("rev-list", "--reverse", "--first-parent", "HEAD").split()

    def record(self, sha: str, *measurements: Measurement, at: float | None = None, **fields: object) -> None:
        self.record_runs([self.run(sha, *measurements, at=at, **fields)])

    def record_runs(self, runs: Sequence[Run]) -> None:
        """As Store.add_run of each. Runs that differ in nothing but value, tier and time are stored at once."""
        alike: dict[object, list[Run]] = {}
        for run in runs:
            alike.setdefault(_shape(run), []).append(run)
        with connection.writing(self.store.path, 10.0) as db:
            for first, *others in alike.values():
                batch = rows.batch(first, first.id, [Commit(first.sha, (), "A", START, START, "Change")])
                insertion.insert(db, batch, canonical_json(batch.texts))
                if others:
                    db.execute(f"CREATE OR REPLACE TEMP TABLE others AS {_OTHERS}", [json.dumps(_rows(others))])
                    for statement in _COPIES:
                        db.execute(statement, [first.id])

    def run(self, sha: str, *measurements: Measurement, at: float | None = None, **fields: object) -> Run:
        number = self.shas.index(sha) if sha in self.shas else 0
        return builders.run(
            *measurements, sha=sha, at=START + number * HOUR + 60.0 if at is None else at, **fields
        )

    def record_all(self, series: Mapping[str, Sequence[float]], **fields: object) -> None:
        """One run a commit, with the value of each case that has one there; NaN for none."""
        runs = []
        for number, sha in enumerate(self.shas):
            own = [
                timed(name, float(values[number]), **fields)
                for name, values in series.items()
                if number < len(values) and not np.isnan(values[number])
            ]
            if own:
                runs.append(self.run(sha, *own))
        self.record_runs(runs)


_OTHERS = """
SELECT unnest(from_json($1, '[{"run_id": "VARCHAR", "sha": "VARCHAR", "began": "DOUBLE", "item": "INTEGER",
    "value": "DOUBLE", "lo": "DOUBLE", "hi": "DOUBLE", "tier": "VARCHAR"}]'), recursive := true)
"""
_COPIES = (
    """INSERT INTO commits SELECT k.* REPLACE (o.sha AS sha) FROM (SELECT DISTINCT sha FROM others) o, commits k
       WHERE k.sha = (SELECT sha FROM runs WHERE run_id = $1)
         AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.sha = o.sha)""",
    """INSERT INTO measurements
       SELECT m.* REPLACE (o.run_id AS run_id, o.value AS value, o.lo AS interval_lo, o.hi AS interval_hi,
                           o.tier AS tier)
       FROM measurements m JOIN others o ON m.measurement_no = o.item WHERE m.run_id = $1""",
    """INSERT INTO runs
       SELECT r.* REPLACE (o.run_id AS run_id, o.sha AS sha, o.began AS started_at_s)
       FROM runs r, (SELECT DISTINCT run_id, sha, began FROM others) o WHERE r.run_id = $1""",
)


def _shape(run: Run) -> object:
    own = [replace(m, value=None, interval=None, processes=(), tier=MeasurementTier.B) for m in run.measurements]
    return repr(replace(run, sha="", started_at=0.0, measurements=tuple(own)))


def _rows(runs: Sequence[Run]) -> list[dict[str, object]]:
    return [
        {
            "run_id": run_id,
            "sha": run.sha,
            "began": run.started_at,
            "item": number,
            "value": m.value,
            "lo": m.interval.lo if m.interval else None,
            "hi": m.interval.hi if m.interval else None,
            "tier": m.tier.value,
        }
        for run, run_id in ((run, run.id) for run in runs)
        for number, m in enumerate(run.measurements)
    ]


def made(root: Path, config: str = "") -> Stored:
    root.mkdir(parents=True)
    repo = Scratch(root)
    repo.git("init", "-q", "-b", "main")
    (root / ".git" / "info" / "exclude").write_text("perftrack*\n")
    if config:
        repo.write("perftrack.toml", config)
    return Stored(repo)


def timed(
    name: str, value: float, *, tier: MeasurementTier = MeasurementTier.B, cpu: str = "Test 9000", **fields: object
) -> Measurement:
    """A measurement of one case: three processes that agree on `value`, within a part in a thousand."""
    given = {"fingerprint": EnvironmentFingerprint(**{**_fields(HERE), "cpu_model": cpu})} | fields
    return measured(
        *(value * r for r in (0.999, 1.0, 1.001)),
        case=Case(name),
        value=value,
        interval=Interval(value * 0.998, value * 1.002),
        tier=tier,
        **given,
    )


def counted(name: str, value: float, **fields: object) -> Measurement:
    """A metric that every process reads alike, as sizes and counts are."""
    from tests.core.builders import VALUE

    given = {"metric": "size", "unit": "B", "protocol": VALUE, "value": value, "interval": Interval(value, value)}
    return measured(case=Case(name), processes=processes(value, value), **(given | fields))


def _fields(fingerprint: EnvironmentFingerprint) -> dict[str, object]:
    return {i.name: fingerprint.value(i.name) for i in EnvironmentFingerprint.fields()}


def noisy(
    count: int, *steps: tuple[int, float], cv: float = 0.01, level: float = 1e-3, seed: int = 1
) -> np.ndarray:
    """`count` seconds about `level`, times each step's ratio from its index on."""
    values = level * np.exp(cv * np.random.default_rng(seed).standard_normal(count))
    for at, ratio in steps:
        values[at:] *= ratio
    return values
