"""The distributions as users get them: built, looked into, installed in a fresh environment and used elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from perftrack._version import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
BENCHMARK = """
import perftrack as pt


@pt.benchmark
def total():
    return lambda: sum(range(100))
"""


def run(*command: str | Path, cwd: Path) -> str:
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PERFTRACK", "GIT_"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=outside, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a wheel and an sdist; the wheel is built from the sdist, as an installer would."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `perftrack` command of a fresh environment that has the wheel and what it requires."""
    root = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(root, with_pip=True)
    run(root / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=root)
    return root / "bin" / "perftrack"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of somebody else's: a repository with one benchmark and one commit."""
    root = tmp_path_factory.mktemp("elsewhere") / "project"
    (root / "benchmarks").mkdir(parents=True)
    (root / "benchmarks" / "bench_total.py").write_text(BENCHMARK)
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    run("git", "init", "--quiet", cwd=root)
    run("git", "add", "--all", cwd=root)
    run("git", *who, "commit", "--quiet", "-m", "Start", cwd=root)
    return root


def members(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_is_named_for_its_version(wheel: Path) -> None:
    assert wheel.name == f"perftrack_gpu-{__version__}-py3-none-any.whl"


def test_wheel_has_every_module_and_the_sites_files(wheel: Path) -> None:
    names = members(wheel)
    modules = {p.relative_to(ROOT).as_posix() for p in (ROOT / "perftrack").rglob("*.py")}
    migrations = {p.relative_to(ROOT).as_posix() for p in (ROOT / "perftrack").rglob("*.sql")}
    site = {f"perftrack/_site/{p.relative_to(ROOT / 'site').as_posix()}" for p in files(ROOT / "site")}
    assert modules | migrations | site | {"perftrack/py.typed"} <= names
    assert migrations
    assert any(name.startswith("perftrack/_site/templates/") for name in site)
    assert any(name.startswith("perftrack/_site/static/") for name in site)


def files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


def test_wheel_has_nothing_but_the_package_and_its_metadata(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in members(wheel)}
    assert tops == {"perftrack", f"perftrack_gpu-{__version__}.dist-info"}


def test_wheel_carries_the_licences(wheel: Path) -> None:
    licences = {n.partition(".dist-info/licenses/")[2] for n in members(wheel)} - {""}
    vendored = {p.relative_to(ROOT).as_posix() for p in (ROOT / "site" / "static" / "vendor").rglob("LICENSE*")}
    assert vendored
    assert licences == {"LICENSE"} | vendored


def test_sdist_has_the_tests_the_site_and_the_demo(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {n.partition("/")[2] for n in archive.getnames()}
    wanted = {
        "tests/test_wheel.py",
        "site/templates",
        "examples/demo/run_demo.py",
        "Makefile",
        "LICENSE",
        "README.md",
    }
    assert wanted - {n for n in wanted if n in names or any(o.startswith(f"{n}/") for o in names)} == set()


def test_command_of_a_fresh_environment_runs_from_another_folder(installed: Path, tmp_path: Path) -> None:
    assert "record" in run(installed, "--help", cwd=tmp_path)
    assert __version__ in run(installed, "--version", cwd=tmp_path)


def test_fresh_environment_records_and_publishes_from_another_folder(installed: Path, project: Path) -> None:
    run(installed, "record", "--quick", cwd=project)
    assert "total" in run(installed, "show", cwd=project)
    run(installed, "site", "build", cwd=project)
    site = project / "perftrack-site"
    assert (site / "index.html").is_file()
    assert any(">total<" in page.read_text(encoding="utf-8") for page in site.rglob("*.html"))


def test_nothing_else_is_needed_to_import_what_is_public(installed: Path, tmp_path: Path) -> None:
    code = "import perftrack; [getattr(perftrack, n) for n in perftrack.__all__]"
    run(installed.parent / "python", "-W", "error", "-c", code, cwd=tmp_path)
