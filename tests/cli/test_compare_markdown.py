"""The comment on a pull request: found again, small enough, and nothing in it is anybody's markup."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.cli.compare_markdown import LIMIT, MARKER, code, markdown
from tests.cli.comparisons import broken, comparison, counted, renamed, undecided

SITE = "https://example.org/perf/"
hostile = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ") and "verdict" not in line]


def test_the_first_line_is_the_marker_and_it_is_there_once():
    text = markdown(comparison(counted("a<!-- perftrack -->", 1, 2)), "", everything=False)
    assert text.splitlines()[0] == MARKER
    assert text.count(MARKER) == 1


def test_what_changed_is_in_the_open_and_the_rest_is_folded():
    text = markdown(
        comparison(counted("grew", 1, 2), undecided("noisy"), counted("same", 1, 1)), "", everything=False
    )
    before, _, folded = text.partition("<details>")
    assert "grew" in before
    assert "noisy" in folded
    assert "<code>same</code>" not in text
    assert "1 unchanged case(s) not shown" in text


def test_with_all_the_unchanged_are_folded_too():
    text = markdown(comparison(counted("same", 1, 1)), "", everything=True)
    assert "same" in text.partition("<summary>1 unchanged case(s)</summary>")[2]


def test_cases_link_into_the_site_but_new_ones_have_no_page_yet():
    text = markdown(comparison(counted("grew", 1, 2)), SITE, everything=False)
    assert re.search(
        r"\[<code>grew</code>\]\(https://example.org/perf/benchmarks/grew-[0-9a-f]+.html#series=", text
    )
    assert "](" not in markdown(comparison(counted("grew", 1, 2)), "", everything=False)


@given(hostile)
@settings(max_examples=100)
def test_a_name_shows_as_itself_and_is_nothing_else(name: str):
    shown = code(name)
    inside = shown.removeprefix("<code>").removesuffix("</code>")
    assert not set(re.sub(r"&#\d+;", "", inside)) & set("<>&|`*_[]()#@\\~!$^{}'\":/-=\n\r\t")
    assert len(shown.splitlines()) == 1
    if name.isprintable():
        assert html.unescape(inside) == name


@pytest.mark.parametrize(
    "name",
    [
        "a|b", "a`b", "</code><img src=x>", "@everyone", "#1", "[x](http://evil)", "www.evil.example", "-->",
        "a\\|b", "</details>", "x\n\n# big", "\u202egnp.exe", "**bold**", "$x$", ":smile:",
    ],
)  # fmt: skip
def test_a_hostile_name_stays_in_its_cell(name: str):
    text = markdown(comparison(counted(name, 1, 2), broken("b", f"why {name}")), SITE, everything=True)
    assert len(rows(text)) == 2
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 10 for row in rows(text))
    assert "<img" not in text
    assert "@everyone" not in text
    assert "\u202e" not in text
    assert text.count("</details>") == text.count("<details>")


@pytest.mark.parametrize("name", ["benchmark", "名前" * 50, "@" * 150])
@pytest.mark.parametrize("everything", [False, True])
def test_thousands_of_rows_stay_below_the_limit_and_are_counted(name: str, everything: bool):
    grew, noisy = counted("x", 1, 2), undecided("x")
    many = [renamed(grew, f"{name}{n}") for n in range(400)] + [renamed(noisy, f"u{name}{n}") for n in range(400)]
    text = markdown(comparison(*many, counted("same", 1, 1)), SITE, everything=everything)
    assert len(text.encode()) <= LIMIT
    assert text.count("<details>") == text.count("</details>")
    left_out = int(re.search(r"^(\d+) more left out for size", text, re.MULTILINE)[1])
    assert len(rows(text)) + left_out == 400
    assert all(row.endswith(" |") for row in rows(text))


def test_a_message_without_end_is_cut():
    text = markdown(comparison(broken("b", "x" * 100_000)), "", everything=False)
    assert len(text) < 2000
    assert "…" in text


def test_nothing_to_compare_is_said():
    assert "no case to compare" in markdown(comparison(), "", everything=False)
