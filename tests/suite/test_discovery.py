"""Benchmark files on disk: what is found, what is refused and with which file and line."""

from pathlib import Path

import pytest

from perftrack.suite.discovery import find_files, load_suite
from perftrack.suite.messages import Reply, encode


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("import perftrack as pt\n" + text)
    return path


def load(tmp_path: Path, **files: str):
    for name, text in files.items():
        write(tmp_path / "benchmarks", f"{name}.py", text)
    return load_suite(find_files(tmp_path / "benchmarks", "bench_*.py"), tmp_path)


GOOD = "@pt.benchmark\ndef fine():\n    return lambda: None\n"


def test_files_are_found_by_pattern_in_subfolders_too(tmp_path):
    write(tmp_path, "bench_a.py", "")
    write(tmp_path, "deep/bench_b.py", "")
    write(tmp_path, "other.py", "")
    assert [p.name for p in find_files(tmp_path, "bench_*.py")] == ["bench_a.py", "bench_b.py"]


def test_declarations_carry_file_and_line(tmp_path):
    suite = load(tmp_path, bench_a="\n\n" + GOOD)
    assert suite.sources == {"fine": "benchmarks/bench_a.py:4"}
    assert suite.problems == ()


def test_one_broken_file_leaves_the_others(tmp_path):
    suite = load(tmp_path, bench_a="1 / 0\n", bench_b=GOOD)
    assert list(suite.declarations) == ["fine"]
    (problem,) = suite.problems
    assert problem.where == "benchmarks/bench_a.py:2"
    assert "ZeroDivisionError" in problem.message


def test_a_missing_import_says_what_to_install(tmp_path):
    suite = load(tmp_path, bench_a="import no_such_package_here\n")
    (problem,) = suite.problems
    assert "no_such_package_here" in problem.hint


def test_a_syntax_error_names_its_line(tmp_path):
    suite = load(tmp_path, bench_a="x = 1\ndef broken(:\n")
    (problem,) = suite.problems
    assert problem.where == "benchmarks/bench_a.py:3"


def test_a_file_that_exits_is_a_problem_not_an_exit(tmp_path):
    suite = load(tmp_path, bench_a="raise SystemExit(3)\n", bench_b=GOOD)
    assert "SystemExit" in suite.problems[0].message
    assert list(suite.declarations) == ["fine"]


def test_one_name_in_two_files_names_both_places(tmp_path):
    suite = load(tmp_path, bench_a=GOOD, bench_b=GOOD)
    (problem,) = suite.problems
    assert problem.where == "benchmarks/bench_b.py:2"
    assert "benchmarks/bench_a.py:2" in problem.message


def test_one_name_twice_in_a_file_is_seen_although_python_hides_the_first(tmp_path):
    suite = load(tmp_path, bench_a=GOOD + GOOD)
    assert "already declared at benchmarks/bench_a.py:2" in suite.problems[0].message


def test_a_bad_declaration_leaves_the_others_of_its_file(tmp_path):
    bad = "@pt.benchmark(params={'n': [[1]]})\ndef bad(n):\n    return lambda: n\n"
    suite = load(tmp_path, bench_a=bad + GOOD)
    assert list(suite.declarations) == ["fine"]
    assert suite.problems[0].where == "benchmarks/bench_a.py:2"


def test_a_declaration_imported_from_another_file_counts_once(tmp_path):
    write(tmp_path / "benchmarks", "bench_a.py", GOOD)
    text = f"import sys\nsys.path.insert(0, {str(tmp_path / 'benchmarks')!r})\nfrom bench_a import fine\n"
    suite = load(tmp_path, bench_b=text)
    assert suite.problems == ()
    assert suite.sources == {"fine": "benchmarks/bench_a.py:2"}


@pytest.mark.parametrize("first", [True, False])
def test_two_cases_that_read_the_same_are_refused_with_both_places(tmp_path, first):
    params = "@pt.benchmark(params={'n': [1]})\ndef f(n):\n    return lambda: n\n"
    named = "@pt.benchmark(name='f[n=1]')\ndef g():\n    return lambda: None\n"
    a, b = (params, named) if first else (named, params)
    suite = load(tmp_path, bench_a=a, bench_b=b)
    (problem,) = suite.problems
    assert problem.where == "benchmarks/bench_b.py:2"
    assert "f[n=1] is already declared at benchmarks/bench_a.py:2" in problem.message
    assert len(suite.declarations) == 1


BAD = {
    "number as name": "@pt.benchmark(name=5)\ndef bad():\n    return lambda: 1\n",
    "class": "@pt.benchmark\nclass Bad:\n    pass\n",
    "builtin": "pt.benchmark(len)\n",
    "name in the function's place": "@pt.benchmark('bad')\ndef bad():\n    return lambda: 1\n",
    "foreign function": "import textwrap; pt.benchmark(textwrap.dedent)\n",
    "unit": "@pt.metric(unit=5)\ndef bad():\n    return 1\n",
    "baseline": "@pt.benchmark(baseline=5)\ndef bad():\n    return lambda: 1\n",
    "interrupt": "raise KeyboardInterrupt\n",
    "message that cannot be printed": "raise ValueError('\\ud800')\n",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_each_bad_declaration_is_one_problem_at_its_line(tmp_path, capfd, text):
    ending = "" if text.startswith("raise") else GOOD
    suite = load(tmp_path, bench_a="\n" + text + ending, bench_b=GOOD.replace("fine", "other"))
    (problem,) = suite.problems
    assert problem.where == "benchmarks/bench_a.py:3"
    encode(Reply(catalogue=suite.catalogue()))
    (problem.message + problem.hint).encode()
    assert list(suite.declarations) == (["fine", "other"] if ending else ["other"])
    assert capfd.readouterr() == ("", "")


def test_a_function_of_another_file_that_fits_is_measured(tmp_path):
    suite = load(tmp_path, bench_a="import sysconfig\npt.benchmark(sysconfig.get_platform)\n")
    assert suite.sources == {"get_platform": "benchmarks/bench_a.py:3"}


def test_a_bad_declaration_does_not_take_its_name(tmp_path):
    bad = "@pt.benchmark(device='gpu')\ndef fine():\n    return lambda: 1\n"
    suite = load(tmp_path, bench_a=bad + GOOD)
    assert suite.sources == {"fine": "benchmarks/bench_a.py:5"}


def test_a_function_behind_a_wrapper_of_another_file_keeps_its_own_place(tmp_path):
    text = "import functools\n@pt.benchmark\n@functools.lru_cache\ndef fine():\n    return lambda: None\n"
    suite = load(tmp_path, bench_a=text)
    assert suite.sources == {"fine": "benchmarks/bench_a.py:3"}


def test_a_declaration_outside_the_benchmark_files_is_a_problem(tmp_path):
    write(tmp_path, "shelf_of_benchmarks.py", GOOD)
    text = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport shelf_of_benchmarks\nsys.path.pop(0)\n"
    suite = load(tmp_path, bench_a=text)
    (problem,) = suite.problems
    assert problem.where == "shelf_of_benchmarks.py:2"
    assert "outside the benchmark files" in problem.message
