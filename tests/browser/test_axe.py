"""axe-core, which checks rules of accessibility, on every page: light and dark, desktop and phone width."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perftrack.app.project import Project
from perftrack.app.publish import build
from perftrack.publish.addresses import kernel_key
from perftrack.publish.site import build_site
from tests.browser.conftest import DESKTOP, PHONE, Visit
from tests.publish.profiled import CASE, Profiled
from tests.publish.topped import Topped
from tests.stored import made, noisy

if TYPE_CHECKING:
    from playwright.sync_api import Page

VARIABLE = "PERFTRACK_AXE"
SERIOUS = ("serious", "critical")
# Both schemes and both widths; what a scheme does to colours it does at any width.
LOOKS = [("light", "desktop"), ("dark", "phone")]


@pytest.fixture(scope="session")
def axe() -> str:
    """The checker's source."""
    path = os.environ.get(VARIABLE, "")
    if not path:
        pytest.skip(f"{VARIABLE} names no axe.min.js: npm install axe-core")
    return Path(path).read_text(encoding="utf-8")


class Rich(Topped, Profiled):
    """All that a page can show: ceilings, profiles, lanes, failures, parameters, ratios of ceilings."""


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("axe") / "site"
    build_site(Rich(20), output)
    return output


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose history has a change in it and one that was accepted."""
    folder = tmp_path_factory.mktemp("axe-changed")
    stored = made(folder / "p", "silence-days = 0\n")
    stored.commits(60, {36: {"requirements.txt": "numpy\n"}})
    stored.record_all({"gemm": noisy(60, (36, 1.08)), "copy": noisy(60, (20, 0.9), seed=3)})
    epoch = f'[[epoch]]\nbench = "copy"\nat = "{stored.shas[20]}"\nreason = "copies need a fence"\n'
    (stored.repo.root / "perftrack-epochs.toml").write_text(epoch, encoding="utf-8")
    build(Project.find(stored.repo.root), folder / "site", None)
    return folder / "site"


def checkable(visit: Visit, address: str) -> Page:
    """A page that lets the checker in, which its policy would refuse like any script that is not the site's."""
    return visit(address, bypass_csp=True)


def violations(page: Page, axe: str) -> list[str]:
    """What axe finds in the page as it is, in both looks; nothing that is minor or moderate."""
    page.evaluate(axe)
    found = []
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.set_viewport_size(DESKTOP if width == "desktop" else PHONE)
        page.wait_for_timeout(150)  # the page and its charts are laid out again
        answer = page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")
        found += [
            f"{scheme} {width}: {v['impact']} {v['id']}: {node['target']}: {node['failureSummary']}"
            for v in answer["violations"]
            if v["impact"] in SERIOUS
            for node in v["nodes"]
        ]
    return found


def checked(visit: Visit, axe: str, address: str, ready: str) -> list[str]:
    page = visit(
        address, bypass_csp=True
    )  # or the page would refuse the checker, as it does all scripts but its own
    page.wait_for_selector(ready)
    return violations(page, axe)


PLACES = {
    "overview": ("index.html", "#grid tbody tr"),
    "benchmark": ("benchmarks/matmul-*.html", "#chart svg"),
    "benchmark, split": ("benchmarks/matmul-*.html#split=n&scale=relative", "#family svg"),
    "benchmark, along": ("benchmarks/matmul-*.html#along=n", "#family svg"),
    "failing benchmark": ("benchmarks/attention-*.html", "#chart svg"),
    "runs": ("runs.html", "table tbody tr"),
    "compare": ("compare.html#all=1", "#comparison[aria-busy=false]"),
    "kernels": ("kernels.html", "#grid tbody tr"),
    "kernels of a case": (f"kernels.html#case={kernel_key(CASE)}", "#charts svg"),
    "ceilings": ("ceilings.html", "table.ceilings"),
    "environments": ("environments.html", "main table"),
    "status": ("status.html", "main h1"),
    "method": ("method.html", "main h2"),
}


@pytest.mark.parametrize("place", PLACES)
def test_no_page_has_a_serious_violation(visit: Visit, axe: str, rich: Path, place: str) -> None:
    path, ready = PLACES[place]
    pattern, _, state = path.partition("#")
    file = sorted(rich.glob(pattern))[-1]
    assert checked(visit, axe, f"{file.as_uri()}#{state}", ready) == []


def test_a_run_with_its_panels_open_has_none(visit: Visit, axe: str, rich: Path) -> None:
    run = sorted(path.stem for path in rich.glob("data/samples/*.js"))[-1]
    page = checkable(visit, f"{(rich / 'run.html').as_uri()}#run={run}")
    page.locator("#grid .expand").last.click()
    page.wait_for_selector(".panel svg")
    assert violations(page, axe) == []


def test_samples_of_a_point_have_none(visit: Visit, axe: str, rich: Path) -> None:
    run = sorted(path.stem for path in rich.glob("data/samples/*.js"))[-1]
    file = next(rich.glob("benchmarks/softmax-*.html"))
    assert checked(visit, axe, f"{file.as_uri()}#samples={run}", "#samples svg") == []


@pytest.mark.parametrize("place", ["list", "event", "benchmark with a change", "benchmark with an accepted one"])
def test_what_changed_has_none(visit: Visit, axe: str, changed: Path, place: str) -> None:
    first = json.loads((changed / "json" / "changes.json").read_text(encoding="utf-8"))["events"][0]["id"]
    path, ready = {
        "list": ("changes.html", "#grid tbody tr"),
        "event": (f"changes.html#id={first}", "#cases svg"),
        "benchmark with a change": (next(changed.glob("benchmarks/gemm-*.html")).as_uri(), "#breaks .turns li"),
        "benchmark with an accepted one": (next(changed.glob("benchmarks/copy-*.html")).as_uri(), "#breaks li"),
    }[place]
    address = path if path.startswith("file:") else f"{changed.as_uri()}/{path}"
    assert checked(visit, axe, address, ready) == []


def test_the_checker_would_find_one(visit: Visit, axe: str, rich: Path) -> None:
    page = checkable(visit, (rich / "method.html").as_uri())
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')")
    assert any("button-name" in line for line in violations(page, axe))
