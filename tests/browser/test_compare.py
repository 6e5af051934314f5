"""The compare page in a browser: defaults, picking, filters, rows, permalinks, the keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perftrack.publish.comparison import PLOTTED
from perftrack.publish.site import build_site
from tests.browser.conftest import PHONE, Visit
from tests.publish.judged import COMMITS, Judged
from tests.publish.profiled import CASE, Profiled
from tests.publish.synthetic import Shape, SyntheticHistory

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHANGED = 8
ROWS = "#grid > tbody > tr:not(.opened):not(.none):not(.tail)"


class Many(Judged):
    """Many changes at once, more than one plot shows."""

    def __init__(self) -> None:
        super().__init__()
        changed = [Shape(f"changed_{i:02d}", (), 1e-5 * (1 + i), steps={CHANGED: 1.3}) for i in range(PLOTTED + 5)]
        self.shapes = (*self.shapes, *changed)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("many") / "site"
    build_site(Many(), output)
    return output / "compare.html"


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("profiled") / "site"
    build_site(Profiled(4), output)
    return output / "compare.html"


def shown(page: Page) -> list[str]:
    return page.locator(f"{ROWS} .name a").all_inner_texts()


def sha(at: int) -> str:
    return Judged().commits()[at].sha


def settle(page: Page) -> None:
    page.wait_for_selector("#comparison[aria-busy=false]")


def test_the_newest_commit_stands_against_the_one_before_it(visit: Visit, origin: str) -> None:
    page = visit(f"{origin}/compare.html")
    history = SyntheticHistory(40)
    base, candidate = (page.locator(f"#{side} .about .sha").inner_text() for side in ("base", "candidate"))
    assert [base, candidate] == [c.sha[:10] for c in history.commits()[-2:]]
    assert set(shown(page)) >= {"matmul[dtype=bf16,n=4096]", "copy[gib=1] bandwidth"}
    assert page.locator("#plot svg").count() == 1 or page.wait_for_selector("#plot svg")


def test_what_is_hidden_is_counted_and_all_rows_show_it(visit: Visit, many: Path) -> None:
    page = visit(many.as_uri())
    told = page.locator("#tally").inner_text()
    assert "hidden: " in told
    hidden = sum(int(n) for n in re.findall(r"(\d+) ", told.split("hidden: ")[1]))
    significant = len(shown(page))
    page.get_by_label("All rows").check()
    assert len(shown(page)) == significant + hidden
    assert "hidden" not in page.locator("#tally").inner_text()


def test_a_commit_is_found_by_its_subject_and_picked_with_a_click(visit: Visit, site: Path) -> None:
    page = visit(f"{site.as_uri()}/compare.html")
    page.get_by_role("combobox", name="Baseline").fill("cos/sin")
    options = page.locator("#base [role=option]")
    assert options.count() == 4
    assert all("cos/sin tables" in text for text in options.all_inner_texts())
    wanted = options.nth(1).locator(".sha").inner_text()
    options.nth(1).click()
    page.wait_for_function("sha => document.querySelector('#base .about .sha').textContent === sha", arg=wanted)
    assert f"base={wanted}" in page.url
    assert page.get_by_role("combobox", name="Baseline").input_value().startswith(wanted)


def test_a_commit_is_picked_with_the_keyboard_alone(visit: Visit, many: Path) -> None:
    page = visit(many.as_uri())
    page.keyboard.press("Tab")
    for _ in range(40):
        if page.evaluate("document.activeElement.id") == "candidate-input":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator("#candidate [role=listbox]").is_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    marked = page.locator("#candidate [aria-selected=true]")
    assert marked.get_attribute("id") == page.locator("#candidate-input").get_attribute("aria-activedescendant")
    page.keyboard.press("Enter")
    wanted = sha(COMMITS - 3)
    page.wait_for_function("sha => location.hash.includes('candidate=' + sha)", arg=wanted[:12])
    assert not page.locator("#candidate [role=listbox]").is_visible()
    page.keyboard.type("nothing like it")
    assert "No commit" in page.locator("#candidate [role=listbox]").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#candidate-input").input_value().startswith(wanted[:10])


def test_a_row_is_opened_and_sorted_with_the_keyboard(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#all=1")
    page.locator(f"{ROWS} .expand").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".opened .both tbody tr").count() == 2
    page.keyboard.press("Enter")
    assert page.locator(".opened").count() == 0
    page.get_by_role("button", name="Change, 95 % interval").focus()
    page.keyboard.press("Enter")
    assert "sort=-change" in page.url
    changes = [c for c in page.locator(f"{ROWS} .change > span").all_inner_texts() if c]
    numbers = [float(c.replace(" %", "").replace("<", "")) for c in changes]
    assert numbers == sorted(numbers, reverse=True)


def test_swapping_turns_worse_into_better(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#base={sha(2)}&candidate={sha(CHANGED + 1)}")
    before = page.locator("#tally").inner_text()
    regressions = int(re.search(r"(\d+) regression", before)[1])  # type: ignore[index]
    assert regressions >= PLOTTED
    page.locator("#swap").click()
    page.wait_for_function("text => document.querySelector('#tally').innerText !== text", arg=before)
    after = page.locator("#tally").inner_text()
    assert f"{regressions} improvement" in after
    assert f"base={sha(CHANGED + 1)[:12]}" in page.url


def test_filters_by_text_and_lane_are_in_the_address(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#base={sha(2)}&candidate={sha(7)}&all=1")
    every = len(shown(page))
    lanes = page.locator("[name=lane] option").all_inner_texts()
    page.get_by_role("combobox", name="Lane").select_option(next(name for name in lanes if "H200" in name))
    some = shown(page)
    assert 0 < len(some) < every
    page.get_by_role("searchbox").fill("kernel_0")
    fewer = shown(page)
    assert 0 < len(fewer) < len(some)
    assert all("kernel_0" in name for name in fewer)
    assert "q=kernel_0" in page.url
    assert "lane=" in page.url
    page.get_by_role("searchbox").fill("nothing like it")
    assert "No case matches" in page.locator("#grid tbody").inner_text()


def test_an_address_gives_the_same_view_again(visit: Visit, many: Path) -> None:
    page = visit(many.as_uri())
    page.get_by_label("All rows").check()
    page.get_by_role("searchbox").fill("kernel")
    page.get_by_role("button", name="Case").click()
    page.get_by_role("button", name="Case").click()
    address, rows, tally = page.url, shown(page), page.locator("#tally").inner_text()
    assert rows == sorted(rows, reverse=True)
    again = visit(address)
    assert shown(again) == rows
    assert again.locator("#tally").inner_text() == tally
    assert again.get_by_role("searchbox").input_value() == "kernel"
    assert again.get_by_label("All rows").is_checked()
    assert again.url == address


def test_another_address_is_shown_without_a_reload(visit: Visit, many: Path) -> None:
    page = visit(many.as_uri())
    page.evaluate("hash => { location.hash = hash; }", f"base={sha(0)}&candidate={sha(1)}&all=1")
    page.wait_for_function(
        "sha => document.querySelector('#base .about .sha').textContent === sha", arg=sha(0)[:10]
    )
    settle(page)
    assert page.get_by_label("All rows").is_checked()


def test_other_lanes_are_named_field_by_field_and_never_compared(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#base={sha(9)}&candidate={sha(12)}&all=1&q=kernel_01")
    apart = page.locator("#apart").inner_text()
    assert "driver: 550.54.15 → 570.86.10" in apart
    assert "not comparable" in apart
    (row,) = page.locator(ROWS).all()
    assert "not comparable" in row.inner_text()
    assert row.locator(".change").inner_text() == ""


def test_the_plot_is_capped_in_words_and_has_an_alternative(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#base={sha(2)}&candidate={sha(CHANGED + 1)}")
    page.wait_for_selector("#plot svg .mark-symbol path")
    changed = len([n for n in shown(page) if n.startswith(("changed", "kernel"))])
    assert page.locator("#plot svg .mark-symbol path").count() == PLOTTED
    words = page.locator("#plot-words").inner_text()
    assert f"The {PLOTTED} most significant of" in words
    assert changed > PLOTTED
    spoken = page.locator("#plot").get_attribute("aria-label") or ""
    assert re.search(r"changed_\d\d \+\d+ % \(\+\d+ % to \+\d+ %\)", spoken)


def test_the_geometric_mean_stands_apart_and_says_what_it_leaves_out(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#base={sha(2)}&candidate={sha(4)}")
    means = page.locator("#means li").all_inner_texts()
    assert any(
        re.match(r"Geometric mean of time \(lower is better\): .* over \d+ cases, \d+ without a ratio", m)
        for m in means
    )


def test_launches_of_both_profiles_stand_side_by_side(visit: Visit, profiled: Path) -> None:
    shas = [c.sha for c in Profiled(4).commits()]
    page = visit(f"{profiled.as_uri()}#base={shas[1]}&candidate={shas[2]}&all=1&q=n%3D1024")
    page.locator(f"{ROWS}", has_text=CASE).locator(".expand").click()
    table = page.locator(".launches tbody tr").first
    table.wait_for()
    text = table.inner_text()
    assert "gemm<128, float>" in text
    assert "1.000 ms → 1.500 ms +50 %" in text
    assert "64 → 128" in text
    assert "4.000 GB" in text


def test_two_runs_of_one_commit_can_be_chosen(visit: Visit, site: Path) -> None:
    page = visit(f"{site.as_uri()}/compare.html")
    page.get_by_role("combobox", name="Baseline").fill("uncommitted")
    page.locator("#base [role=option]").first.click()
    page.wait_for_function("() => location.hash.includes('base=run%3A')")
    assert "uncommitted changes" in page.locator("#base .about").inner_text()


def test_both_sides_lead_to_their_runs_and_to_the_forge(visit: Visit, site: Path) -> None:
    page = visit(f"{site.as_uri()}/compare.html")
    newest = SyntheticHistory(40).commits()[-1].sha
    forge = page.locator("#candidate .about a", has_text="forge")
    assert forge.get_attribute("href") == f"https://github.com/example/kernels/commit/{newest}"
    page.locator("#candidate .about .sha").click()
    page.wait_for_selector("#run[aria-busy=false]")
    assert page.locator("h1 .sha").inner_text() == newest[:10]


@pytest.mark.parametrize(
    "text", ["base=ffffffffffff", "candidate=run:none", "base=%3Cscript%3Ealert(1)%3C/script%3E"]
)
def test_an_address_of_nothing_says_so(visit: Visit, site: Path, text: str) -> None:
    page = visit(f"{site.as_uri()}/compare.html#{text}")
    assert "This site has no results of" in page.locator("#waiting").inner_text()
    assert not page.locator("#result").is_visible()


def test_one_side_twice_is_told(visit: Visit, site: Path) -> None:
    one = SyntheticHistory(40).commits()[5].sha
    page = visit(f"{site.as_uri()}/compare.html#base={one}&candidate={one}")
    assert "Both sides are the same" in page.locator("#waiting").inner_text()
    assert shown(page) == []


@pytest.mark.parametrize(("commits", "words"), [(0, "Nothing has been recorded"), (1, "nothing to compare yet")])
def test_without_two_commits_it_says_what_to_run(visit: Visit, tmp_path: Path, commits: int, words: str) -> None:
    build_site(SyntheticHistory(commits, () if not commits else None), tmp_path / "site")
    page = visit((tmp_path / "site" / "compare.html").as_uri())
    assert words in page.locator("main").inner_text()
    assert "perftrack record HEAD~1" in page.locator("main").inner_text()


def test_the_command_that_knows_more_is_named_with_both_sides(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#base={sha(1)}&candidate={sha(2)}")
    assert page.locator("#command").inner_text() == f"perftrack compare {sha(1)[:12]} {sha(2)[:12]}"


def test_a_phone_shows_rows_as_cards_and_lists_within_the_screen(visit: Visit, many: Path) -> None:
    page = visit(f"{many.as_uri()}#all=1", viewport=PHONE)
    page.locator(f"{ROWS} .expand").first.click()
    page.get_by_role("combobox", name="Candidate").click()
    box = page.locator("#candidate [role=listbox]").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_run_and_the_overview_lead_to_what_they_changed(visit: Visit, site: Path) -> None:
    shas = [c.sha[:10] for c in SyntheticHistory(40).commits()[-2:]]
    page = visit(f"{site.as_uri()}/index.html")
    page.get_by_role("link", name="compare", exact=True).click()
    settle(page)
    assert [page.locator(f"#{side} .about .sha").inner_text() for side in ("base", "candidate")] == shas
    page.locator("#candidate .about .sha").click()
    page.wait_for_selector("#run[aria-busy=false]")
    page.get_by_role("link", name="compare with the commit before").click()
    settle(page)
    assert [page.locator(f"#{side} .about .sha").inner_text() for side in ("base", "candidate")] == shas
    assert "candidate=run%3A" in page.url


def test_what_only_the_command_can_decide_is_counted_and_the_command_named(visit: Visit, tmp_path: Path) -> None:
    build_site(SyntheticHistory(3, processes=5), tmp_path / "site")
    page = visit((tmp_path / "site" / "compare.html").as_uri())
    told = page.locator("#apart").inner_text()
    assert re.match(r"\d+ cases not decided here: .* permutation test of the processes: perftrack compare ", told)
    assert page.locator(f"{ROWS} .regression").count() == 0


def test_a_damaged_file_of_a_run_is_named_and_another_choice_still_works(visit: Visit, tmp_path: Path) -> None:
    build_site(SyntheticHistory(4), tmp_path / "site")
    damaged = sorted((tmp_path / "site/data/runs").glob("*.js"))[0]
    damaged.write_text('packed(5,"!!")')
    page = visit((tmp_path / "site" / "compare.html").as_uri())
    shas = [c.sha for c in SyntheticHistory(4).commits()]
    before = page.locator("#tally").inner_text()
    page.evaluate("hash => { location.hash = hash; }", f"base={shas[0]}&candidate={shas[1]}")
    page.locator("#waiting").wait_for(state="visible")
    assert damaged.name in page.locator("#waiting").inner_text()
    page.evaluate("hash => { location.hash = hash; }", f"base={shas[2]}&candidate={shas[3]}")
    page.locator("#waiting").wait_for(state="hidden")
    assert page.locator("#tally").inner_text() == before
