"""A built site in a real browser, opened from disk and from a server, with everything it says written down."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import http.server
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perftrack.app.project import Project
from perftrack.app.publish import build
from perftrack.publish.addresses import kernel_key
from perftrack.publish.site import build_site
from tests.publish import showcase
from tests.publish.showcase import SLOW_CASE
from tests.publish.synthetic import SyntheticHistory
from tests.publish.test_site import Hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Visit = Callable[..., "Page"]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


# Each kind of page with each of its main views: an address with what stands for names in it, and what is there
# once it is drawn. `place` makes addresses of them.
_ROWS, _FAMILY = "#grid tbody tr", "#family[aria-busy=false] svg"
VIEWS = {
    "overview": ("index.html", _ROWS),
    "benchmark": ("{matmul}", "#chart[aria-busy=false] svg"),
    "benchmark, changed": ("{slow}", "#breaks .turns li"),
    "benchmark, split": ("{matmul}#split=n&scale=relative", _FAMILY),
    "benchmark, along": ("{matmul}#along=n", _FAMILY),
    "benchmark, failing": ("{attention}", "#chart[aria-busy=false] svg"),
    "benchmark, samples": ("{softmax}#samples={run}", "#samples svg"),
    "benchmark, accepted": ("{conv}", "#breaks .turns li"),
    "changes": ("changes.html#state=all", _ROWS),
    "change": ("changes.html#id={change}", "#cases svg"),
    "compare": ("compare.html#all=1", "#comparison[aria-busy=false]"),
    "runs": ("runs.html", _ROWS),
    "run": ("run.html#run={run}", "#run[aria-busy=false]"),
    "kernels": ("kernels.html", _ROWS),
    "kernels of a case": ("kernels.html#case={kernels}", "#roofline svg"),
    "ceilings": ("ceilings.html", "main table"),
    "environments": ("environments.html", "main table"),
    "status": ("status.html", "#reporting"),
    "method": ("method.html", "#repeats"),
}


def place(life: Path, name: str) -> tuple[str, str]:
    """The address of a view in the site of `showcase`, from its root, and what is there once it is drawn."""
    changes = json.loads((life / "json" / "changes.json").read_text(encoding="utf-8"))["events"]
    history = {
        benchmark: next(life.glob(f"benchmarks/{benchmark}-*.html")).relative_to(life).as_posix()
        for benchmark in ("matmul", "attention", "softmax", "conv")
    }
    address, drawn = VIEWS[name]
    newest = json.loads((life / "json" / "latest.json").read_text(encoding="utf-8"))["results"]
    run = next(r["run"] for r in newest if r["benchmark"] == "softmax")
    slow = next(r["page"] for r in newest if f"{r['benchmark']}[{r['params'].replace(', ', ',')}]" == SLOW_CASE)
    change = next(e["id"] for e in changes if e["searches"])
    return address.format(**history, run=run, change=change, slow=slow, kernels=kernel_key(SLOW_CASE)), drawn


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install playwright")
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("no Chromium on the path: apt install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual history: 40 commits, 12 series, 3 lanes."""
    output = tmp_path_factory.mktemp("browser") / "site"
    build_site(SyntheticHistory(40), output)
    return output


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a real store in which everything happens that a site can show. Tests only read it: it is made once
    for all workers of pytest-xdist.
    """
    own, place = tmp_path_factory.mktemp("life"), tmp_path_factory.getbasetemp()
    made = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "life-site"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            build(Project.find(showcase.make(own).repo.root), own / "site", None)
            (own / "site").rename(made)
    return made


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("hostile") / "site"
    build_site(Hostile(), output)
    return output


class _Quiet(http.server.SimpleHTTPRequestHandler):
    # As GitHub Pages says it of every script.
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript; charset=utf-8"
    }

    def log_message(self, *args: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of a local server of a folder."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(params=["file", "http"])
def origin(request: pytest.FixtureRequest, site: Path) -> str:
    """Where the site is opened from: tests that use this run twice."""
    return site.as_uri() if request.param == "file" else str(request.getfixturevalue("server"))


@pytest.fixture(scope="session")
def plain(chromium: Browser) -> BrowserContext:
    """The context of all pages that ask for nothing special: making one takes longer than opening a page."""
    return chromium.new_context(viewport=DESKTOP)


@pytest.fixture
def visit(chromium: Browser, plain: BrowserContext) -> Iterator[Visit]:
    """Opens an address and waits for the page to settle; fails the test if any page so opened says
    anything on the console, raises, opens a dialog or asks another origin."""
    opened: list[Any] = []
    said: list[str] = []

    def open_page(address: str, *, viewport: dict[str, int] | None = None, **options: object) -> Page:
        context = plain
        if viewport or options:
            context = chromium.new_context(viewport=viewport or DESKTOP, **options)
            opened.append(context)
        own = address.split("/", 3)[:3] if address.startswith("http") else ["file:", "", ""]
        page = context.new_page()
        opened.append(page)
        page.set_default_timeout(10_000)
        page.on("console", lambda message: said.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda asked: said.append(asked.url) if asked.url.split("/", 3)[:3] != own else None)
        page.goto(address)
        if page.locator("#run").count() and options.get("java_script_enabled", True):
            page.wait_for_selector("#run[aria-busy=false]")
        if page.locator("#comparison").count() and options.get("java_script_enabled", True):
            page.wait_for_selector("#comparison[aria-busy=false]")
        if address.split("#", maxsplit=1)[0].count("/benchmarks/") and options.get("java_script_enabled", True):
            page.wait_for_selector("#chart[aria-busy=false]")
        return page

    yield open_page
    for one in reversed(opened):
        one.close()
    assert said == []


@pytest.fixture(scope="session")
def places(site: Path) -> dict[str, str]:
    """One path of each kind of page."""

    def only(pattern: str) -> str:
        return sorted(site.glob(pattern))[-1].relative_to(site).as_posix()

    runs = sorted(path.stem for path in site.glob("data/runs/*.js"))
    return {
        "overview": "index.html",
        "benchmark": only("benchmarks/matmul-*.html"),
        "failing": only("benchmarks/attention-*.html"),
        "single": only("benchmarks/softmax-*.html"),
        "run": f"run.html#run={runs[-1]}",
        "runs": "runs.html",
        "compare": "compare.html",
        "environments": "environments.html",
        "method": "method.html",
    }
