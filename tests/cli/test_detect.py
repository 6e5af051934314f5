"""What changed over a stored history, as the whole command answers it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perftrack.core.launches.launch import Launch, LaunchSummary, Profile
from perftrack.core.model import Cache, MeasurementTier, Protocol, Timer
from perftrack.store.alerts import read_alerts
from tests import scratch
from tests.core.builders import HERE
from tests.scratch import Scratch
from tests.stored import HOUR, START, Stored, counted, made, noisy, timed

COMMITS, AT = 60, 36
QUIET = "silence-days = 0\n"  # the made histories are of years ago


@pytest.fixture(scope="module")
def stepped(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """Two cases that one commit made slower, one that another made faster, and one that stayed."""
    found = made(tmp_path_factory.mktemp("stepped") / "p", QUIET)
    found.commits(COMMITS, {AT: {"requirements.txt": "numpy\n"}})
    series = {
        "gemm": noisy(COMMITS, (AT, 1.08)),
        "norm": noisy(COMMITS, (AT, 1.06), seed=2),
        "copy": noisy(COMMITS, (20, 0.9), seed=3),
        "idle": noisy(COMMITS, seed=4),
    }
    found.record_all(series)
    return found


def standings(document: dict) -> list[tuple[str, str, str]]:
    return [(c["case"], c["verdict"], c["standing"]) for c in document["changes"]]


def test_changes_of_one_commit_are_one_event_with_what_else_changed(stepped: Stored) -> None:
    answer = stepped.call("detect", "--json")
    assert answer.code == 3, answer.err
    newest, oldest = answer.document["events"]
    assert newest["most_likely"] == stepped.shas[AT]
    assert newest["subject"] == f"Change {AT}"
    assert len(newest["changes"]) == 2
    assert [h["code"] for h in newest["hints"]] == ["dependencies-changed"]
    assert oldest["most_likely"] == stepped.shas[20]
    assert set(standings(answer.document)) == {
        ("gemm", "regression", "alert"),
        ("norm", "regression", "alert"),
        ("copy", "improvement", "alert"),
    }
    change = next(c for c in answer.document["changes"] if c["case"] == "gemm")
    assert change["kind"] == "step"
    assert change["interval"][0] < 1.08 < change["interval"][1]
    assert change["p_value"] < 1e-6
    assert set(change["range"]) <= set(stepped.shas)


def test_the_text_names_range_ratio_and_cause_and_is_plain_in_a_pipe(stepped: Stored) -> None:
    out = stepped.repo.run("detect").out
    assert f"{stepped.shas[AT][:12]} Change {AT}" in out
    assert "▲ regression  gemm time +" in out
    assert "cause? dependency files changed in that range: requirements.txt" in out
    assert out.endswith("2 regression, 1 improvement in 4 lane(s)\n")
    assert "\x1b" not in out


@pytest.mark.parametrize(("since", "code", "cases"), [(30, 3, {"gemm", "norm"}), (50, 0, set())])
def test_since_leaves_out_what_earlier_commits_did(
    stepped: Stored, since: int, code: int, cases: set[str]
) -> None:
    answer = stepped.call("detect", "--since", stepped.shas[since], "--json")
    assert answer.code == code
    assert {c["case"] for c in answer.document["changes"]} == cases


def test_nothing_recorded_since_never_passes(stepped: Stored) -> None:
    answer = stepped.call("detect", "--since", "HEAD")
    assert answer.code == 4
    assert "nothing to decide" in answer.out


def test_only_the_cases_that_are_asked_for(stepped: Stored) -> None:
    assert stepped.call("detect", "--bench", "idle").code == 0
    answer = stepped.call("detect", "--bench", "no-such")
    assert answer.code == 2
    assert "no-such" in answer.err


def test_an_unknown_revision_is_an_error_that_names_it(stepped: Stored) -> None:
    for option in ("--since", "--release"):
        answer = stepped.call("detect", option, "nowhere")
        assert answer.code == 1
        assert "nowhere" in answer.err


def test_a_history_that_grows_alerts_once(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    values = noisy(70, (40, 1.05))
    found.commits(40)
    found.record_all({"gemm": values[:40]})
    codes, names = [], set()
    for count in range(40, 70, 3):
        found.commits(3)
        new = zip(found.shas[count:], values[count:], strict=False)
        found.record_runs([found.run(sha, timed("gemm", value)) for sha, value in new])
        answer = found.call("detect", "--once", "--json")
        codes.append(answer.code)
        names |= {c["id"] for c in answer.document["changes"]}
    assert codes.count(3) == 1
    assert set(codes) == {0, 3}
    assert len(names) == 1
    again = found.call("detect", "--json")
    assert again.code == 3, "without --once a regression that stands is one, reported or not"
    assert [c["known"] for c in again.document["changes"]] == [True]


def test_an_accepted_change_is_told_as_accepted_and_does_not_alert(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    found.record_all({"gemm": noisy(COMMITS, (AT, 1.08))})
    assert found.call("detect").code == 3
    epoch = f'[[epoch]]\nbench = "gemm"\nat = "{found.shas[AT]}"\nreason = "exact sums"\n'
    found.repo.write("perftrack-epochs.toml", epoch)
    answer = found.call("detect", "--json")
    assert answer.code == 0, answer.err
    assert standings(answer.document) == [("gemm", "regression", "accepted")]
    assert "exact sums" in answer.document["changes"][0]["reasons"][0]["message"]
    assert "accepted at" in found.call("log", "gemm").out


def test_tier_c_alone_is_a_suspect_to_measure_again_and_then_an_alert(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    values = noisy(COMMITS, (AT, 1.08))
    tiers = [MeasurementTier.C if number >= AT else MeasurementTier.B for number in range(COMMITS)]
    found.record_runs(
        [found.run(s, timed("gemm", v, tier=t)) for s, v, t in zip(found.shas, values, tiers, strict=True)]
    )
    answer = found.call("detect", "--once", "--json")
    assert answer.code == 4
    assert standings(answer.document) == [("gemm", "regression", "suspect")]
    assert "re-measure" in answer.document["changes"][0]["reasons"][0]["message"]
    assert f"perftrack record {found.shas[AT - 1][:12]} {found.shas[AT][:12]}" in found.call("detect").out
    later = [(n, found.shas[n], values[n]) for n in range(AT, COMMITS)]
    found.record_runs([found.run(s, timed("gemm", v), at=START + n * HOUR + 1800.0) for n, s, v in later])
    again = found.call("detect", "--once", "--json")
    assert again.code == 3, "a suspect that was reported does not silence the alert"
    assert [c["id"] for c in again.document["changes"]] == [c["id"] for c in answer.document["changes"]]


def test_commits_with_the_files_of_the_one_before_are_never_blamed(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(30)
    for number in range(30, COMMITS):
        found.repo.git("commit", "-q", "--allow-empty", "-m", f"Empty {number}")
    found.shas = found.repo.git("rev-list", "--reverse", "HEAD").split()
    found.record_all({"gemm": noisy(COMMITS, (AT, 1.08))})
    answer = found.call("detect", "--json")
    assert answer.code == 4
    (change,) = answer.document["changes"]
    assert (change["standing"], change["candidates"]) == ("suspect", [])
    assert change["reasons"][0]["code"] == "equal-code-range"


def test_slow_creep_is_seen_against_the_release(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(90)
    drift = np.exp(np.clip((np.arange(90) - 25) / 60, 0, 1) * 0.05)
    found.record_all({"gemm": noisy(90, cv=0.02) * drift})
    found.repo.git("tag", "v1.0", found.shas[25])
    answer = found.call("detect", "--json")
    document = answer.document
    assert answer.code == 3
    assert document["release"] == {"name": "v1.0", "sha": found.shas[25]}
    told = [c for c in document["changes"] if c["verdict"] == "regression"]
    crept = document["creep"]
    assert crept or told, "the drift is told as one or the other"
    if crept:
        assert crept[0]["ratio"] > 1.02


def test_two_environments_are_two_lanes_and_never_compared(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(40)
    values = noisy(40)
    old = [found.run(s, timed("gemm", v, cpu="Old")) for s, v in zip(found.shas[:20], values[:20], strict=True)]
    new = [
        found.run(s, timed("gemm", 1.5 * v, cpu="New")) for s, v in zip(found.shas[20:], values[20:], strict=True)
    ]
    found.record_runs([*old, *new])
    answer = found.call("detect", "--json")
    assert answer.code == 0
    assert answer.document["changes"] == []
    assert answer.document["summary"]["lanes"] == 2


def test_a_change_in_one_of_several_lanes_says_in_which(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    runs = [found.run(s, timed("gemm", v, cpu="One")) for s, v in zip(found.shas, noisy(COMMITS), strict=True)]
    slower = zip(found.shas, noisy(COMMITS, (AT, 1.08), seed=2), strict=True)
    found.record_runs([*runs, *(found.run(s, timed("gemm", v, cpu="Two")) for s, v in slower)])
    answer = found.call("detect")
    assert answer.code == 3
    (line,) = [line for line in answer.out.splitlines() if "regression " in line and "gemm" in line]
    assert "on Two, lane" in line


def test_an_epoch_at_a_commit_that_is_gone_accepts_nothing_and_is_named(stepped: Stored) -> None:
    path = stepped.repo.write(
        "perftrack-epochs.toml", f'[[epoch]]\nbench = "gemm"\nat = "{"f" * 40}"\nreason = "x"\n'
    )
    answer, compared = stepped.call("detect"), stepped.call("compare", "HEAD~1", "HEAD")
    document = stepped.call("compare", "HEAD~1", "HEAD", "--json").document
    path.unlink()
    assert answer.code == 3
    assert "ffffffffffff, which this clone lacks" in answer.out
    assert "ffffffffffff, which this clone lacks" in compared.out
    assert document["unknown_epochs"] == ["f" * 40]


def test_branches_and_lost_commits_are_left_out_and_counted(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(30)
    found.record_all({"gemm": noisy(30)})
    found.repo.git("checkout", "-q", "-b", "side", "HEAD~5")
    side = found.repo.commit("Slow on a branch", other="1")
    found.repo.git("checkout", "-q", "main")
    found.record(side, timed("gemm", 5e-3), at=START + 1e6)
    found.record("f" * 40, timed("gemm", 9e-3), at=START + 2e6)
    answer = found.call("detect", "--json")
    assert answer.code == 0
    assert answer.document["summary"]["commits_outside"] == 2
    assert "2 commit(s) are not on HEAD's line" in found.call("detect").out
    assert f"{side[:12]} not in history: Slow on a branch" in found.call("show", "side").out
    assert [found.call("show", r, "--json").document["in_history"] for r in ("side", "f" * 40, "HEAD")] == [
        False,
        False,
        True,
    ]


def test_several_candidates_come_with_the_command_that_narrows_them_down(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    values = noisy(COMMITS, (AT, 1.3))
    values[AT - 2 : AT + 2] = np.nan
    found.record_all({"gemm n": values})
    good, bad = found.shas[AT - 3][:12], found.shas[AT + 2][:12]
    answer = found.call("detect")
    assert f"to narrow it down: perftrack bisect {good} {bad} --bench 'gemm n'" in answer.out
    (change,) = found.call("detect", "--json").document["changes"]
    assert change["candidates"] == found.shas[AT - 2 : AT + 3], "unmeasured commits may be to blame"


def test_commits_of_one_instant_keep_the_order_of_the_graph(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    values = noisy(COMMITS, (AT, 1.1))
    backwards = list(zip(found.shas, values, strict=True))[::-1]
    found.record_runs([found.run(s, timed("gemm", v), at=START + 5.0) for s, v in backwards])
    answer = found.call("detect", "--json")
    assert [c["most_likely"] for c in answer.document["changes"]] == [found.shas[AT]]


def test_a_count_that_grows_at_one_commit_is_known_to_the_commit(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(20)
    sizes = [1e6 + 3 * number + (60_000 if number >= 12 else 0) for number in range(20)]
    found.record_runs([found.run(s, counted("wheel", v)) for s, v in zip(found.shas, sizes, strict=True)])
    answer = found.call("detect", "--json")
    assert answer.code == 3
    (change,) = [c for c in answer.document["changes"] if c["standing"] == "alert"]
    assert change["range"] == [found.shas[12]] * 2
    assert {c["standing"] for c in answer.document["changes"]} == {"alert", "minor"}


def test_a_regression_that_was_taken_back_is_no_alert(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    found.record_all({"gemm": noisy(COMMITS, (20, 1.08), (40, 1 / 1.08))})
    answer = found.call("detect", "--json")
    assert answer.code == 0
    assert ("gemm", "regression", "recovered") in standings(answer.document)
    assert "small, past or recovered" in found.call("detect").out


def test_a_case_that_later_commits_lack_is_silence(tmp_path: Path) -> None:
    found = made(tmp_path / "p")
    found.commits(30)
    now = time.time()
    gone = noisy(30, seed=2)
    gone[25:] = np.nan
    series = {"gemm": noisy(30), "gone": gone}
    runs = []
    for number, sha in enumerate(found.shas):
        own = [timed(n, float(v[number])) for n, v in series.items() if not np.isnan(v[number])]
        runs.append(found.run(sha, *own, at=now - (30 - number) * 60))
    found.record_runs(runs)
    answer = found.call("detect", "--json")
    assert answer.code == 4
    (silence,) = answer.document["silence"]
    assert (silence["kind"], silence["name"], silence["last"]) == ("case", "gone", found.shas[24])
    assert silence["missing_commits"] == 5
    assert "silence-ignore" in found.call("detect").out
    assert found.call("detect", "--once").code == 4
    assert found.call("detect", "--once").code == 0, "a silence that was reported alerts once"
    assert found.call("detect", "--silence-days", "0").code == 0
    found.repo.write("perftrack.toml", 'silence-ignore = ["go*"]\n')
    assert found.call("detect").code == 0


def test_nothing_recorded_for_days_is_silence(tmp_path: Path) -> None:
    found = made(tmp_path / "p")
    found.commits(20)
    found.record_all({"gemm": noisy(20)})
    answer = found.call("detect")
    assert answer.code == 4
    assert "nothing was recorded lately: last run on 2023-11" in answer.out


def test_a_host_that_stopped_is_silence_though_others_report(tmp_path: Path) -> None:
    found = made(tmp_path / "p")
    found.commits(20)
    now = time.time()
    runs = []
    for number, sha in enumerate(found.shas):
        old = number < 8
        at = now - (40 * 86_400 if old else 3600) + number
        runs.append(
            found.run(sha, timed("gemm", 1e-3 + number * 1e-7), at=at, host="old-box" if old else "new-box")
        )
    found.record_runs(runs)
    kinds = {(s["kind"], s["name"]) for s in found.call("detect", "--json").document["silence"]}
    assert kinds == {("host", "old-box")}


@pytest.mark.parametrize("recorded", [0, 1])
def test_too_little_history_is_undecided_never_a_pass(repo: Scratch, recorded: int) -> None:
    if recorded:
        assert repo.run("record", "--quick").code == 0
        answer = repo.run("detect")
        assert answer.code == 4
        assert "nothing to decide" in answer.out
    else:
        answer = repo.run("detect")
        assert answer.code == 1
        assert "perftrack record" in answer.err


def test_log_marks_the_change_in_the_trend(stepped: Stored) -> None:
    out = stepped.call("log", "gemm").out
    marked = next(line for line in out.splitlines() if line.startswith(stepped.shas[AT][:12]))
    assert "▲ +" in marked
    assert "▲ regression +" in out
    assert "\x1b" not in out
    (series,) = stepped.call("log", "gemm", "--json").document["series"]
    assert [c["most_likely"] for c in series["changes"]] == [stepped.shas[AT]]
    assert stepped.call("log", "idle", "--json").document["series"][0]["changes"] == []


def test_names_from_outside_are_text(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    name = "x; rm -rf / --since=[red]'\"<b>"
    found.record_all({name: noisy(COMMITS, (AT, 1.08))})
    answer = found.call("detect", "--once", "--json")
    assert answer.code == 3, answer.err
    assert answer.document["changes"][0]["case"] == name
    assert name in found.call("detect").out


def test_a_shallow_clone_says_how_to_deepen_it(stepped: Stored, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    source = ["git", "clone", "-q", "--depth", "20", f"file://{stepped.repo.root}", str(clone)]
    subprocess.run(source, env=scratch.git_environment(), check=True, capture_output=True)
    answer = Scratch(clone).run("detect", "--store", str(stepped.store.path), "--silence-days", "0")
    assert "git fetch --unshallow" in answer.out


def profiled(found: Stored, *codes: tuple[int, LaunchSummary]) -> None:
    for number, launch in codes:
        found.store.add_profile(Profile(found.shas[number], "gemm", START + 1.0, (Launch(launch),)))


@pytest.fixture
def kernels(tmp_path: Path) -> Stored:
    """A case timed by device events that got slower at one commit; the host changed there as well."""
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS, {AT: {"benchmarks/bench_gemm.py": "pass\n"}})
    values = noisy(COMMITS, (AT, 1.2))
    before, after = replace(HERE, host="one"), replace(HERE, host="two")
    given = {"protocol": Protocol(Timer.EVENT, Cache.COLD)}
    runs = [
        found.run(sha, timed("gemm", v, fingerprint=after if n >= AT else before, **given))
        for n, (sha, v) in enumerate(zip(found.shas, values, strict=True))
    ]
    found.record_runs(runs)
    return found


LAUNCH = LaunchSummary("gemm", (8, 1, 1), (128, 1, 1), code_hash="one", cycles=1e5, registers=64, instructions=1e6)


def test_equal_machine_code_on_equal_work_is_never_blamed(kernels: Stored) -> None:
    assert kernels.call("detect").code == 3
    profiled(kernels, (AT - 3, LAUNCH), (AT + 2, LAUNCH))
    answer = kernels.call("detect", "--json")
    assert answer.code == 4
    (change,) = answer.document["changes"]
    assert (change["standing"], change["reasons"][0]["code"]) == ("suspect", "equal-code-range")


def test_an_event_says_what_profiles_the_environment_and_files_show(kernels: Stored) -> None:
    profiled(kernels, (AT - 1, LAUNCH), (AT, replace(LAUNCH, code_hash="two", registers=96, cycles=1.3e5)))
    answer = kernels.call("detect", "--json")
    (event,) = answer.document["events"]
    assert [h["code"] for h in event["hints"]] == ["environment-changed", "benchmark-files-changed"]
    assert "host: one → two" in event["hints"][0]["message"]
    findings = [f["code"] for launch in event["findings"]["gemm"] for f in launch.get("findings", [launch])]
    assert "registers" in findings
    assert "cause? gemm: gemm: registers" in kernels.call("detect").out


def test_merged_commits_are_followed_when_asked(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(30)
    found.repo.git("checkout", "-q", "-b", "side")
    side = [found.repo.commit(f"Side {n}", other=str(n)) for n in range(10)]
    found.repo.git("checkout", "-q", "main")
    found.repo.commit("Main", more="1")
    found.repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    found.record_all({"gemm": noisy(30)})
    found.record_runs([found.run(sha, timed("gemm", v)) for sha, v in zip(side, noisy(10, seed=2), strict=True)])
    assert found.call("detect", "--json").document["summary"]["commits_outside"] == 10
    assert found.call("detect", "--all-parents", "--json").document["summary"]["commits_outside"] == 0


def test_the_release_can_be_named_and_pinned(stepped: Stored) -> None:
    sha = stepped.shas[10]
    answer = stepped.call("detect", "--release", sha[:12], "--json")
    assert answer.document["release"] == {"name": sha[:12], "sha": sha}
    assert answer.document["creep"] == [], "what is told as a change is not told again as creep"


def test_an_answer_that_nobody_read_is_not_remembered(tmp_path: Path) -> None:
    found = made(tmp_path / "p", QUIET)
    found.commits(COMMITS)
    found.record_all({"gemm": noisy(COMMITS, (AT, 1.08))})
    command = [sys.executable, "-m", "perftrack", "detect", "--once", "--json"]
    read, write = os.pipe()
    os.close(read)
    environment = scratch.command_environment(replayed=False)
    done = subprocess.run(
        command, cwd=found.repo.root, env=environment, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert done.returncode == 1
    assert read_alerts(found.store) == ()
