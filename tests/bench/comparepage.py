"""How long the compare page of a large history takes in headless Chromium until it can be used.

    python -m tests.bench.comparepage [--commits 200] [--cases 500] [--changed 0.2] [--visits 5]

Navigation starts with nothing cached. `usable`: both sides read, judged and in the table, and a filter typed and
painted; `plotted`: the interval plot is there as well. Both in milliseconds from navigation, from disk.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perftrack.core.history import Point
from perftrack.core.model import Interval
from perftrack.publish.site import build_site
from tests.publish.synthetic import FlatHistory, Shape, flat_shapes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_USABLE = """async () => {
  const query = document.querySelector("[name=q]");
  query.value = "bench_01";
  query.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return [performance.now(), document.querySelectorAll("#grid > tbody > tr").length];
}"""


class Noisy(FlatHistory):
    """Every value has noise of its own; of the last commit a share of the cases changed by several percent."""

    def __init__(self, commits: int, cases: int, changed: float) -> None:
        super().__init__(commits, flat_shapes(cases), upgrade=0)
        self._changed = changed

    def _point(self, shape: Shape, at: int) -> Point:
        made = super()._point(shape, at)
        rng = np.random.default_rng([at, round(shape.level * 1e7)])
        moved = at == self.count - 1 and rng.random() < self._changed
        value = shape.level * math.exp(rng.normal(0, 0.004) + (rng.normal(0, 0.08) if moved else 0.0))
        half = float(abs(rng.normal(0.006, 0.002))) + 1e-4
        interval = Interval(value * (1 - half), value * (1 + half))
        return replace(made, value=value, interval=interval, within_variance=(half / 5) ** 2, processes=3)


def timed(browser: Browser, address: str) -> tuple[float, float, int]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address, wait_until="commit")
    page.wait_for_selector("#comparison[aria-busy=false]")
    usable, rows = page.evaluate(_USABLE)
    page.wait_for_selector("#plot svg")
    plotted = page.evaluate("performance.now()")
    context.close()
    if said:
        raise SystemExit(f"the page says {said}")
    return usable, plotted, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--changed", type=float, default=0.2)
    parser.add_argument("--visits", type=int, default=5)
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start", flush=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder) / "site"
        start = time.perf_counter()
        build_site(Noisy(options.commits, options.cases, options.changed), site)
        size = (site / "data/compare.js").stat().st_size
        print(
            f"site built in {time.perf_counter() - start:.1f} s; data/compare.js {size / 1e3:.1f} kB", flush=True
        )
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name, view in (("changed rows", ""), ("all rows", "#all=1")):
            found = [timed(browser, f"{(site / 'compare.html').as_uri()}{view}") for _ in range(options.visits)]
            usable, plotted = (statistics.median(column) for column in list(zip(*found, strict=True))[:2])
            print(
                f"{name:<14} usable {usable:7.0f} ms   plotted {plotted:7.0f} ms   rows left {found[0][2]}",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
