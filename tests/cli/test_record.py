"""perftrack record, whole: real Git, real workers, real store."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perftrack.store import Store
from tests import scratch
from tests.scratch import Scratch, command_environment


def measurements(answer):
    (run,) = answer.document["runs"]
    return {(m["case"], m["metric"]): m for m in run["measurements"]}


def test_head_is_measured_in_place_and_stored(repo: Scratch):
    answer = repo.run("record", "--quick")
    assert answer.code == 0, answer.err
    assert "4 measured" in answer.out
    assert (repo.root / "perftrack.duckdb").exists()
    assert "tokenize[size=1000]" in repo.run("show").out


def test_values_are_those_that_were_replayed(repo: Scratch):
    found = measurements(repo.run("record", "--json"))
    assert found["tokenize[size=1000]", "time"]["value"] == pytest.approx(1e-4, rel=0.002)
    lo, hi = found["tokenize[size=1000]", "time"]["interval"]
    assert lo < found["tokenize[size=1000]", "time"]["value"] < hi
    assert found["source_size", "value"]["value"] == 1234
    assert found["source_size", "value"]["unit"] == "B"
    assert found["total", "time"]["processes"] == 4


def test_the_store_stays_out_of_git(repo: Scratch):
    repo.run("record", "--quick")
    assert repo.git("status", "--porcelain") == ""


def test_nothing_is_left_in_a_tree_that_ignores_nothing(repo: Scratch):
    for command in (("record",), ("list",), ("compare", "HEAD", "HEAD", "--live")):
        repo.run(*command)
        assert repo.git("status", "--porcelain") == "", command


def test_recording_again_adds_a_run(repo: Scratch):
    first = repo.run("record", "--quick", "--json").document["runs"][0]["run"]
    second = repo.run("record", "--quick", "--json").document["runs"][0]["run"]
    assert first != second
    assert set(repo.run("show", "--json").document["runs"]) == {first, second}


def test_a_dirty_tree_is_refused_with_what_to_do(repo: Scratch):
    repo.write("new.py", "x = 1\n")
    answer = repo.run("record", "--quick")
    assert answer.code == 1
    assert "Error: the working tree has changes" in answer.err
    assert "new.py" in answer.err
    assert "--allow-dirty" in answer.err


def test_a_dirty_tree_may_be_recorded_and_says_so(repo: Scratch):
    repo.write("new.py", "x = 1\n")
    answer = repo.run("record", "--quick", "--allow-dirty", "--json")
    assert answer.code == 0
    (run,) = answer.document["runs"]
    assert "dirty" in [r["code"] for r in run["limitations"]]
    assert all("dirty" in [r["code"] for r in m["limitations"]] for m in run["measurements"])


def test_a_dirty_run_is_no_baseline(repo: Scratch):
    repo.write("new.py", "x = 1\n")
    repo.run("record", "--quick", "--allow-dirty")
    repo.commit("Second")
    repo.run("record", "--quick")
    answer = repo.run("compare", "HEAD~1", "HEAD")
    assert answer.code == 1
    assert "uncommitted" in answer.err


def test_revisions_are_measured_in_worktrees_that_are_gone_afterwards(history: Scratch):
    assert history.git("worktree", "list").count("\n") == 0
    assert history.git("status", "--porcelain") == ""
    shown = [history.run("show", f"HEAD~{n}", "--json").document["measurements"] for n in (1, 2)]
    large = [next(m for m in ms if m["case"] == "tokenize[size=1000]")["value"] for ms in shown]
    assert large[0] == pytest.approx(2 * large[1], rel=0.01)


def test_sources_are_shown_relative_to_the_tree_also_from_a_worktree(repo: Scratch):
    repo.run("record", "HEAD", "--quick", "--bench", "total")
    stored = Store(repo.root / "perftrack.duckdb").measurements(repo.git("rev-parse", "HEAD"))
    assert [m.source for m in stored] == ["benchmarks/bench_text.py:10"]


def test_a_pattern_limits_what_is_measured(repo: Scratch):
    found = measurements(repo.run("record", "--quick", "--json", "--bench", "size=10]"))
    assert list(found) == [("tokenize[size=10]", "time")]


def test_a_pattern_without_a_case_is_wrong_usage(repo: Scratch):
    answer = repo.run("record", "--bench", "tokenise")
    assert answer.code == 2
    assert "no case matches 'tokenise'" in answer.err
    assert "tokenize" in answer.err


def test_dry_run_measures_and_writes_nothing(repo: Scratch):
    answer = repo.run("record", "--dry-run")
    assert answer.code == 0
    assert "tokenize[size=10]" in answer.out
    assert "4 case(s) × 4 processes" in answer.out
    assert not (repo.root / "perftrack.duckdb").exists()


def test_no_benchmark_at_all_is_an_error(tmp_path):
    empty = scratch.make(tmp_path / "p", benchmarks="import perftrack\n")
    answer = empty.run("record", "--quick")
    assert answer.code == 1
    assert "no benchmark was found" in answer.out


def test_no_benchmark_folder_is_an_error_with_a_hint(repo: Scratch):
    repo.git("rm", "-rq", "benchmarks")
    repo.commit("Without")
    answer = repo.run("record")
    assert answer.code == 1
    assert "there is no benchmark folder" in answer.err
    assert "Hint: " in answer.err


def test_an_unknown_revision_is_named(repo: Scratch):
    answer = repo.run("record", "no-such-branch")
    assert answer.code == 1
    assert "no-such-branch" in answer.err


@pytest.mark.parametrize("rev", ["-x", "--upload-pack=touch pwned"])
def test_a_revision_that_looks_like_an_option_is_data(repo: Scratch, rev):
    answer = repo.run("record", "--", rev)
    assert answer.code == 1
    assert "Error: " in answer.err
    assert not (repo.root / "pwned").exists()


def test_outside_a_repository_is_an_error_with_a_hint(tmp_path):
    answer = Scratch(tmp_path).run("record")
    assert answer.code == 1
    assert "Error: " in answer.err
    assert "Hint: " in answer.err
    assert "Traceback" not in answer.err


def test_an_unknown_option_is_wrong_usage(repo: Scratch):
    answer = repo.run("record", "--quik")
    assert answer.code == 2
    assert "--quick" in answer.err


@pytest.mark.parametrize("arguments", [("record",), ("record", "HEAD"), ("record", "--dry-run"), ("env",)])
@pytest.mark.parametrize("device", ["abacus", "", "CPU"])
def test_a_device_that_does_not_exist_is_wrong_usage_before_anything_runs(repo: Scratch, arguments, device):
    repo.write("benchmarks/bench_text.py", "open('imported', 'w')\n")
    repo.commit("Tells when it is imported")
    answer = repo.run(*arguments, "--device", device)
    assert answer.code == 2
    assert f"no device kind {device!r}" in answer.err and "one of auto, cpu, cuda" in answer.err
    assert not (repo.root / "imported").exists()
    assert not (repo.root / "perftrack.duckdb").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--processes", "5", "--max-processes", "4"), "--max-processes 4 is below the 5"),
        (("--max-processes", "2"), "--max-processes 2 is below the 4"),
        (("--width", "0.01"), "--width says when more processes are needed"),
        (("--processes", "5", "--max-processes", "5", "--width", "0.01"), "Give --max-processes above 5"),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_amounts_that_do_not_fit_together_are_wrong_usage(repo: Scratch, arguments, says, dry):
    answer = repo.run("record", *arguments, *dry)
    assert answer.code == 2
    assert says in answer.err
    assert not (repo.root / "perftrack.duckdb").exists()


def test_a_dry_run_counts_the_processes_that_there_may_be(repo: Scratch):
    few = repo.run("record", "--dry-run", "--json").document
    many = repo.run("record", "--dry-run", "--json", "--max-processes", "9").document
    assert (many["processes"], many["max_processes"]) == (4, 9)
    assert many["at_most_s"] == pytest.approx(9 / 4 * few["at_most_s"])
    assert "× 4 to 9 processes" in repo.run("record", "--dry-run", "--max-processes", "9").out


@pytest.mark.parametrize("arguments", [("record",), ("compare", "HEAD~1", "--live")])
def test_a_configured_device_that_does_not_exist_is_told_with_its_file(repo: Scratch, arguments):
    repo.write("perftrack.toml", 'device = "abacus"\n')
    repo.commit("Abacus")
    answer = repo.run(*arguments)
    assert answer.code == 1
    assert "perftrack.toml: device: no device kind 'abacus'" in answer.err


def test_a_build_command_runs_in_the_worktree_and_not_in_the_checkout(repo: Scratch):
    answer = repo.run("record", "HEAD", "--quick", "--build", "touch built-here")
    assert answer.code == 0, answer.err
    assert not (repo.root / "built-here").exists()


def test_a_failed_build_is_told_with_its_log_and_is_on_record_as_that(repo: Scratch):
    answer = repo.run("record", "HEAD", "--quick", "--build", "echo compiler says no; exit 4")
    assert answer.code == 1
    assert "the build exited with 4" in answer.out
    assert "compiler says no" in answer.out
    shown = repo.run("show", "--json").document
    assert [r["code"] for r in shown["unmeasured"]] == ["build-failed"]
    assert shown["measurements"] == []


def test_progress_is_on_stderr_and_quiet_silences_it(repo: Scratch):
    assert "Start" in repo.run("record", "--quick").err
    assert repo.run("record", "--quick", "--quiet").err == ""


HOSTILE = """
import os
import signal
import sys
import time

import perftrack as pt


@pt.benchmark
def fine():
    return lambda: sum(range(100))


@pt.benchmark
def raises():
    def work():
        print("about to fail")
        raise ValueError("deliberate")
    return work


@pt.benchmark(timeout=1.5)
def hangs():
    return lambda: time.sleep(60)


@pt.benchmark
def exits():
    return lambda: sys.exit(3)


@pt.benchmark
def dies():
    return lambda: os.kill(os.getpid(), signal.SIGKILL)


@pt.benchmark
def leaves():
    return lambda: os._exit(9)


@pt.benchmark
def prints():
    return lambda: sys.stdout.write("x" * 10_000 + "\\n")


@pt.benchmark
def forks():
    def work():
        if os.fork() == 0:
            os._exit(0)
        os.wait()
    return work


@pt.benchmark
def child_comes_back():
    os.fork()
    return lambda: sum(range(100))


@pt.benchmark
def closes_descriptors():
    return lambda: os.closerange(3, 256)


@pt.benchmark
def closes_everything():
    return lambda: os.closerange(3, 1 << 20)


@pt.benchmark
def closes_stdout():
    os.close(1)
    return lambda: sum(range(100))


@pt.benchmark
def replaces_stderr():
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return lambda: sum(range(100))


@pt.benchmark
def closes_python_s_stdout():
    sys.stdout.close()
    return lambda: sum(range(100))


@pt.benchmark
def redirects_and_puts_back():
    kept = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    yield lambda: sum(range(100))
    os.dup2(kept, 1)


@pt.benchmark
def no_callable():
    return 3


@pt.benchmark
def skipped():
    pt.skip("not here")


@pt.benchmark
def teardown_fails():
    yield lambda: None
    raise RuntimeError("in teardown")


@pt.metric(unit="B", direction="lower")
def not_a_number():
    return float("nan")
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    made = scratch.make(tmp_path_factory.mktemp("hostile") / "p", benchmarks=HOSTILE, config="timeout = 20\n")
    answer = made.run("record", "--quick", "--json", replayed=False)
    assert answer.code == 0, answer.err
    return made, measurements(answer)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("raises", "ValueError: deliberate"),
        ("hangs", "gave no answer within 1.5 s"),
        ("exits", "SystemExit: 3"),
        ("dies", "killed by SIGKILL"),
        ("leaves", "exited with code 9"),
        ("closes_descriptors", "not its own: its requests' pipe, its replies' pipe"),
        ("closes_everything", "the worker exited with code 1"),
        ("closes_stdout", "not its own: stdout"),
        ("replaces_stderr", "not its own: stderr"),
        ("closes_python_s_stdout", "not its own: stdout"),
        ("no_callable", "returned int, not a callable"),
        ("teardown_fails", "RuntimeError: in teardown"),
    ],
)
def test_a_case_that_goes_wrong_fails_alone_with_the_reason(hostile, case, says):
    found = hostile[1][case, "time"]
    assert found["status"] == "failed"
    assert says in found["reasons"][0]["message"]
    assert found["value"] is None


def test_a_metric_that_is_no_number_fails(hostile):
    assert "not a finite number" in hostile[1]["not_a_number", "value"]["reasons"][0]["message"]


@pytest.mark.parametrize("case", ["fine", "prints", "forks", "child_comes_back", "redirects_and_puts_back"])
def test_the_others_are_measured(hostile, case):
    assert hostile[1][case, "time"]["status"] == "ok"


def test_a_skip_is_on_record_with_its_reason(hostile):
    found = hostile[1]["skipped", "time"]
    assert (found["status"], found["reasons"][0]["message"]) == ("skipped", "not here")


def test_what_a_failed_case_printed_is_kept(hostile):
    assert "about to fail" in hostile[1]["raises", "time"]["output"]
    assert "ValueError: deliberate" in hostile[1]["raises", "time"]["output"]


def test_strict_turns_a_failed_case_into_exit_1(hostile):
    answer = hostile[0].run(
        "record", "--quick", "--strict", "--bench", "::raises", "--bench", "::fine", replayed=False
    )
    assert answer.code == 1


def test_only_failed_cases_is_exit_1_but_recorded(hostile):
    answer = hostile[0].run("record", "--quick", "--bench", "::raises", replayed=False)
    assert answer.code == 1
    assert "1 FAILED" in answer.out


SLOW = """
import os
import time
import perftrack as pt

@pt.benchmark
def slow():
    open(os.environ["PID_FILE"], "w").write(str(os.getpid()))
    return lambda: time.sleep(60)
"""


def test_ctrl_c_stops_at_once_stores_nothing_and_leaves_no_worktree(tmp_path):
    made = scratch.make(tmp_path / "p", benchmarks=SLOW, config="")
    noted = tmp_path / "pid"
    process = subprocess.Popen(
        [sys.executable, "-m", "perftrack", "record", "HEAD"],
        cwd=made.root,
        env=command_environment(replayed=False) | {"PID_FILE": str(noted)},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not (noted.exists() and noted.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err
    assert not Path(f"/proc/{noted.read_text()}").exists()
    assert not (made.root / "perftrack.duckdb").exists()
    assert made.git("worktree", "list").count("\n") == 0


def test_a_baseline_is_timed_beside_and_its_ratio_stored(tmp_path):
    text = """
import perftrack as pt

def slow():
    return lambda: sum(range(3000))

@pt.benchmark(baseline=slow)
def quick():
    return lambda: sum(range(1000))
"""
    made = scratch.make(tmp_path / "p", benchmarks=text, config="")
    found = measurements(made.run("record", "--quick", "--json", replayed=False))
    assert 2 < found["quick", "speedup"]["value"] < 4.5
    assert found["quick", "speedup"]["direction"] == "higher"
    assert found["quick", "baseline_time"]["value"] > found["quick", "time"]["value"]


def test_commands_are_timed_and_their_json_is_read(tmp_path):
    config = """
[[command]]
name = "start"
run = "true"
[[command]]
name = "sizes"
run = ["echo", '{"binary": {"value": 10, "unit": "B"}, "symbols": 3}']
metric = "stdout-json"
[[command]]
name = "broken"
run = "false"
"""
    made = scratch.make(tmp_path / "p", benchmarks="", config=config)
    found = measurements(made.run("record", "--quick", "--json", replayed=False))
    assert found["start", "time"]["value"] > 1e-4
    assert "process-start-included" in [r["code"] for r in found["start", "time"]["limitations"]]
    assert (found["sizes", "binary"]["value"], found["sizes", "binary"]["unit"]) == (10, "B")
    assert found["sizes", "symbols"]["value"] == 3
    assert "exited with 1" in found["broken", "time"]["reasons"][0]["message"]


def test_code_of_the_commit_is_measured_not_of_the_checkout(tmp_path):
    bench = "import perftrack as pt\nimport mylib\n@pt.metric(unit='')\ndef v():\n    return mylib.V\n"
    made = scratch.make(tmp_path / "p", benchmarks=bench, config="")
    made.write("src/mylib.py", "V = 1\n")
    made.commit("One")
    made.write("src/mylib.py", "V = 2\n")
    made.commit("Two")
    answer = made.run("record", "HEAD~1", "HEAD", "--quick", "--json", replayed=False)
    assert [r["measurements"][0]["value"] for r in answer.document["runs"]] == [1, 2]


def test_a_module_from_the_checkout_is_not_taken_for_the_commits(tmp_path):
    made = scratch.make(tmp_path / "p", benchmarks="", config="")
    bench = f"""
import sys
sys.path.insert(0, {str(made.root / "src")!r})
import perftrack as pt
import mylib

@pt.metric(unit='', direction='lower')
def v():
    return mylib.V
"""
    made.write("src/mylib.py", "V = 1\n")
    made.write("benchmarks/bench_text.py", bench)
    made.commit("One")
    answer = made.run("record", "HEAD", "--quick", replayed=False)
    assert answer.code == 1
    assert "imported from your checkout" in answer.out + answer.err


def test_a_broken_file_is_told_and_the_others_recorded(repo: Scratch):
    repo.write("benchmarks/bench_broken.py", "1 / 0\n")
    repo.commit("Broken")
    answer = repo.run("record", "--quick")
    assert answer.code == 0
    assert "Error: benchmarks/bench_broken.py:1: ZeroDivisionError" in answer.err
    assert "limitation suite-problems" in answer.out
    assert repo.run("record", "--quick", "--strict").code == 1


def test_too_wide_cases_get_more_processes_and_the_narrow_ones_do_not(repo: Scratch):
    wide = scratch.replay().replace(
        '"level": 0.0001, "noise": 0.002', '"level": [1e-4, 1.1e-4, 1e-4, 1.05e-4], "noise": 0.002'
    )
    repo.write("replay.json", wide)
    repo.commit("Wide")
    answer = repo.run(
        "record", "--json", "--max-processes", "5", "--width", "0.01", "--bench", "tokenize", "--bench", "size"
    )
    found = measurements(answer)
    assert found["tokenize[size=1000]", "time"]["processes"] == 5
    assert "width-target-missed" in [r["code"] for r in found["tokenize[size=1000]", "time"]["limitations"]]
    assert found["tokenize[size=10]", "time"]["processes"] == 4
    assert found["source_size", "value"]["processes"] == 4
    assert "need another process" in answer.err


def test_a_fixed_number_of_processes_has_no_target_to_miss(repo: Scratch):
    found = measurements(repo.run("record", "--quick", "--json"))
    assert all("width-target-missed" not in [r["code"] for r in m["limitations"]] for m in found.values())


def test_clocks_are_locked_only_where_asked_and_an_error_says_why_not(repo: Scratch):
    answer = repo.run("record", "--quick", "--lock-clocks", "1500")
    assert answer.code == 1
    assert "Error: " in answer.err
    assert not (repo.root / "perftrack.duckdb").exists()


def test_a_power_cap_alone_is_wrong_usage(repo: Scratch):
    assert repo.run("record", "--power-cap", "300").code == 2


def test_verbose_tells_the_cold_hot_ratio_once_a_case(repo: Scratch):
    answer = repo.run("record", "--quick", "--verbose", "--bench", "total")
    assert answer.err.count("with a cold cache it takes") == 1
    assert "cold cache" not in repo.run("record", "--quick", "--bench", "total").err


def test_a_killed_coordinator_takes_its_worker_along(tmp_path):
    text = """
import os
import time
import perftrack as pt

@pt.benchmark
def slow():
    open("worker.pid", "w").write(str(os.getpid()))
    return lambda: time.sleep(60)
"""
    made = scratch.make(tmp_path / "p", benchmarks=text, config="")
    process = subprocess.Popen(
        [sys.executable, "-m", "perftrack", "record"],
        cwd=made.root,
        env=command_environment(replayed=False),
        stderr=subprocess.DEVNULL,
    )
    noted = made.root / "worker.pid"
    deadline = time.monotonic() + 30
    while not (noted.exists() and noted.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    worker = Path(f"/proc/{noted.read_text()}")
    while worker.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not worker.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_cancelled_job_cleans_up_like_ctrl_c(tmp_path, number):
    made = scratch.make(tmp_path / "p", benchmarks=SLOW, config="")
    noted, temporary = tmp_path / "pid", tmp_path / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "perftrack", "record", "HEAD"],
        cwd=made.root,
        env=command_environment(replayed=False) | {"PID_FILE": str(noted), "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not (noted.exists() and noted.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert number.name in err
    assert "Traceback" not in err
    assert not Path(f"/proc/{noted.read_text()}").exists()
    assert list(temporary.iterdir()) == []
    assert made.git("worktree", "list").count("\n") == 0


@pytest.mark.parametrize("store", ["/nowhere/x.duckdb", "/dev/null"])
def test_a_store_that_cannot_be_is_told_before_measuring(repo: Scratch, store):
    answer = repo.run("record", "--quick", "--store", store)
    assert answer.code == 1
    assert "Error: " in answer.err
    assert "measured" not in answer.err
    assert "stored" not in answer.err


def test_a_stream_that_cannot_show_a_character_gets_another(history: Scratch):
    answer = history.run("show", PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert "tokenize" in answer.out


@pytest.fixture
def with_submodule(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")
    library = scratch.make(tmp_path / "library", benchmarks="", config="")
    library.write("lib.py", "V = 42\n")
    library.commit("Library")
    bench = (
        "import sys, perftrack as pt\nsys.path.insert(0, 'vendored')\n"
        "@pt.metric(unit='')\ndef v():\n    import lib\n    return lib.V\n"
    )
    made = scratch.make(tmp_path / "p", benchmarks=bench, config="")
    made.git("submodule", "--quiet", "add", "../library", "vendored")
    made.commit("Vendor it")
    return made


def test_a_commit_s_submodules_are_missing_and_it_says_so(with_submodule: Scratch):
    answer = with_submodule.run("record", "HEAD", "--quick", "--json", replayed=False)
    (run,) = answer.document["runs"]
    assert "no-submodules" in [r["code"] for r in run["limitations"]]
    assert "No module named 'lib'" in run["measurements"][0]["reasons"][0]["message"]


def test_a_build_that_fetches_submodules_has_them_measured(with_submodule: Scratch):
    fetch = "git submodule update --init --recursive"
    answer = with_submodule.run("record", "HEAD", "--quick", "--json", "--build", fetch, replayed=False)
    (run,) = answer.document["runs"]
    assert "no-submodules" not in [r["code"] for r in run["limitations"]]
    assert run["measurements"][0]["value"] == 42
    assert with_submodule.git("worktree", "list").count("\n") == 0


def test_submodules_of_the_checkout_are_the_users_own(with_submodule: Scratch):
    answer = with_submodule.run("record", "--quick", "--json", replayed=False)
    (run,) = answer.document["runs"]
    assert run["measurements"][0]["value"] == 42
    assert "no-submodules" not in [r["code"] for r in run["limitations"]]
