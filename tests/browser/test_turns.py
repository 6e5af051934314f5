"""Changes and accepted changes on the trend: marks, legend, words and links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perftrack.app.project import Project
from perftrack.app.publish import build
from tests.browser.conftest import Visit
from tests.stored import made, noisy

COMMITS, AT = 60, 36
BAND = "#chart svg .mark-rect path"
LABELS = "#chart svg .role-mark.mark-text text"
WHY = "copies <b>need</b> a fence"


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case that got slower, one whose change was accepted, one that stayed."""
    folder = tmp_path_factory.mktemp("turned")
    stored = made(folder / "p", "silence-days = 0\n")
    stored.commits(COMMITS)
    stored.record_all(
        {
            "gemm": noisy(COMMITS, (AT, 1.08)),
            "copy": noisy(COMMITS, (20, 0.9), seed=3),
            "idle": noisy(COMMITS, seed=4),
        }
    )
    epoch = f'[[epoch]]\nbench = "copy"\nat = "{stored.shas[20]}"\nreason = "{WHY}"\n'
    (stored.repo.root / "perftrack-epochs.toml").write_text(epoch, encoding="utf-8")
    build(Project.find(stored.repo.root), folder / "site", None)
    return folder / "site"


def address(site: Path, name: str) -> str:
    return next(site.glob(f"benchmarks/{name}-*.html")).as_uri()


def change(site: Path, case: str) -> dict:
    events = json.loads((site / "json" / "changes.json").read_text(encoding="utf-8"))["events"]
    return next(c for event in events for c in event["changes"] if c["case"] == case)


def test_a_change_is_marked_with_its_range_and_its_likeliest_commit(visit: Visit, turned: Path) -> None:
    page = visit(address(turned, "gemm"))
    assert page.locator(BAND).count() == 1
    assert page.locator("#chart svg .mark-rule line[stroke='var(--worse)']").count() == 1
    assert "regression" in page.locator("#legend").inner_text()


def test_a_change_is_told_in_words_and_leads_to_its_event(visit: Visit, turned: Path) -> None:
    page = visit(address(turned, "gemm"))
    line = page.locator("#breaks .turns li")
    for part in ("regression", "+7.", " … ", "1.0", "ms"):
        assert part in line.inner_text()
    assert "1 change, the last one a regression +7." in page.locator("#summary").text_content()
    line.get_by_role("link", name="commits and causes").click()
    page.wait_for_url(f"**/changes.html#id={change(turned, 'gemm')['id']}")
    page.wait_for_selector("#cases svg")
    assert "gemm" in page.locator("h1").inner_text()


def test_an_accepted_change_is_marked_with_its_reason(visit: Visit, turned: Path) -> None:
    page = visit(address(turned, "copy"))
    assert f"accepted: {WHY}" in page.locator("#chart svg").text_content()
    assert page.locator("#chart svg .mark-rule line[stroke='var(--chart-muted)']").count() == 1
    text = page.locator("#breaks").inner_text()
    assert WHY in text
    assert "accepted" in page.locator("#breaks .turns li").inner_text()
    assert "improvement, accepted" in page.locator("#legend").inner_text()


def test_a_series_without_changes_has_no_mark_of_one(visit: Visit, turned: Path) -> None:
    page = visit(address(turned, "idle"))
    assert page.locator(BAND).count() == 0
    assert page.locator("#breaks").inner_text().strip() == ""


def test_marks_outside_of_the_range_are_not_drawn(visit: Visit, turned: Path) -> None:
    page = visit(address(turned, "gemm"))
    page.locator("#chart").focus()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("+")
        page.wait_for_selector("#chart[aria-busy=false]")
    page.locator(BAND).wait_for(state="detached")


def test_labels_above_the_chart_meet_neither_each_other_nor_a_change(visit: Visit, life: Path) -> None:
    page = visit(address(life, "conv"))
    told = [text for text in page.locator(LABELS).all() if text.text_content()]
    assert sorted(text.text_content().split(":")[0] for text in told) == ["accepted", "driver"]
    labels = [text.bounding_box() for text in told]
    boxes = labels + [mark.bounding_box() for mark in page.locator("#chart svg .mark-symbol path").all()]
    plot = page.locator("#chart svg .mark-area path").first.bounding_box()
    for i, label in enumerate(labels):
        assert label["y"] + label["height"] <= plot["y"]
        assert not any(meet(label, other) for k, other in enumerate(boxes) if k != i)


def meet(one: dict, other: dict) -> bool:
    sides = (("x", "width"), ("y", "height"))
    return all(one[at] < other[at] + other[of] and other[at] < one[at] + one[of] for at, of in sides)


def test_labels_without_room_for_both_in_a_row_stand_in_two(visit: Visit, life: Path) -> None:
    for width in (660, 700, 820):
        page = visit(address(life, "conv"), viewport={"width": width, "height": 900})
        boxes = [text.bounding_box() for text in page.locator(LABELS).all() if text.text_content()]
        assert len(boxes) == 2
        assert not meet(*boxes)
        assert boxes[0]["y"] != boxes[1]["y"]
