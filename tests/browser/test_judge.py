"""The compare page judges as core.verdict does: any two commits of a history in which everything happens."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from perftrack.core.geomean import geometric_means
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Direction
from perftrack.publish.site import build_site
from tests.browser.conftest import Visit
from tests.publish.judged import COMMITS, Judged, key_of, undecidable

_JUDGE = """async (pairs) => {
  const { pairing, judge } = perftrack;
  const catalogue = perftrack.get("catalogue");
  const told = [];
  for (const texts of pairs) {
    const sides = await Promise.all(texts.map((text) => pairing.load(pairing.resolve(text))));
    const rows = pairing.pairs(...sides).map(([at, b, c]) => ({
      case: catalogue.id[at], metric: catalogue.metric[at], unit: catalogue.unit[at],
      direction: catalogue.direction[at],
      ...judge.one(at, b, c, catalogue.direction[at], () => ""),
    }));
    const ranked = judge.ranked(rows).map((r) => ({ ...r, why: r.why.map(({ code }) => code) }));
    told.push({ rows: ranked, means: judge.means(rows) });
  }
  return told;
}"""


@pytest.fixture(scope="module", params=[1, 3, 5])
def history(request: pytest.FixtureRequest) -> Judged:
    return Judged(request.param)


@pytest.fixture(scope="module")
def address(history: Judged, tmp_path_factory: pytest.TempPathFactory) -> str:
    output = tmp_path_factory.mktemp("judged") / "site"
    build_site(history, output)
    return Path(output / "compare.html").as_uri()


def told(visit: Visit, address: str, history: Judged, pairs: list[tuple[int, int]]) -> list[dict[str, Any]]:
    page = visit(address)
    runs = sorted(history._ids, key=history._ids.__getitem__)
    # A run stands for its commit, so that the one with uncommitted changes is judged as well.
    return page.evaluate(_JUDGE, [[f"run:{runs[b]}", f"run:{runs[c]}"] for b, c in pairs])


def rounded(judged: Judgement) -> float:
    """How far an effect may be off: a published value is rounded to a hundredth of its interval's half width."""
    sides = [
        m for m in (judged.baseline, judged.candidate) if m is not None and m.value and m.interval is not None
    ]
    return 1e-5 + sum(
        0.01 * (m.interval.hi - m.interval.lo) / 2 / abs(m.value) for m in sides if m.interval and m.value
    )


def borderline(judged: Judgement) -> bool:
    """Whether an end of the interval is so near to what decides that rounding may bring it to the other side."""
    if judged.interval is None:
        return False
    width = judged.interval.hi - judged.interval.lo
    room = rounded(judged) + 0.015 * width
    ends = (judged.interval.lo, judged.interval.hi)
    return any(abs(end - limit) < room for end in ends for limit in (0.0, judged.threshold, -judged.threshold))


def test_any_two_commits_get_the_verdicts_of_the_command(visit: Visit, address: str, history: Judged) -> None:
    pairs = [*combinations(range(COMMITS), 2), (9, 2), (COMMITS - 1, 0)]
    seen: set[Verdict] = set()
    decided = close = 0
    for (before, after), found in zip(pairs, told(visit, address, history, pairs), strict=True):
        shown = {(row["case"], row["metric"]): row for row in found["rows"]}
        judgements = history.judged(before, after)
        assert set(shown) == {key_of(j) for j in judgements}
        for judged in judgements:
            row = shown[key_of(judged)]
            context = (before, after, key_of(judged), row, judged.verdict, judged.reasons)
            if undecidable(judged):
                assert "permutation" in row["why"] or row["verdict"] == "not-comparable", context
                continue
            if key_of(judged)[0] == "coarse" and judged.interval is not None and row["lo"] is not None:
                # Of a timer's step a site knows that it is within the interval, no more: it is the more careful.
                assert row["lo"] <= judged.interval.lo + rounded(judged), context
                assert row["hi"] >= judged.interval.hi - rounded(judged), context
                assert row["verdict"] in (judged.verdict.value, "inconclusive"), context
                continue
            if row["verdict"] != judged.verdict.value and borderline(judged):
                close += 1
                continue
            seen.add(judged.verdict)
            decided += 1
            assert row["verdict"] == judged.verdict.value, context
            assert row["why"][0] == judged.reasons[0].code, context
            if judged.effect is None:
                assert row["effect"] is None, context
                continue
            rounding = rounded(judged)
            assert row["effect"] == pytest.approx(judged.effect, abs=rounding), context
            if judged.interval is not None:
                rounding += 0.01 * (judged.interval.hi - judged.interval.lo)
                assert row["lo"] == pytest.approx(judged.interval.lo, abs=rounding), context
                assert row["hi"] == pytest.approx(judged.interval.hi, abs=rounding), context
    assert seen == set(Verdict)
    assert decided > 500
    assert close < decided / 500


@pytest.mark.parametrize("history", [3], indirect=True)
def test_rows_come_by_verdict_and_then_by_p_value_and_not_by_percent(
    visit: Visit, address: str, history: Judged
) -> None:
    (found,) = told(visit, address, history, [(2, COMMITS - 4)])
    changed = [r for r in found["rows"] if r["verdict"] == "regression" and r["p"] is not None]
    assert [r["p"] for r in changed] == sorted(r["p"] for r in changed)
    order = [
        v
        for i, r in enumerate(found["rows"])
        if (v := r["verdict"]) != (found["rows"][i - 1]["verdict"] if i else "")
    ]
    assert len(order) == len(set(order))


@pytest.mark.parametrize("history", [3], indirect=True)
def test_geometric_means_are_those_of_the_command(visit: Visit, address: str, history: Judged) -> None:
    (found,) = told(visit, address, history, [(1, 9)])
    expected = {(m.metric, m.direction.value): m for m in geometric_means(history.judged(1, 9))}
    shown = {(m["metric"], m["direction"]): m for m in found["means"]}
    assert set(shown) == set(expected)
    assert ("time", Direction.LOWER.value) in shown
    for key, mean in expected.items():
        assert shown[key]["effect"] == pytest.approx(mean.effect, abs=2e-4)
        assert (shown[key]["cases"], shown[key]["left"]) == (mean.cases, mean.left_out)
