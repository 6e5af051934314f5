"""A built site in a real browser, opened from disk and from a server, with everything it says written down."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perftrack.publish.site import build_site
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
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("hostile") / "site"
    build_site(Hostile(), output)
    return output


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """Address of a local server of the site."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


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
