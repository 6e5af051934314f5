"""`perftrack ceiling` as a user runs it, on the card on paper of a replay file."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from perftrack.ceiling.tuning import knobs
from perftrack.cli.main import main
from tests import scratch
from tests.publish.unpacking import unpacked
from tests.scratch import Answer, Scratch

BENCHMARKS = """
import perftrack as pt


@pt.benchmark(flops=lambda dtype: 4e11, params={"dtype": ["bfloat16"]})
def gemm(dtype):
    return lambda: 1


@pt.benchmark(bytes=2e9, cache="cold")
def stream():
    return lambda: 1


@pt.benchmark(flops=2e12, tags=["bf16"])
def boast():
    return lambda: 1
"""
# As little of every part as there can be: what is searched is another test's matter.
QUICK = " ".join(
    f"--tune {knob}"
    for knob in (
        "warmup_min_s=0", "warmup_max_s=0.1", "soak_s=0.1", "sustain_s=0.02", "sustain_warmup_s=0.02",
        "confirm_reps=2", "lock_reps=2", "boost_lock_reps=1", "boost_iterations=5", "steady_top=0",
    )
).split()  # fmt: skip
GRID = ["--m", "2048,4096,8192", "--n", "2048,4096", "--k", "4096"]


def run(repo: Scratch, *arguments: str) -> Answer:
    """The command in this process, in the repository: starting Python for each takes longer than what it does."""
    handlers = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP)}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.root)
        patch.setenv("PERFTRACK_REPLAY", "replay.json")
        patch.setenv("XDG_STATE_HOME", str(repo.state))
        patch.delenv("PERFTRACK_STORE", raising=False)
        try:
            done = CliRunner().invoke(main, arguments)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return Answer(done.exit_code, done.stdout, done.stderr)


def make(root: Path, **card: float) -> Scratch:
    repo = scratch.make(root, benchmarks=BENCHMARKS)
    cases = ("gemm[dtype=bfloat16]", "stream", "boast")
    times = {
        "seed": 7,
        "fingerprint": {"cpu_model": "Replayed"},
        "cases": {c: {"time": {"level": 1e-3, "noise": 0.002}} for c in cases},
        "ceiling": {"seed": 1} | card,
    }
    repo.write("replay.json", json.dumps(times))
    repo.commit("A card")
    return repo


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """A repository whose HEAD has its ceilings and results; HEAD~1 has results alone."""
    repo = make(tmp_path_factory.mktemp("ceiling") / "project")
    assert run(repo, "record", "--quick").code == 0
    repo.commit("Next")
    done = run(repo, "ceiling", "measure", *GRID, "--tune", "scout_s=0.01")
    assert done.code == 0, done.err
    assert run(repo, "record", "--quick").code == 0
    return repo


def test_results_are_given_as_shares_of_their_ceiling(measured: Scratch) -> None:
    shown = run(measured, "show")
    assert "of ceiling" in shown.out
    assert "% of MAMF bfloat16" in shown.out
    assert "% of triad" in shown.out or "% of copy" in shown.out
    found = {m["case"]: m for m in run(measured, "show", "--json").document["measurements"]}
    by_name = {c["ceiling"]: c for c in found["gemm[dtype=bfloat16]"]["ceilings"]}
    mamf = by_name["MAMF bfloat16"]
    assert mamf["share"] == pytest.approx(4e11 / 1e-3 / mamf["ceiling_value"], rel=0.01)
    assert mamf["interval"][0] < mamf["share"] < mamf["interval"][1]
    assert set(by_name) == {"MAMF bfloat16", "MSMF bfloat16"}


def test_a_result_above_the_ceiling_is_refused_with_both_numbers(measured: Scratch) -> None:
    found = {m["case"]: m for m in run(measured, "show", "--json").document["measurements"]}
    assert found["boast"]["status"] == "failed"
    message = found["boast"]["reasons"][0]["message"]
    assert re.match(
        r"200\d Tflop/s by what is declared, but the MAMF bfloat16 of this environment reached 8\d", message
    )
    before = {m["case"]: m for m in run(measured, "show", "HEAD~1", "--json").document["measurements"]}
    assert before["boast"]["status"] == "ok"  # nothing was known of this environment then


def test_show_lists_them_by_environment_with_shape_clock_and_power(measured: Scratch) -> None:
    shown = run(measured, "ceiling", "show")
    assert shown.code == 0
    assert "mamf-median5" in shown.out and "MHz" in shown.out and " W" in shown.out
    assert "maximum achievable: median of a shape's five fastest iterations" in shown.out
    ceilings = {c["definition"]: c for c in run(measured, "ceiling", "show", "--json").document["ceilings"]}
    assert set(ceilings) >= {"mamf-median5", "msmf-repeats", "copy-device", "triad-l2"}
    assert ceilings["mamf-median5"]["in_force"] is True
    assert len(ceilings["mamf-median5"]["shape"]) == 3
    assert ceilings["copy-device"]["unit"] == "byte/s"


def test_the_log_knows_ceilings_as_any_case(measured: Scratch) -> None:
    series = run(measured, "log", "mamf-median5", "--json").document["series"]
    assert [(s["unit"], s["direction"], len(s["points"])) for s in series] == [("flop/s", "higher", 1)]


def test_the_gate_compares_benchmarks_and_shows_their_share(measured: Scratch) -> None:
    done = run(measured, "compare", "HEAD~1", "--all", "--json")
    cases = {c["case"]: c for c in done.document["cases"]}
    assert not any(name.startswith("ceiling") for name in cases)
    assert cases["gemm[dtype=bfloat16]"]["candidate_ceilings"][0]["ceiling"] == "MAMF bfloat16"
    assert "of ceiling" in run(measured, "compare", "HEAD~1", "--all").out


def test_the_site_has_the_ceilings_and_the_shares(measured: Scratch) -> None:
    done = run(measured, "site", "build")
    assert done.code == 0, done.err
    site = measured.root / "perftrack-site"
    rows = unpacked((site / "data" / "overview.js").read_bytes()).document
    assert "MAMF bfloat16" in rows["share_of"]
    assert ("ceiling", "flop/s") in zip(rows["name"], rows["unit"], strict=True)
    assert "mamf-median5" in (site / "ceilings.html").read_text()


def test_a_commit_with_ceilings_alone_is_not_one_that_was_measured(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    assert run(repo, "record", "--quick").code == 0
    repo.commit("Only ceilings here")
    assert run(repo, "ceiling", "measure", "--only", "bandwidth", "-q").code == 0
    done = run(repo, "compare", "HEAD~1")
    assert done.code == 1
    assert "only ceilings are recorded for HEAD" in done.err and "perftrack record HEAD" in done.err
    assert run(repo, "site", "build").code == 0


def test_outside_of_a_repository_it_measures_without_storing(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "replay.json").write_text((repo.root / "replay.json").read_text())
    bare = Scratch(tmp_path / "bare")
    arguments = ("ceiling", "measure", "--device", "replay", "--only", "bandwidth")
    refused = run(bare, *arguments)
    assert refused.code == 1 and "--no-store" in refused.err
    done = run(bare, *arguments, "--no-store", "--json")
    assert done.code == 0, done.err
    (device,) = done.document["devices"]
    assert device["run"] is None and device["searches"][0]["ceilings"]
    assert not list((tmp_path / "bare").glob("*.duckdb"))


def test_json_tells_everything(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    done = run(repo, "ceiling", "measure", *GRID, *QUICK, "--json")
    assert done.code == 0, done.err
    (device,) = done.document["devices"]
    (search,) = device["searches"]
    assert (device["device"], search["dtype"], search["ending"]) == ("replay:0", "bfloat16", "complete")
    ceiling = search["ceilings"][0]
    assert set(ceiling) >= {
        "value",
        "interval",
        "peak",
        "shape",
        "clock_mhz",
        "power_w",
        "validated",
        "partial",
        "means",
    }
    assert len(device["run"]) == 20
    assert "soak_s=0.1" in next(c["protocol"] for c in search["ceilings"] if c["definition"] == "msmf-repeats")


def test_ctrl_c_reports_and_stores_the_best_so_far_as_partial(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    process = subprocess.Popen(
        [sys.executable, "-m", "perftrack", "ceiling", "measure", "--only", "matmul", "--tune", "scout_s=0.5"],
        cwd=repo.root,
        env=scratch.command_environment(replayed=True) | {"XDG_STATE_HOME": str(repo.state)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "scout" in line:
            break
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "partial" in out and "mamf-median5" in out
    assert "Interrupted." in err
    ceilings = run(repo, "ceiling", "show", "--json").document["ceilings"]
    assert ceilings and all(c["partial"] and not c["in_force"] for c in ceilings)


def test_a_device_that_fails_keeps_its_best_and_exits_1(tmp_path: Path) -> None:
    repo = make(tmp_path / "p", fail_at=20)
    done = run(repo, "ceiling", "measure", *GRID, *QUICK, "--only", "matmul")
    assert done.code == 1
    assert "partial" in done.out and "fell off the bus" in done.out
    assert run(repo, "ceiling", "show", "--json").document["ceilings"][0]["partial"]


def test_telemetry_off_says_unvalidated(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    done = run(repo, "ceiling", "measure", *GRID, *QUICK, "--telemetry", "off")
    assert done.code == 0
    assert "unvalidated" in done.out and "no telemetry: unvalidated" in done.err
    document = run(repo, "ceiling", "show", "--json").document
    assert not any(c["validated"] for c in document["ceilings"])
    assert {"ceiling-conditions"} <= {r["code"] for r in document["ceilings"][0]["limitations"]}


def test_progress_off_a_terminal_is_plain_lines_and_quiet_is_silent(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    done = run(repo, "ceiling", "measure", *GRID, *QUICK, "--verbose", "--no-store")
    assert "replay:0 scout" in done.err and "replay:0   4096x4096x4096 " in done.err
    assert "\x1b" not in done.err and "\r" not in done.err
    assert run(repo, "ceiling", "measure", *GRID, *QUICK, "-q", "--no-store").err == ""


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--search", "grid"], 2, "--shapes-file"),
        (["--search", "auto", "--m", "64"], 2, "--search auto"),
        (["--m", "64", "--n", "64"], 2, "--k is missing"),
        (["--m", "64", "--m-range", "1 2", "--n", "1", "--k", "1"], 2, "--m-range"),
        (["--m", "sixty", "--n", "1", "--k", "1"], 2, "'sixty'"),
        (["--m-range", "10 5 1", "--n", "1", "--k", "1"], 2, "no value lies in this range"),
        (["--shapes-file", "missing.txt"], 2, "missing.txt"),
        (["--shapes-file", "x", "--n", "64"], 2, "--shapes-file and --n"),
        (["--tune", "sork_s=3"], 2, "soak_s"),
        (["--tune", "soak_s=warm"], 2, "soak_s=warm"),
        (["--devices", "one"], 2, "--devices 'one'"),
        (["--devices", "7"], 1, "no device replay:7: there are 1"),
        (["--device", "cpu"], 1, "not of CPUs"),
        (["--device", "tpu"], 1, "tpu"),
        (["--dtype", "int8"], 2, "int8"),
        (["--time-budget", "nan"], 2, "--time-budget"),
        (["--label", "a\x07b"], 2, "--label"),
    ],
)
def test_wrong_arguments_are_told_by_name(measured: Scratch, arguments: list[str], code: int, says: str) -> None:
    done = run(measured, "ceiling", "measure", *arguments, "--no-store")
    assert done.code == code, done.err
    assert says in done.err
    assert "Traceback" not in done.err and "bug in perftrack" not in done.err


def test_a_replay_file_without_a_card_says_what_to_add(tmp_path: Path) -> None:
    repo = scratch.make(tmp_path / "p")
    repo.write("replay.json", json.dumps({"cases": {}}))
    done = run(repo, "ceiling", "measure")
    assert done.code == 1 and '"ceiling": {"seed": 1}' in done.err


def test_without_any_ceiling_show_says_how_to_get_one(tmp_path: Path) -> None:
    repo = make(tmp_path / "p")
    assert run(repo, "ceiling", "show").code == 1  # no store yet
    assert run(repo, "record", "--quick").code == 0
    done = run(repo, "ceiling", "show")
    assert done.code == 0 and "perftrack ceiling measure" in done.out
    assert run(repo, "ceiling", "show", "--json").document["ceilings"] == []


def test_every_knob_is_listed_with_its_default(measured: Scratch) -> None:
    listed = run(measured, "ceiling", "knobs")
    assert all(k.name in listed.out for k in knobs())
    document = run(measured, "ceiling", "knobs", "--json").document
    assert {k["name"]: k["default"] for k in document["knobs"]} == {k.name: k.default for k in knobs()}
