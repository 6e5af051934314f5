"""The page of a run that the site does not have."""

from pathlib import Path

import pytest

from tests.browser.conftest import Visit


@pytest.mark.parametrize(
    ("hash_", "says"), [("", "Which run?"), ("#run=ffff", "no such run"), ("#run=__proto__", "no such run")]
)
def test_it_says_so_and_leads_to_the_list(visit: Visit, site: Path, hash_: str, says: str) -> None:
    page = visit(f"{(site / 'run.html').as_uri()}{hash_}")
    assert says in page.locator("#waiting").inner_text()
    page.locator("#waiting a").click()
    page.locator("#grid tbody tr").first.wait_for()
