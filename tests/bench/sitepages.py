"""How long pages of a large site take in headless Chromium until they can be used, from disk and from a server.

    python -m tests.bench.sitepages [--commits 2000] [--cases 500] [--visits 5] [--origin file|http]

Navigation starts with nothing cached; times are medians, in milliseconds from navigation. `overview`: a filter was
typed and what is left of the grid is painted. `benchmark`: a trend of every commit is painted. `compare`: the
first commit against the last, every case judged, a filter typed and painted. `busy` is what the page's own thread
has computed, in processor time, which other work on the machine disturbs less; `drawn` counts rows or marks.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack.app.project import Project
from perftrack.app.publish import build
from tests.bench.longhistory import make_history, write_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Put into a page before its own scripts: once `ready` is there it types into the filter, if there is a `query`,
# and notes when the browser has painted what came of it. Asking from outside would add what the asking takes.
_WATCH = """([ready, query]) => {
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const look = async () => {
    if (window.usedAt || !document.querySelector(ready)) return;
    window.usedAt = true;
    if (query) {
      const field = document.querySelector("[name=q]");
      field.value = query;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await painted();
    document.documentElement.dataset.usedAt = performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}"""
READY = {
    "overview": "#filters:not([hidden])",
    "benchmark": "#chart[aria-busy=false] svg",
    "compare": "#comparison[aria-busy=false]",
}
COUNTED = {
    "overview": "#grid > tbody > tr",
    "benchmark": "#chart .mark-symbol path",
    "compare": "#grid > tbody > tr",
}
TARGETS = {"overview": 1000, "benchmark": 1000, "compare": 1500}


def visit(browser: Browser, kind: str, address: str) -> dict[str, float]:
    """One visit; what the page says on the console, or asks of another origin, ends the script."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    said: list[str] = []
    own = address.split("/", 3)[:3]
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url) if asked.url.split("/", 3)[:3] != own else None)
    query = "" if kind == "benchmark" else "work_01"
    page.add_init_script(f"({_WATCH})({json.dumps([READY[kind], query])})")
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(address)
    page.wait_for_selector("html[data-used-at]")
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    found = {
        kind: float(page.get_attribute("html", "data-used-at") or "nan"),
        f"{kind}, busy": 1000 * metrics["TaskDuration"],
        f"{kind}, drawn": page.locator(COUNTED[kind]).count(),
    }
    if kind == "compare":
        page.wait_for_selector("#plot svg")
    context.close()
    if said:
        raise SystemExit(f"{address} says {said}")
    return found


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def measure(browser: Browser, site: Path, address: str, shas: tuple[str, ...], visits: int) -> None:
    paths = {
        "overview": "index.html",
        "benchmark": min(p.relative_to(site).as_posix() for p in site.glob("benchmarks/*.html")),
        "compare": f"compare.html#base={shas[0]}&candidate={shas[-1]}&all=1",
    }
    seen: list[dict[str, float]] = []
    for _ in range(visits):
        seen.append({})
        for kind, path in paths.items():
            seen[-1] |= visit(browser, kind, f"{address}/{path}")
    for name in seen[0]:
        middle = statistics.median(each[name] for each in seen)
        target = (
            f"target {TARGETS[name]}, slowest {max(each[name] for each in seen):.0f}" if name in TARGETS else ""
        )
        print(f"{address.split(':', maxsplit=1)[0]:<6}{name:<20}{middle:8.0f}   {target}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--origin", choices=("file", "http"), help="One of the two; otherwise both.")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root, site = Path(folder) / "repo", Path(folder) / "site"
        history = make_history(root, options.commits, options.cases)
        write_store(root / "perftrack.duckdb", history)
        start = time.perf_counter()
        build(Project.find(root), site, None)
        print(f"site built in {time.perf_counter() - start:.1f} s", flush=True)
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        if options.origin != "http":
            measure(browser, site, site.as_uri(), history.shas, options.visits)
        if options.origin != "file":
            with served(site) as address:
                measure(browser, site, address, history.shas, options.visits)
        browser.close()


if __name__ == "__main__":
    main()
