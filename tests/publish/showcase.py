"""A project's life in a real repository and store, in which everything happens that a site can show.

90 commits on a GPU and a CPU, with a driver upgrade: regressions that stand, that were taken back and that were
accepted, one that crept in, failures, a case that stopped reporting, profiles, ceilings and a finished bisect.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from perftrack.core.ceiling import CeilingResult, DataType, Definition
from perftrack.core.ceilingcase import METRIC, SOURCE, ceiling_case
from perftrack.core.launches.launch import Bound, Launch, LaunchSummary, Profile, Stall
from perftrack.core.model import (
    Commit,
    Direction,
    Interval,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Run,
    Status,
    Window,
)
from perftrack.core.reasons import reason
from perftrack.core.search.blame import Blame
from perftrack.core.search.visits import Outcome
from perftrack.store import connection, insertion, rows
from perftrack.store.blames import add_blame
from perftrack.store.texts import canonical_json
from tests import scratch
from tests.publish.synthetic import EVENT, NEW_DRIVER, OLD_DRIVER, Shape, SyntheticHistory
from tests.stored import Stored, made

COMMITS = 90
UPGRADE, RELEASE = 34, 58  # commits: of the new driver, and the tagged one
SLOWER, FASTER, ACCEPTED, ENDED = 66, 78, 50, 80
SLOW_CASE = "matmul[dtype=bf16,n=4096]"
_CREPT = {62: 1.012, 70: 1.013, 78: 1.012}  # each below the threshold
_AUTHORS = ("Ada Lang", "Grace Ohm", "Wei Chen")
_SUBJECTS = {
    0: "Import the kernels",
    SLOWER: "Pad shared memory to avoid bank conflicts",
    FASTER: "Read rows of layer_norm once",
    ACCEPTED: "Accumulate the convolution in float32",
    UPGRADE: "Move the runners to driver 570",
    RELEASE: "Release 1.4",
    COMMITS - 1: "Unroll the tail of the copy",
}


def shapes() -> tuple[Shape, ...]:
    gemm, norm, cpu = ("gemm",), ("norm", "memory-bound"), ("cpu",)
    last = COMMITS - 1
    return (
        Shape("matmul", (("n", 1024), ("dtype", "bf16")), 9.3e-6, 0.008, tags=gemm, steps={SLOWER: 1.045}),
        Shape("matmul", (("n", 4096), ("dtype", "bf16")), 2.31e-4, 0.005, tags=gemm, steps={SLOWER: 1.083}),
        Shape("matmul", (("n", 8192), ("dtype", "bf16")), 1.71e-3, 0.02, tags=gemm, bimodal=True),
        Shape("matmul", (("n", 1024), ("dtype", "f32")), 5.2e-5, 0.004, tags=gemm),
        Shape("matmul", (("n", 4096), ("dtype", "f32")), 2.9e-3, 0.004, tags=gemm),
        Shape("matmul", (("n", 8192), ("dtype", "f32")), 2.3e-2, 0.004, tags=gemm),
        Shape("softmax", (("cols", 4096),), 2.9e-5, tags=norm, steps={52: 1.062, 63: 1 / 1.062}),
        Shape("layer_norm", (("cols", 4096),), 3.4e-5, 0.006, tags=norm, steps={FASTER: 0.81}),
        Shape("attention", (("causal", True), ("seq", 2048)), 4.1e-4, tags=("attention",), fails=(44, 45, last)),
        Shape("attention", (("causal", True), ("seq", 8192)), 6.2e-3, tags=("attention",), since=15),
        Shape("rope", (("seq", 4096),), 7.3e-5, 0.006, tags=("attention",), steps=_CREPT),
        Shape("conv", (("channels", 64),), 1.9e-4, 0.005, steps={ACCEPTED: 1.12}, unstable=(20, 21, 61)),
        Shape(
            "copy", (("gib", 1),), 4.05e12, 0.001, "bandwidth", "byte/s", Direction.HIGHER,
            tags=("memory-bound",), steps={last: 1.035},
        ),
        Shape("scan", (("n", 1 << 20),), 1.2e-5, tags=norm),
        Shape("tokenise", (("text", "short"),), 8.4e-4, 0.009, gpu=False, tags=cpu, steps={22: 1.3, 40: 0.7}),
        Shape("tokenise", (("text", "long"),), 8.4e-2, 0.009, gpu=False, tags=cpu, steps={last: 1.13}),
        Shape("wheel_size", (), 1_482_112.0, 0.0, "wheel_size", "B", gpu=False, tags=cpu, steps={70: 1.0625}),
    )  # fmt: skip


class _Life(SyntheticHistory):
    def __init__(self) -> None:
        super().__init__(COMMITS, shapes(), upgrade=UPGRADE)

    def measurement(self, shape: Shape, at: int) -> Measurement:
        found = super().measurement(shape, at)
        params = dict(shape.params)
        if shape.benchmark == "matmul":
            found = replace(found, flops=2.0 * int(str(params["n"])) ** 3)
        if shape.benchmark in ("softmax", "layer_norm"):
            found = replace(found, bytes_moved=2.0 * 4 * 4096**2 * 0.6)
        return replace(found, output="Traceback (most recent call last):\n  …\n" if found.output else "")

    def run_at(self, at: int, sha: str) -> Run:
        made = self.run(next(i for i, n in self._ids.items() if n == at))
        kept = [m for m in made.measurements if not (m.case.benchmark == "scan" and at >= ENDED)]
        if at % 9 == 4:  # the CPU's runner was away
            kept = [m for m in kept if m.case.benchmark != "tokenise"]
        return replace(made, sha=sha, dirty=False, measurements=tuple(kept), limitations=made.limitations[:1])


def make(folder: Path, name: str = "kernels") -> Stored:
    """The repository with its store, in `folder`/`name`."""
    stored = made(folder / name, "silence-days = 3650\n")
    life = _Life()
    _commit(stored, life)
    runs = [life.run_at(at, sha) for at, sha in enumerate(stored.shas)]
    stored.repo.git("remote", "add", "origin", "git@github.com:example/kernels.git")
    stored.repo.git("tag", "v1.4", stored.shas[RELEASE])
    for at in (0, UPGRADE):
        runs[at] = replace(runs[at], measurements=(*runs[at].measurements, *_ceilings(at)))
    # Measured twice: how far apart the same code reads.
    again = [
        replace(life.run_at(at - 1, stored.shas[at]), started_at=runs[at].started_at + 4000) for at in (72, 88)
    ]
    commits = [
        replace(c, sha=sha, subject=_subject(at, c), author=_AUTHORS[at % 3])
        for at, (c, sha) in enumerate(zip(life.commits(), stored.shas, strict=True))
    ]
    with connection.writing(stored.store.path, 10.0) as db:
        for run in (*runs, *again):
            batch = rows.batch(run, run.id, commits if run is runs[0] else ())
            insertion.insert(db, batch, canonical_json(batch.texts))
    for at in (40, 55, SLOWER - 1, SLOWER, 77, COMMITS - 1):
        stored.store.add_profile(_profile(stored.shas[at], runs[at].started_at, late=at >= SLOWER))
    add_blame(stored.store, _blame(stored.shas, runs[-1].started_at))
    epoch = f'[[epoch]]\nbench = "conv"\nat = "{stored.shas[ACCEPTED]}"\nreason = "sums need float32"\n'
    (stored.repo.root / "perftrack-epochs.toml").write_text(epoch, encoding="utf-8")
    return stored


def _commit(stored: Stored, life: SyntheticHistory) -> None:
    lines: list[str] = []
    for at, commit in enumerate(life.commits()):
        subject = _subject(at, commit)
        author = _AUTHORS[at % 3]
        files = {"kernels.cu": f"// {at}\n"} | ({"requirements.txt": "torch==2.9\n"} if at == SLOWER else {})
        lines += ["commit refs/heads/main", f"author {author} <a@example.org> {commit.author_time} +0000"]
        lines += [f"committer {author} <a@example.org> {commit.commit_time} +0000"]
        lines += [f"data {len(subject.encode())}", subject]
        for name, text in files.items():
            lines += [f"M 100644 inline {name}", f"data {len(text)}", text]
    root, stream = stored.repo.root, "\n".join(lines) + "\n"
    environment = scratch.git_environment()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, env=environment, input=stream.encode(), check=True)
    stored.repo.git("reset", "-q", "--hard", "main")
    stored.shas = stored.repo.git("rev-list", "--reverse", "HEAD").split()


def _subject(at: int, commit: Commit) -> str:
    plain = commit.subject if "<" not in commit.subject and ">" not in commit.subject else "Tidy the tests"
    return _SUBJECTS.get(at, plain)


def _ceilings(at: int) -> tuple[Measurement, ...]:
    where = OLD_DRIVER if at < UPGRADE else NEW_DRIVER
    bf16 = CeilingResult(
        Definition.MAMF, "v1/mamf-median5", 7.7e14, Interval(7.68e14, 7.72e14), dtype=DataType.BFLOAT16
    )
    results = (
        bf16,
        replace(bf16, value=5.3e13, interval=Interval(5.28e13, 5.32e13), dtype=DataType.FLOAT32),
        CeilingResult(Definition.COPY_DEVICE, "v1/copy-device", 4.2e12, Interval(4.19e12, 4.21e12)),
    )
    return tuple(
        Measurement(
            case=ceiling_case(r), metric=METRIC, unit=r.definition.unit, direction=Direction.HIGHER,
            status=Status.OK, protocol=EVENT, tier=MeasurementTier.B, fingerprint=where, value=r.value,
            interval=r.interval, reasons=(reason("clocks-floating"),), limitations=(reason("clocks-unlocked"),),
            processes=(ProcessSamples(0, (Window((r.value,)),)),), tags=("ceiling",), source=SOURCE,
        )
        for r in results
    )  # fmt: skip


def _profile(sha: str, taken: float, *, late: bool) -> Profile:
    main = LaunchSummary(
        "void gemm<(int)128, __nv_bfloat16>(__nv_bfloat16 const*, __nv_bfloat16 const*, float*)",
        grid=(32, 32, 1), block=(256, 1, 1), duration_s=2.5e-4 if late else 2.31e-4,
        dram_read_bytes=1.4e8 if late else 1.0e8, dram_write_bytes=3.4e7, dram_pct=17.0,
        sm_pct=62.0 if late else 81.0,
        occupancy_achieved_pct=31.0 if late else 47.5, occupancy_limiter="registers",
        registers=168.0 if late else 128.0, shared_bytes=98304.0 if late else 65536.0, flops=1.374e11,
        top_stalls=(Stall("math pipe throttle", 3.1, 44.0 if late else 58.0, "pcsamp"),),
        bound=Bound.COMPUTE, code_hash="bb" if late else "aa",
    )  # fmt: skip
    cast = replace(
        main, kernel="cast_to_bf16", grid=(4096, 1, 1), duration_s=1.1e-5, dram_read_bytes=3.2e7, flops=None,
        dram_write_bytes=1.6e7, dram_pct=82.0, sm_pct=12.0, occupancy_achieved_pct=88.0, registers=22.0,
        shared_bytes=0.0, top_stalls=(Stall("long scoreboard", 9.0, 73.0, "pcsamp"),), bound=Bound.MEMORY,
        code_hash="cc",
    )  # fmt: skip
    made = Profile(sha, SLOW_CASE, taken + 120.0, (Launch(main), Launch(cast)))
    return replace(made, ncu_version="2025.3.1", clock_control="none", cache_control="all", collection="basic")


def _blame(shas: list[str], finished_at: float) -> Blame:
    return Blame(
        case_id=SLOW_CASE, metric="time", unit="s", direction=Direction.LOWER, good=shas[RELEASE],
        bad=shas[SLOWER + 8], outcome=Outcome.FOUND, commits=(shas[SLOWER],), probability=0.997, confidence=0.99,
        merge=False, before=shas[SLOWER - 1], after=shas[SLOWER], effect=0.079, interval=Interval(0.074, 0.084),
        p_value=0.001, logs=True, explained=0.98, posterior=((shas[SLOWER], 0.997),), earlier=(), measurements=34,
        builds=6, seconds=812.0, seed=3, finished_at=finished_at,
    )  # fmt: skip
