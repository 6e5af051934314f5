"""perftrack ncu, record --ncu, and what compare says where both sides have profiles; ncu is a stand-in."""

from __future__ import annotations

import html
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from perftrack.cli.main import main
from perftrack.core.launches.launch import Launch, LaunchSummary, Profile
from perftrack.store import Store
from tests import fake_ncu, scratch
from tests.scratch import Answer, Scratch

KERNEL = "void scale_kernel<float>(T1 *, int)"


def page(registers: int = 32, occupancy: float = 100.0, cycles: int = 100_000, launches: int = 1) -> str:
    """A raw page of launches that are alike: a kernel that its registers hold back, or not."""
    one: dict[str, object] = {
        "gpu__time_duration.sum": (str(cycles // 2), "ns"),
        "gpc__cycles_elapsed.max": (str(cycles), "cycle"),
        "gpc__cycles_elapsed.avg.per_second": ("2000000000", "hz"),
        "launch__registers_per_thread": (str(registers), "register/thread"),
        "sm__maximum_warps_per_active_cycle_pct": (str(occupancy), "%"),
        "launch__occupancy_limit_registers": ("1" if registers > 64 else "8", "block"),
        "launch__occupancy_limit_warps": ("8", "block"),
        "sm__warps_active.avg.pct_of_peak_sustained_active": (str(0.9 * occupancy), "%"),
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": ("20", "%"),
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("30", "%"),
        "smsp__inst_executed.sum": ("5000", "inst"),
        "device__attribute_display_name": ("NVIDIA Test", ""),
    }
    return fake_ncu.raw_page(*[one] * launches, kernel=KERNEL)


GOOD, BAD = page(), page(registers=96, occupancy=33.0, cycles=180_000)


class Bench:
    """A scratch repository with an ncu on PATH that leaves the given page as its report."""

    def __init__(self, repo: Scratch, folder: Path) -> None:
        self.repo, self.log, self.report, self.bin = repo, folder / "log", folder / "report", folder / "bin"
        self.environment = fake_ncu.install(self.bin) | {
            "FAKE_NCU_REPORT": str(self.report),
            "FAKE_NCU_LOG": str(self.log),
        }
        self.leaves(GOOD)

    def leaves(self, text: str) -> None:
        self.report.write_text(text)

    def configure(self, text: str) -> None:
        self.repo.write("perftrack.toml", 'device = "replay"\n' + text)
        self.repo.commit("Configure")

    @property
    def store(self) -> Store:
        return Store(self.repo.root / "perftrack.duckdb")

    @property
    def head(self) -> str:
        return self.repo.git("rev-parse", "HEAD")


Call = Callable[..., Answer]
RECORD = ("record", "--quick", "--processes", "1", "--bench", "total", "--ncu")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """The command in this process: starting one for each takes longer than most of them."""

    def run(bench: Bench, *arguments: str, **environment: str) -> Answer:
        with monkeypatch.context() as patch:
            patch.chdir(bench.repo.root)
            patch.delenv("PERFTRACK_STORE", raising=False)
            settings = {"PERFTRACK_REPLAY": "replay.json", "XDG_STATE_HOME": str(bench.repo.state)}
            for name, value in (settings | bench.environment | environment).items():
                patch.setenv(name, value)
            capfd.readouterr()
            with pytest.raises(SystemExit) as left:
                main(list(arguments))
        return Answer(left.value.code, *capfd.readouterr())

    return run


@pytest.fixture
def bench(repo: Scratch, tmp_path: Path) -> Bench:
    return Bench(repo, tmp_path / "ncu")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Two commits, both recorded and profiled: the second takes more registers and nearly twice as long."""
    folder = tmp_path_factory.mktemp("two")
    made = Bench(scratch.make(folder / "project"), folder / "ncu")
    for level, report in ((1e-4, GOOD), (1.8e-4, BAD)):
        made.leaves(report)
        if level > 1e-4:
            made.repo.write("replay.json", scratch.replay(large=level))
            made.repo.commit("Unroll by eight")
        done = made.repo.run("record", "--quick", "--processes", "4", "--ncu", **made.environment)
        assert done.code == 0, done.err
    (made.repo.root / "raw.csv").write_text(GOOD)
    return made


class TestRecord:
    def test_each_case_is_profiled_after_its_times_are_stored(self, bench: Bench, call: Call):
        answer = call(bench, "record", "--quick", "--processes", "1", "--ncu", "--json")
        assert answer.code == 0, answer.err
        assert answer.err.index("stored run") < answer.err.index("profiling tokenize[size=10]")
        (recorded,) = answer.document["runs"]
        assert recorded["profiles"] == [
            {"case": name, "launches": 1} for name in ("tokenize[size=10]", "tokenize[size=1000]", "total")
        ], "metrics have no kernels"
        assert recorded["unprofiled"] == []
        found = bench.store.latest_profiles(bench.head)
        assert [p.case_id for p in found] == ["tokenize[size=1000]", "tokenize[size=10]", "total"]
        (run,) = bench.store.runs()
        assert {(p.run_id, p.dirty, p.source) for p in found} == {(run.id, False, "perftrack record --ncu")}
        assert {(p.ncu_version, p.clock_control, p.collection) for p in found} == {
            (fake_ncu.VERSION, "none", "basic+diff")
        }
        assert found[0].launches[0].summary.registers == 32.0
        assert len(found[0].launches[0].counters) == 12

    def test_only_what_is_marked_is_profiled_and_the_controls_are_given(self, bench: Bench, call: Call):
        bench.configure('ncu-clock-control = "base"\nncu-cache-control = "none"\nncu-launches = 2\n')
        bench.leaves(page(launches=2))
        assert call(bench, *RECORD[:-1], "--ncu=full").code == 0
        (command,) = fake_ncu.command_lines(bench.log)
        options = dict(pairwise(command))
        assert options["--profile-from-start"] == "off"
        assert options["--set"] == "full"
        assert (options["--clock-control"], options["--cache-control"]) == ("base", "none")
        assert options["--launch-count"] == "2"
        (profile,) = bench.store.latest_profiles(bench.head)
        assert (profile.clock_control, profile.cache_control) == ("base", "none")
        assert "no more than 2 launches" in profile.limitations[0]

    def test_a_revision_after_ncu_is_a_revision_and_is_profiled_in_its_worktree(self, bench: Bench, call: Call):
        first = bench.head
        bench.repo.commit("Another")
        answer = call(bench, *RECORD, "HEAD~1")
        assert answer.code == 0, answer.err
        assert "profiled total: 1 launch(es), basic+diff" in answer.out
        assert len(bench.store.latest_profiles(first)) == 1

    def test_profiles_of_a_dirty_tree_are_not_the_commits(self, bench: Bench, call: Call):
        bench.repo.write("benchmarks/note.txt", "x")
        call(bench, *RECORD, "--allow-dirty")
        assert bench.store.latest_profiles(bench.head) == ()
        assert bench.store.latest_profiles(bench.head, dirty=True)[0].dirty
        assert "uncommitted changes only" in call(bench, "ncu", "show", "HEAD").err


class TestWithoutProfiles:
    def test_without_ncu_the_times_are_stored_and_it_is_said_before_and_after(self, bench: Bench, call: Call):
        bench.configure('ncu = "no-such-ncu"\n')
        answer = call(bench, *RECORD)
        assert answer.code == 0
        assert answer.err.startswith("Warning: nothing will be profiled: there is no program 'no-such-ncu'")
        assert "limitation not-profiled: " + bench.head[:12] in answer.err
        assert len(bench.store.runs()) == 1
        assert call(bench, *RECORD, "--strict").code == 1
        assert len(bench.store.runs()) == 2

    def test_without_a_gpu_the_times_are_stored(self, bench: Bench, call: Call):
        bench.repo.write("perftrack.toml", 'device = "cpu"\n')
        bench.repo.commit("Configure")
        answer = call(bench, *RECORD, FAKE_NCU_SAYS=fake_ncu.NO_KERNELS)
        assert answer.code == 0, answer.err
        assert "limitation not-profiled" in answer.err
        assert len(bench.store.runs()) == 1

    @pytest.mark.parametrize(
        ("says", "told"), [(fake_ncu.NO_PERMISSION, "ERR_NVGPUCTRPERM"), (fake_ncu.NO_KERNELS, "profiled")]
    )
    def test_what_ncu_refuses_is_said_for_the_case(self, bench: Bench, call: Call, says: str, told: str):
        answer = call(bench, *RECORD, FAKE_NCU_SAYS=says)
        assert answer.code == 0
        (line,) = [x for x in answer.err.splitlines() if x.startswith("limitation not-profiled")]
        assert "total" in line
        assert told in line

    def test_a_case_that_fails_under_the_profiler_is_told_with_its_reason(self, bench: Bench, call: Call):
        failing = scratch.BENCHMARKS.replace("sum(range(10))", "1 / ('NCU' not in os.environ)")
        bench.repo.write("benchmarks/bench_text.py", "import os\n" + failing)
        bench.repo.commit("Divide")
        program = (bench.bin / "ncu").read_text()
        (bench.bin / "ncu").write_text(
            program.replace("run(target)", "run(target, env=os.environ | {'NCU': '1'})")
        )
        answer = call(bench, *RECORD)
        assert answer.code == 0
        assert "total: failed while it was profiled: ZeroDivisionError" in answer.err
        assert bench.store.latest_profiles(bench.head) == ()

    def test_a_set_that_is_no_name_is_wrong_usage(self, bench: Bench, call: Call):
        answer = call(bench, "record", "--quick", "--ncu=HEAD~1")
        assert answer.code == 2
        assert "no set" in answer.err

    def test_an_interrupt_while_profiling_keeps_the_times_and_leaves_no_process(
        self, bench: Bench, tmp_path: Path
    ):
        pid = tmp_path / "pid"
        waits = f"open({str(pid)!r}, 'w').write(str(os.getpid())); import time; time.sleep(60)\ntarget = "
        (bench.bin / "ncu").write_text((bench.bin / "ncu").read_text().replace("target = ", waits))
        process = subprocess.Popen(
            [sys.executable, "-m", "perftrack", *RECORD],
            cwd=bench.repo.root,
            env=scratch.command_environment(replayed=True) | bench.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(900):
            if pid.exists() and pid.read_text():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        assert len(bench.store.runs()) == 1
        assert not Path(f"/proc/{pid.read_text()}").exists()


class TestShow:
    def test_a_commit_shows_its_cases_and_how_they_were_profiled(self, two: Bench, call: Call):
        answer = call(two, "ncu", "show", "HEAD", "--bench", "size=1000")
        assert answer.code == 0, answer.err
        assert "Unroll by eight" in answer.out
        assert "tokenize[size=1000]" in answer.out
        assert f"ncu {fake_ncu.VERSION}, basic+diff, clocks none, caches flushed all" in answer.out
        assert "scale_kernel<float>" in answer.out
        assert "total" not in answer.out

    def test_json_has_the_documented_keys_and_numbers(self, two: Bench, call: Call):
        document = call(two, "ncu", "show", "HEAD", "--bench", "total", "--json").document
        keys = {
            "kernel", "grid", "block", "duration_ns", "dram_read_bytes", "dram_write_bytes", "dram_bytes_per_s",
            "dram_pct", "sm_pct", "mem_pct", "occupancy_achieved_pct", "occupancy_theoretical_pct",
            "occupancy_limiter", "registers", "waves", "l2_hit_pct", "top_stalls", "bound", "unparsed",
        }  # fmt: skip
        (launch,) = document["launches"]
        assert document["schema_version"] == 1
        assert keys <= set(launch)
        assert (launch["case"], launch["registers"], launch["duration_ns"]) == ("total", 96, 90000)
        assert launch["l2_hit_pct"] is None
        assert document["profiles"][0]["clock_control"] == "none"

    def test_every_metric_on_request(self, two: Bench, call: Call):
        answer = call(two, "ncu", "show", "HEAD", "--bench", "total", "--all-metrics")
        assert "device__attribute_display_name" in answer.out
        (launch,) = call(two, "ncu", "show", "HEAD", "--bench", "total", "--all-metrics", "--json").document[
            "launches"
        ]
        assert {"name": "smsp__inst_executed.sum", "section": None, "value": 5000, "unit": "inst"} in launch[
            "metrics"
        ]

    def test_a_file_is_shown_as_one(self, two: Bench, call: Call):
        answer = call(two, "ncu", "show", "raw.csv")
        assert answer.code == 0, answer.err
        assert "50.00 µs" in answer.out
        document = call(two, "ncu", "show", "raw.csv", "--json").document
        assert document["launches"][0]["registers"] == 32
        assert document["source"] == "raw.csv"

    def test_a_file_needs_no_repository(self, call: Call, tmp_path: Path):
        (tmp_path / "raw.csv").write_text(GOOD)
        assert call(Bench(Scratch(tmp_path), tmp_path / "ncu"), "ncu", "show", "raw.csv").code == 0

    def test_standard_input_is_read(self, bench: Bench):
        command = [sys.executable, "-m", "perftrack", "ncu", "show", "-", "--json"]
        environment = scratch.command_environment(replayed=False)
        done = subprocess.run(
            command, input=GOOD, cwd=bench.repo.root, env=environment, capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["launches"][0]["registers"] == 32

    def test_what_a_kernel_is_called_takes_no_effect_on_a_terminal(self, two: Bench, call: Call):
        (two.repo.root / "odd.csv").write_text(GOOD.replace("scale_kernel", "\x1b[31mred\x07"), encoding="utf-8")
        answer = call(two, "ncu", "show", "odd.csv")
        (two.repo.root / "odd.csv").unlink()
        assert answer.code == 0, answer.err
        assert "\x1b" not in answer.out
        assert "\x07" not in answer.out
        assert "red" in answer.out

    def test_a_name_that_is_both_is_the_file_and_that_is_said(self, two: Bench, call: Call):
        (two.repo.root / "HEAD").write_text(GOOD)
        try:
            answer = call(two, "ncu", "show", "HEAD")
        finally:
            (two.repo.root / "HEAD").unlink()
        assert "HEAD is a file and a revision" in answer.err
        assert "clocks none" not in answer.out

    @pytest.mark.parametrize("text", ["", "hello\n", "a,b,c\n1,2,3\n", fake_ncu.NO_PERMISSION])
    def test_a_file_that_is_none_is_refused_with_exit_1(self, bench: Bench, call: Call, text: str):
        (bench.repo.root / "x.csv").write_text(text)
        answer = call(bench, "ncu", "show", "x.csv")
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith("Error: ")
        assert "x.csv" in answer.err
        assert "Traceback" not in answer.err

    def test_a_file_that_is_not_there_is_told_from_a_revision(self, bench: Bench, call: Call):
        answer = call(bench, "ncu", "show", "raw.csv")
        assert answer.code == 1
        assert "there is no file" in answer.err
        unknown = call(bench, "ncu", "show", "no-such-branch")
        assert unknown.code == 1
        assert "'no-such-branch' is no file, and no revision" in unknown.err

    def test_files_and_revisions_do_not_mix(self, two: Bench, call: Call):
        for names in (["raw.csv", "HEAD"], ["HEAD", "HEAD~1"], ["raw.csv", "--bench", "x"]):
            assert call(two, "ncu", "show", *names).code == 2

    def test_a_commit_without_profiles_says_what_to_run(self, bench: Bench, call: Call):
        (bench.repo.root / "raw.csv").write_text(GOOD)
        assert call(bench, "ncu", "import", "raw.csv", "--rev", "HEAD", "--bench", "total").code == 0
        bench.repo.commit("Unprofiled")
        answer = call(bench, "ncu", "show", "HEAD")
        assert answer.code == 1
        assert "perftrack record --ncu HEAD" in answer.err
        assert "ncu import" in answer.err

    def test_an_unknown_case_is_wrong_usage_and_names_others(self, two: Bench, call: Call):
        answer = call(two, "ncu", "show", "HEAD", "--bench", "nothing")
        assert answer.code == 2
        assert "total" in answer.err


class TestDiff:
    def test_the_cause_is_named_with_its_numbers(self, two: Bench, call: Call):
        answer = call(two, "ncu", "diff", "HEAD~1", "--bench", "total")
        assert answer.code == 0, answer.err
        assert "duration 50.00 µs → 90.00 µs (+80 %)" in answer.out
        assert "registers a thread 32 → 96" in answer.out
        assert "occupancy 100 % → 33 %, limited by registers" in answer.out

    def test_json_has_findings_with_both_values(self, two: Bench, call: Call):
        document = call(two, "ncu", "diff", "HEAD~1", "HEAD", "--json", "--bench", "total").document
        (case,) = document["cases"]
        assert case["case"] == "total"
        assert case["comparable"]
        (launch,) = case["launches"]
        deltas = {d["field"]: (d["baseline"], d["candidate"]) for f in launch["findings"] for d in f["deltas"]}
        assert deltas["registers"] == (32, 96)
        assert launch["headline"]["code"] == "duration"

    def test_files_are_compared_with_each_other_and_with_a_case(self, two: Bench, call: Call):
        assert "registers" not in call(two, "ncu", "diff", "raw.csv", "raw.csv").out
        answer = call(two, "ncu", "diff", "raw.csv", "HEAD", "--bench", "total")
        assert "registers a thread 32 → 96" in answer.out
        assert "durations are not compared" in answer.out  # the file does not tell its clock control
        several = call(two, "ncu", "diff", "raw.csv", "HEAD")
        assert several.code == 2
        assert "--bench" in several.err

    def test_a_commit_with_itself_has_nothing_to_tell_apart(self, two: Bench, call: Call):
        assert "nothing to tell apart" in call(two, "ncu", "diff", "HEAD", "HEAD").out


class TestCompare:
    def test_a_regression_is_explained_by_its_profiles(self, two: Bench, call: Call):
        answer = call(two, "compare", "HEAD~1", "--bench", "size=1000")
        assert answer.code == 3, answer.err
        assert "profiles of tokenize[size=1000] say" in answer.out
        assert "registers a thread 32 → 96" in answer.out

    def test_json_has_the_findings_of_changed_cases_only(self, two: Bench, call: Call):
        cases = {c["case"]: c for c in call(two, "compare", "HEAD~1", "--json").document["cases"]}
        assert "registers" in {f["code"] for f in cases["tokenize[size=1000]"]["findings"]} | {
            d["field"] for f in cases["tokenize[size=1000]"]["findings"] for d in f["deltas"]
        }
        assert cases["total"]["findings"] == []

    def test_a_comment_for_a_pull_request_has_them_as_data(self, two: Bench, call: Call):
        lines = call(two, "compare", "HEAD~1", "--markdown").out.splitlines()
        (line,) = [x for x in lines if "registers a thread" in x]
        assert line.startswith("- ")
        words = html.unescape(re.sub(r"</?code>", "", line))
        assert "tokenize[size=1000]: scale_kernel<float>: registers a thread 32 → 96" in words

    def test_equal_code_is_no_regression(self, two: Bench, call: Call, tmp_path: Path):
        copy = tmp_path / "equal.duckdb"
        copy.write_bytes((two.repo.root / "perftrack.duckdb").read_bytes())
        summary = LaunchSummary("k", (8, 1, 1), (64, 1, 1), code_hash="c0de", registers=32.0)
        for at, revision in enumerate(("HEAD~1", "HEAD")):
            profile = Profile(
                two.repo.git("rev-parse", revision), "tokenize[size=1000]", 4e9 + at, (Launch(summary),)
            )
            assert Store(copy).add_profile(profile)
        answer = call(two, "compare", "HEAD~1", "--json", "--store", str(copy))
        assert answer.code == 4
        (case,) = [c for c in answer.document["cases"] if c["case"] == "tokenize[size=1000]"]
        assert case["verdict"] == "inconclusive"
        codes = [r["code"] for r in case["reasons"]]
        assert codes[0] == "equal-code"
        assert "permutation" in codes, "it would have been a regression"
        other = replace(profile, launches=(Launch(replace(summary, code_hash="0ther")),), taken_at=5e9)
        Store(copy).add_profile(other)
        assert call(two, "compare", "HEAD~1", "--json", "--store", str(copy)).code == 3


class TestImport:
    def test_files_become_the_profile_of_a_case(self, bench: Bench, call: Call):
        call(bench, *RECORD[:-1])
        (bench.repo.root / "raw.csv").write_text(GOOD)
        answer = call(bench, "ncu", "import", "raw.csv", "--rev", "HEAD", "--bench", "tot")
        assert answer.code == 0, answer.err
        assert "total: 1 launch(es) stored from raw.csv" in answer.out
        assert call(bench, "ncu", "show", "HEAD", "--json").document["launches"][0]["registers"] == 32

    def test_importing_again_changes_nothing(self, bench: Bench, call: Call):
        (bench.repo.root / "raw.csv").write_text(GOOD)
        call(bench, "ncu", "import", "raw.csv", "--rev", "HEAD", "--bench", "total")
        answer = call(bench, "ncu", "import", "raw.csv", "--rev", "HEAD", "--bench", "total", "--json")
        assert answer.document["stored"] is False
        assert len(bench.store.profiles(bench.head)) == 1

    def test_a_case_that_nobody_recorded_is_stored_with_a_warning(self, bench: Bench, call: Call):
        (bench.repo.root / "raw.csv").write_text(GOOD)
        answer = call(bench, "ncu", "import", "raw.csv", "--rev", "HEAD", "--bench", "matmul[n=8]")
        assert answer.code == 0
        assert "no case named 'matmul[n=8]' is recorded" in answer.err
        assert bench.store.latest_profiles(bench.head)[0].case_id == "matmul[n=8]"

    def test_a_part_of_several_cases_is_wrong_usage(self, two: Bench, call: Call, tmp_path: Path):
        (tmp_path / "raw.csv").write_text(GOOD)
        answer = call(two, "ncu", "import", str(tmp_path / "raw.csv"), "--rev", "HEAD", "--bench", "tokenize")
        assert answer.code == 2
        assert "size=1000" in answer.err

    def test_a_file_that_is_refused_is_not_stored(self, bench: Bench, call: Call):
        (bench.repo.root / "x.csv").write_text("hello\n")
        assert call(bench, "ncu", "import", "x.csv", "--rev", "HEAD", "--bench", "total").code == 1
        assert not (bench.repo.root / "perftrack.duckdb").exists()

    @pytest.mark.parametrize(("name", "why"), [("missing.csv", "No such file"), (".", "Is a directory")])
    def test_what_cannot_be_opened_is_named_with_what_to_check(
        self, bench: Bench, call: Call, name: str, why: str
    ):
        answer = call(bench, "ncu", "import", name, "--rev", "HEAD", "--bench", "total")
        assert answer.code == 1
        assert f"cannot be read: {why}" in answer.err
        assert "Hint: Check the name." in answer.err

    def test_a_file_that_is_named_twice_is_read_and_listed_once(self, bench: Bench, call: Call):
        (bench.repo.root / "raw.csv").write_text(GOOD)
        (bench.repo.root / "link.csv").symlink_to("raw.csv")
        names = ("raw.csv", "raw.csv", "./raw.csv", "link.csv")
        answer = call(bench, "ncu", "import", *names, "--rev", "HEAD", "--bench", "total")
        assert answer.code == 0, answer.err
        assert "total: 1 launch(es) stored from raw.csv\n" in answer.out


class TestRun:
    def test_a_commands_launches_are_shown_and_its_output_goes_to_stderr(self, bench: Bench, call: Call):
        answer = call(bench, "ncu", "run", "--", "sh", "-c", "printf from-the-%s program")
        assert answer.code == 0, answer.err
        assert "scale_kernel<float>" in answer.out
        assert "from-the-program" not in answer.out
        assert "from-the-program" in answer.err

    def test_options_after_the_program_are_the_programs(self, bench: Bench, call: Call):
        call(bench, "ncu", "run", "--set", "full", "--launches", "3", "--", "true", "--set", "mine")
        (command,) = fake_ncu.command_lines(bench.log)
        assert command[-3:] == ["true", "--set", "mine"]
        assert command[:2] == ["--set", "full"]
        assert command[command.index("--launch-count") + 1] == "3"
        assert "--profile-from-start" not in command

    def test_metrics_alone(self, bench: Bench, call: Call):
        call(bench, "ncu", "run", "--only-metrics", "--metrics", "a,b", "--metrics", "c", "--", "true")
        (command,) = fake_ncu.command_lines(bench.log)
        assert command[:2] == ["--metrics", "a,b,c"]
        assert call(bench, "ncu", "run", "--only-metrics", "--", "true").code == 2

    def test_json_says_how_it_was_taken(self, bench: Bench, call: Call):
        document = call(bench, "ncu", "run", "--json", "--clock-control", "base", "--", "true").document
        assert document["command"] == ["true"]
        assert (document["clock_control"], document["cache_control"]) == ("base", "all")
        assert (document["exit_status"], document["launches"][0]["registers"]) == (0, 32)

    def test_a_program_that_fails_is_shown_and_exits_1(self, bench: Bench, call: Call):
        answer = call(bench, "ncu", "run", "--", "sh", "-c", "exit 7")
        assert answer.code == 1
        assert "scale_kernel" in answer.out
        assert "exited with 7" in answer.err

    def test_a_program_without_kernels_lists_what_was_there(self, bench: Bench, call: Call):
        answer = call(bench, "ncu", "run", "--", "true", FAKE_NCU_SAYS=fake_ncu.NO_KERNELS)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith("Error: ")
        assert "stream_copy" in answer.err

    def test_the_report_is_kept_and_never_replaced_unasked(self, bench: Bench, call: Call):
        assert call(bench, "ncu", "run", "-o", "kept", "--", "true").code == 0
        assert (bench.repo.root / "kept.ncu-rep").read_text() == GOOD
        refused = call(bench, "ncu", "run", "-o", "kept.ncu-rep", "--", "true")
        assert refused.code == 2
        assert "--force" in refused.err
        bench.leaves(BAD)
        assert call(bench, "ncu", "run", "-f", "-o", "kept", "--", "true").code == 0
        assert (bench.repo.root / "kept.ncu-rep").read_text() == BAD

    def test_a_command_needs_no_repository(self, bench: Bench, call: Call, tmp_path: Path):
        bench.repo = Scratch(tmp_path)
        assert call(bench, "ncu", "run", "--", "true").code == 0

    def test_without_ncu_it_says_what_to_install(self, bench: Bench, call: Call):
        (bench.bin / "ncu").unlink()
        answer = call(bench, "ncu", "run", "--", "true")
        assert answer.code == 1
        assert "Nsight Compute" in answer.err

    def test_without_a_command_it_is_wrong_usage(self, bench: Bench, call: Call):
        assert call(bench, "ncu", "run").code == 2


def test_an_input_without_end_is_refused_and_not_gathered(
    call: Call, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perftrack.ncu.source.load.__defaults__", (1 << 20,))
    answer = call(bench, "ncu", "show", "/dev/zero")
    assert answer.code == 1
    assert "/dev/zero: more than 1 MiB" in answer.err


@pytest.mark.parametrize("command", [("diff", "-", "-"), ("import", "-", "-", "--rev", "HEAD", "--bench", "x")])
def test_standard_input_is_one_file(call: Call, bench: Bench, command: tuple[str, ...]) -> None:
    answer = call(bench, "ncu", *command)
    assert answer.code == 2
    assert "standard input can be read once" in answer.err


def test_bench_does_not_choose_among_files(call: Call, bench: Bench) -> None:
    (bench.repo.root / "a.csv").write_text(page())
    answer = call(bench, "ncu", "diff", "a.csv", "a.csv", "--bench", "x")
    assert answer.code == 2
    assert "files have none" in answer.err


def test_names_cannot_end_their_line_or_steer_the_terminal(call: Call, bench: Bench) -> None:
    name = "a\x1b[31m\nb.csv"
    (bench.repo.root / name).write_text(page())
    shown = call(bench, "ncu", "show", name).out
    assert r"a\x1b[31m\nb.csv" in shown
    assert r"baseline  a\x1b[31m\nb.csv" in call(bench, "ncu", "diff", name, name).out


def test_a_subject_cannot_steer_the_terminal(call: Call, bench: Bench) -> None:
    bench.repo.write("new.txt", "x")
    bench.repo.commit("red \x1b[31m")
    (bench.repo.root / "a.csv").write_text(page())
    call(bench, "ncu", "import", "a.csv", "--rev", "HEAD", "--bench", "x")
    assert r"red \x1b[31m" in call(bench, "ncu", "show", "HEAD").out
    assert r"red \x1b[31m" in call(bench, "ncu", "diff", "HEAD", "HEAD").out


@pytest.mark.parametrize(
    ("option", "said"),
    [("--set=", "no set"), ("--set=--foo", "no set"), ("--timeout=nan", "seconds"), ("--timeout=inf", "seconds")],
)
def test_what_no_run_can_use_is_refused_before_it(call: Call, bench: Bench, option: str, said: str) -> None:
    answer = call(bench, "ncu", "run", option, "--", "touch", "ran")
    assert answer.code == 2
    assert said in answer.err
    assert not (bench.repo.root / "ran").exists()


def test_a_long_table_ends_with_how_much_more_there_is(
    call: Call, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perftrack.cli.ncu_view.ROWS", 2)
    (bench.repo.root / "a.csv").write_text(page(launches=5))
    assert "3 more launch(es) are not shown" in call(bench, "ncu", "show", "a.csv").out
    assert len(json.loads(call(bench, "ncu", "show", "a.csv", "--json").out)["launches"]) == 5
