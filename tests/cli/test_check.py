"""perftrack check: the answers that git bisect run understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import slowdown
from tests.scratch import called
from tests.slowdown import Slowdown


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Slowdown:
    """Four commits; number 2 made `total` 5 % slower; number 3 does not build."""
    return slowdown.make(tmp_path_factory.mktemp("check") / "project", 4, 2, noise=0.0, broken={3})


@pytest.fixture(autouse=True)
def on_main(made: Slowdown) -> None:
    made.repo.git("checkout", "-q", "main")


def check(made: Slowdown, *arguments: str) -> tuple[int, str, str]:
    answer = made.repo.run("check", "--bench", "total", "--git-bisect", "--seed", "1", *arguments)
    return answer.code, answer.out, answer.err


def test_a_slower_commit_is_bad(made: Slowdown) -> None:
    code, out, _ = check(made, "--baseline", made.good)
    assert code == 1
    assert out.startswith("bad: ")
    assert "+5.0 %" in out


def test_without_git_the_codes_are_those_of_a_gate(made: Slowdown) -> None:
    answer = made.repo.run("check", "--bench", "total", "--baseline", made.good, "--json", "--seed", "1")
    assert answer.code == answer.document["exit_code"] == 3
    assert answer.document["answer"] == "bad"
    assert answer.document["verdict"] == "regression"


def test_an_equal_commit_is_good(made: Slowdown) -> None:
    assert check(made, "--baseline", made.shas[2])[0] == 0


def test_a_commit_that_is_slower_by_less_than_counts_is_good_and_says_so(made: Slowdown) -> None:
    code, out, _ = check(made, "--baseline", made.good, "--threshold", "0.1")
    assert code == 0
    assert "it is slower" in out
    assert "--threshold" in out
    assert "it is slower" not in check(made, "--baseline", made.shas[2])[1]


def test_the_baseline_itself_is_good_and_not_measured(made: Slowdown) -> None:
    code, out, err = check(made, "--baseline", "HEAD", "-v")
    assert (code, "process" in err) == (0, False)
    assert "baseline itself" in out


def test_a_commit_that_does_not_build_is_skipped(made: Slowdown) -> None:
    made.repo.git("checkout", "-q", made.shas[3])
    code, out, _ = check(made, "--baseline", made.good)
    assert code == 125
    assert "build exited" in out


def test_a_baseline_that_does_not_build_stops_git(made: Slowdown) -> None:
    code, _, err = check(made, "--baseline", made.shas[3])
    assert code == 128
    assert "build exited" in err


def test_a_commit_without_the_benchmark_is_skipped(made: Slowdown) -> None:
    answer = made.repo.run("check", "--bench", "later", "--baseline", made.good, "--git-bisect")
    assert answer.code == 125
    assert "'later'" in answer.out


TOML = ("check", "--bench", "total", "--git-bisect", "-C")


@pytest.mark.parametrize("name", ["perftrack.toml", "pyproject.toml", "perftrack-epochs.toml"])
def test_a_commit_whose_own_configuration_is_damaged_is_skipped_and_the_user_s_stops_git(
    made: Slowdown, name: str
) -> None:
    repo = made.repo
    repo.git("checkout", "-q", "--detach")
    if name == "pyproject.toml":  # read where there is no perftrack.toml
        repo.git("rm", "-q", "perftrack.toml")
        repo.commit("Move the configuration")
    (repo.root / name).write_text("= damaged\n")
    theirs = called(*TOML, str(repo.root), "--baseline", made.good)
    repo.commit("Damage it")
    own = called(*TOML, str(repo.root), "--baseline", made.good)
    gate = called(*(w for w in TOML if w != "--git-bisect"), str(repo.root), "--baseline", made.good)
    repo.git("checkout", "-q", "--force", "main")
    repo.git("clean", "-q", "-f")
    assert (theirs.code, own.code, gate.code) == (128, 125, 1), own.err
    assert "can't tell" in own.out
    assert name in own.out


def test_a_commit_whose_benchmark_files_end_the_worker_is_skipped(made: Slowdown) -> None:
    repo = made.repo
    repo.git("checkout", "-q", "--detach")
    repo.commit("Die", benchmarks__bench_text_dot_py="import os\nos._exit(3)\n")
    killed = check(made, "--baseline", made.good)
    repo.commit("Lack a module", benchmarks__bench_text_dot_py="import no_such_module\n")
    lacking = check(made, "--baseline", made.good)
    assert (killed[0], lacking[0]) == (125, 125)
    assert "exited with code 3" in killed[1]
    assert "no_such_module" in lacking[1]


def test_a_full_disk_is_not_the_commit_s_fault_and_stops_git(made: Slowdown) -> None:
    command = "echo No space left on device; exit 1"
    code, _, err = check(made, "--baseline", made.good, "--build", command)
    assert (code, "not the commit's fault" in err) == (128, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--baseline", "nothing"),
        ("--baseline", "HEAD~1", "--bench", "tokenize"),
        ("--baseline", "HEAD~1", "--threshold", "nan"),
        ("--no-such-option",),
        (),
    ],
    ids=" ".join,
)
def test_what_is_no_answer_never_looks_like_one_to_git(made: Slowdown, arguments: tuple[str, ...]) -> None:
    assert check(made, *arguments)[0] == 128


def test_an_error_outside_of_a_project_stops_git_too(made: Slowdown, tmp_path: Path) -> None:
    assert check(made, "--baseline", "HEAD", "-C", str(tmp_path))[0] == 128
