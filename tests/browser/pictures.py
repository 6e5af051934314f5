"""Pictures of a site in which everything happens: those of the README, or every page to look at.

python -m tests.browser.pictures               makes docs/images again
python -m tests.browser.pictures --all FOLDER  every view in light, in dark and as wide as a phone
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack.app.project import Project
from perftrack.app.publish import build
from tests.browser.conftest import PHONE, VIEWS, place
from tests.publish import showcase

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDE = {"width": 1240, "height": 900}
# Of the README: a view, and how many pixels of it from the top.
README = {"overview": ("overview", 1130), "benchmark": ("benchmark, changed", 1190), "change": ("change", 820)}
LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", PHONE)}


def opened(browser: Browser, site: Path, name: str, look: str) -> Page:
    scheme, viewport = LOOKS[look]
    page = browser.new_context(viewport=viewport, color_scheme=scheme).new_page()  # type: ignore[arg-type]
    path, drawn = place(site, name)
    page.goto(f"{site.as_uri()}/{path}")
    page.locator(drawn).first.wait_for()
    page.wait_for_timeout(400)  # charts beside the one waited for
    return page


def for_readme(browser: Browser, site: Path) -> None:
    for image, (name, height) in README.items():
        page = opened(browser, site, name, "light")
        full = page.evaluate("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": WIDE["width"], "height": min(height, full)}
        page.screenshot(path=IMAGES / f"{image}.png", full_page=True, clip=clip)  # type: ignore[arg-type]
        page.context.close()


def of_everything(browser: Browser, site: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in VIEWS:
        for look in LOOKS:
            page = opened(browser, site, name, look)
            file = f"{name.replace(', ', '-').replace(' ', '-')}-{look}.png"
            page.screenshot(path=folder / file, full_page=True)
            page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="Where pictures of every view go.")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder) / "site"
        build(Project.find(showcase.make(Path(folder)).repo.root), site, None)
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        if options.all:
            of_everything(browser, site, options.all)
        else:
            for_readme(browser, site)
        browser.close()


if __name__ == "__main__":
    main()
