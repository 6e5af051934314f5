"""What is imported when, what may import what, and how large and well named modules are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from perftrack.cli.main import main

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "perftrack").rglob("*.py"))
HEAVY = {"duckdb", "altair", "git", "numpy", "scipy", "torch", "jinja2"}
SAYS_NOTHING = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}

SHOW_HELP = """
import json, sys
from perftrack.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as done:
    json.dump({"exit": done.code, "modules": sorted(sys.modules)}, sys.stderr)
"""

# A project's own interpreter has perftrack's files on its path and nothing else of perftrack's needs. -I -S leaves
# the standard library alone.
IMPORT_ALONE = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def command_paths(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from command_paths(command, (*path, name))
        else:
            yield (*path, name)


@pytest.mark.parametrize("path", list(command_paths(main)), ids=lambda p: " ".join(("perftrack", *p)))
def test_help_imports_nothing_heavy(path: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW_HELP, *path, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    report = json.loads(done.stderr)
    assert report["exit"] == 0
    assert "Usage:" in done.stdout
    assert HEAVY & set(report["modules"]) == set()


def test_the_package_itself_imports_nothing_but_its_version() -> None:
    code = "import sys; before = set(sys.modules); import perftrack; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = {m for m in done.stdout.split() if m.startswith("perftrack")}
    assert ours == {"perftrack", "perftrack._version"}
    assert HEAVY & set(done.stdout.split()) == set()


def worker_modules() -> list[str]:
    """Modules that a worker process loads: they may import the standard library only."""
    parents_side = {"timing/measure.py", "timing/compare.py", "suite/pool.py", "suite/selection.py"}
    folders = ("timing", "suite")
    files = [p for p in MODULES if p.relative_to(ROOT / "perftrack").parts[0] in folders]
    core = ("checkup", "model", "fingerprint", "tiers", "reasons", "plan", "ceiling", "limit", "share")
    files += [ROOT / "perftrack" / "core" / f"{name}.py" for name in core]
    files += [ROOT / "perftrack" / "app" / f"{name}.py" for name in ("worker", "rigwork", "rigopen")]
    files += [ROOT / "perftrack" / "errors.py"]
    kept = [p for p in files if p.relative_to(ROOT / "perftrack").as_posix() not in parents_side]
    return [".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for p in kept]


def test_workers_need_the_standard_library_only() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", IMPORT_ALONE, str(ROOT), *worker_modules()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_worker_starts_without_what_it_may_never_need() -> None:
    """Each of a run's many processes pays for it: a recording starts several for every commit."""
    code = "import sys; import perftrack.app.worker; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"importlib.metadata", "perftrack.core.history", "email"} & set(done.stdout.split()) == set()


def test_import_contracts_hold() -> None:
    code = "import sys; from importlinter.cli import lint_imports_command as c; sys.argv = ['lint-imports']; c()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_modules_are_of_a_size_to_read_at_once() -> None:
    lines = {p.relative_to(ROOT).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES}
    assert {name: count for name, count in lines.items() if count > 250} == {}


def test_modules_are_named_for_what_they_hold() -> None:
    assert [p for p in MODULES if p.stem in SAYS_NOTHING or p.parent.name in SAYS_NOTHING] == []


def test_the_sites_folder_holds_data_only() -> None:
    assert list((ROOT / "site").rglob("*.py")) == []
