"""What the documentation says to type works: the README's commands and every command's own examples."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

import click
import pytest

from perftrack.cli.main import main
from tests import fake_ncu, scratch
from tests.scratch import Answer, Scratch

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(?:sh|bash|shell|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\s*(?:\$ )?((?:perftrack|make)\b.*)$")

# Commands of the README that are not run here, and what runs them instead.
ELSEWHERE = {
    "make demo": ".ci/run",
    "make test": ".ci/run",
}

# Answers that a right command may give on the scratch repository: a comparison may find a regression (3) or be
# unable to decide (4).
GATES = {"compare": {0, 3, 4}, "detect": {0, 3, 4}, "check": {0, 3, 4}}


def commands(root: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something itself, with the words that call it."""
    context = click.Context(root, info_name=path[-1] if path else "perftrack")
    if not isinstance(root, click.Group) or root.invoke_without_command:
        yield path, root
    if isinstance(root, click.Group):
        for name in root.list_commands(context):
            inner = root.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


LEAVES = dict(commands(main))


def examples(command: click.Command) -> list[str]:
    """Lines of the "Examples:" block of a command's help."""
    _, _, block = (command.help or "").partition("Examples:\n")
    return [uncommented(line) for line in takewhile(str.strip, block.splitlines())]


def uncommented(line: str) -> str:
    """A command line without its comment: `# …`, or text set off by two spaces."""
    return re.split(r"\s{2,}|\s#", line.strip())[0]


def readme_commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    found = [match[1] for line in lines if (match := COMMAND.match(line))]
    return list(dict.fromkeys(uncommented(line) for line in found))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    """A repository with the names that examples use: three commits recorded, and profiled by a stand-in."""
    repo = scratch.make(tmp_path_factory.mktemp("docs") / "project")
    matmul = "import perftrack as pt\n@pt.benchmark(params={'n': [1024]})\ndef matmul(n):\n    return lambda: n\n"
    times = json.loads(scratch.replay())
    times["cases"]["matmul[n=1024]"] = {"time": {"level": 1e-3, "noise": 0.002}}
    repo.write("benchmarks/bench_gemm.py", matmul)
    repo.write("replay.json", json.dumps(times))
    for subject in ("Add a matrix product", "Write it down"):
        repo.commit(subject)
    times["cases"]["total"]["time"]["level"] *= 1.1  # bisect has something to find
    repo.write("replay.json", json.dumps(times))
    repo.commit("Release")
    counted = {"smsp__inst_executed.sum": ("5", "inst"), "gpu__time_duration.sum": ("1500", "ns")}
    page = fake_ncu.raw_page(counted)
    for name, text in (("raw.csv", page), ("details.csv", page), ("other.csv", page), ("train.py", "")):
        repo.write(name, text)
    (repo.root / ".git" / "info" / "exclude").write_text(
        "*.csv\n*.xml\ntrain.py\nprofile.ncu-rep\nperftrack-epochs.toml\n"
    )
    ncu = fake_ncu.install(repo.state / "bin") | {"FAKE_NCU_REPORT": str(repo.root / "raw.csv")}
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in ncu.items():
            patch.setenv(variable, value)
        done = repo.run("record", "HEAD~2", "HEAD~1", "HEAD", "--quick", "--ncu")
        assert done.code == 0, done.err
        assert "not-profiled" not in done.err
        yield repo


@pytest.mark.parametrize("words", [w for w in LEAVES if w], ids=" ".join)
def test_every_command_has_examples_of_itself(words: tuple[str, ...]) -> None:
    shown = examples(LEAVES[words])
    assert shown, f"the help of {' '.join(words)} has no Examples: block"
    for line in shown:
        assert shlex.split(line)[: len(words) + 1] == ["perftrack", *words]


@pytest.mark.parametrize("line", dict.fromkeys(e for c in (main, *LEAVES.values()) for e in examples(c)))
def test_example_in_help_runs(line: str, recorded: Scratch) -> None:
    assert_runs(line, recorded)


def test_the_readme_has_commands() -> None:
    assert any(line.startswith("perftrack record") for line in readme_commands())


@pytest.mark.parametrize("line", readme_commands())
def test_command_in_the_readme_runs(line: str, recorded: Scratch) -> None:
    if line in ELSEWHERE:
        target, covered = line.partition(" ")[2], (ROOT / ELSEWHERE[line]).read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert line in covered
        return
    assert_runs(line, recorded)


def test_nothing_is_listed_as_run_elsewhere_that_the_readme_does_not_say() -> None:
    assert set(ELSEWHERE) <= set(readme_commands())


# Each command's first example is run as users run it; starting Python for all of them would take minutes.
FIRST = {examples(command)[0] for words, command in LEAVES.items() if words and examples(command)}


@cache
def answer(repo: Scratch, line: str) -> Answer:
    """Once, though both the README and a command's help may show it."""
    return repo.run(*shlex.split(line)[1:], apart=line in FIRST)


def assert_runs(line: str, repo: Scratch) -> None:
    program, *words = shlex.split(line)
    assert program == "perftrack", f"`{line}` must be in ELSEWHERE, with what runs it"
    done = answer(repo, line)
    assert done.code in GATES.get(words[0], {0}), f"{line}: exit {done.code}\n{done.out}{done.err}"
    assert "Traceback" not in done.err
