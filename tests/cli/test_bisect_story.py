"""What a search answers, in words: for people, and for an issue."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.app.bisect import Bisected
from perftrack.app.bisecthistory import Past
from perftrack.app.bisectrange import SearchRange
from perftrack.app.bisectstory import Story
from perftrack.cli.bisect_progress import summary
from perftrack.cli.bisect_story import lines_of
from perftrack.core.model import Commit, Direction
from perftrack.core.search.bisection import Search
from perftrack.core.search.blame import Blame
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.visits import Outcome
from perftrack.vcs.changes import ChangedFile
from tests.core.search.builders import QUICK, World, below, chain, graph
from tests.core.search.test_remainder import searched

HOSTILE = "Fix `x` @all <b> \x1b[2J [a](http://b)"


def answer(search: Search, story: Story | None = None, subject: str = "Do", **changes: object) -> Bisected:
    shas = [search.graph.good, *search.graph.shas]
    commits = {sha: Commit(sha, (), "Ann", 1_700_000_000, 1_700_000_000, subject) for sha in shas}
    blame = replace(Blame.of(search, "total", "time", "s"), **changes)  # type: ignore[arg-type]
    left = search.outcome is Outcome.BUDGET
    return Bisected(SearchRange(search.graph, commits), search, blame, story or Story(), Past(), left)


def said(of: Bisected, *, markdown: bool = False) -> str:
    return "\n".join(lines_of(of, markdown=markdown))


def ended(within: CommitGraph | None = None, culprit: str = "c5", **options: object) -> Search:
    within = within or chain(10)
    world = World(below(within, culprit), **options)  # type: ignore[arg-type]
    settings = replace(QUICK, direction=Direction.HIGHER if options.get("higher_is_better") else Direction.LOWER)
    return world.carry_out(Search.begin(within, settings))


def test_a_culprit_is_told_with_its_effect_evidence_and_price() -> None:
    text = said(answer(ended()))
    assert text.startswith("time of total got worse at c5, by +")
    assert "fresh processes of c5 and c4 alone" in text
    assert "measurements of" in text
    assert "seed 0" in text


def test_where_higher_is_better_the_change_is_the_value_s_own() -> None:
    text = said(answer(ended(higher_is_better=True)))
    assert "got worse at c5, by -" in text
    change = next(line for line in text.splitlines() if "change " in line)
    assert change.count("-") >= 2


def test_what_the_culprit_does_not_explain_is_told_with_the_command_that_looks_for_it() -> None:
    search = searched(chain(20), {"c4": 4.0, "c15": 8.0})
    of = answer(search, case_id="total[n=1]", metric="speed")
    text, markdown = said(of), said(of, markdown=True)
    command = "perftrack bisect --bench 'total[n=1]' --metric speed good c14"
    assert "another commit must carry the rest" in text
    assert f"    {command}  # about " in text
    assert f"- `{command}` (about " in markdown
    assert "of the difference between the ends" in text


def test_a_culprit_that_explains_everything_leaves_nothing_to_look_for() -> None:
    assert "another commit" not in said(answer(ended()))


def test_certainty_is_never_claimed() -> None:
    text = said(answer(ended(), probability=1.0))
    assert "100" not in text.splitlines()[1]


def test_a_block_lists_its_commits_with_their_shares() -> None:
    text = said(answer(ended(broken=["c4", "c5"])))
    assert "one of 3 commits that no build tells apart" in text
    assert text.count("33.3 %") == 3


def test_a_merge_says_so() -> None:
    merged = graph({"a": "good", "b": "good", "m": "a b", "n": "m", "bad": "n"})
    assert "got worse at the merge m" in said(answer(ended(merged, "m")))


def test_a_change_on_the_side_of_good_is_no_blame_of_bad() -> None:
    split = graph({"a": "base", "bad": "a"}, good="side", base="base")
    text = said(answer(World(["base", "a", "bad"]).carry_out(Search.begin(split, QUICK))))
    assert "improved on the side of GOOD" in text
    assert "histories part at base" in text
    assert "Do (Ann" not in text


def test_what_does_not_reproduce_says_which_ends() -> None:
    search = World([], shift=0.0).carry_out(Search.begin(chain(4), QUICK))
    text = said(answer(search))
    assert "does not reproduce: no difference shows between good and c3" in text
    assert "|" not in text


def test_noise_is_not_called_an_improvement() -> None:
    ended_ones = [World([], shift=0.0, seed=n).carry_out(Search.begin(chain(4), QUICK)) for n in range(8)]
    improved = [s.reproduction.p_value > 0.5 for s in ended_ones]
    assert 1 < sum(improved) < 8
    assert not any("better" in said(answer(s)) or "improved" in said(answer(s)) for s in ended_ones)


def test_values_that_are_all_the_same_are_no_improvement() -> None:
    search = Search.begin(chain(4), QUICK).observe("c3", [1.0] * 8, beside=("good", [1.0] * 8))
    assert search.outcome is Outcome.NOT_REPRODUCED
    assert "no difference shows" in said(answer(search))


def test_a_bad_end_that_is_the_better_one_is_called_that() -> None:
    search = World(["good"]).carry_out(Search.begin(chain(4), QUICK))
    text = said(answer(search))
    assert text.startswith("time of total did not get worse: BAD is the better one of good and c3")
    assert "the other way round" in text


def test_a_branch_that_was_slow_before_it_left_says_from_where_to_look() -> None:
    lost = graph({"b1": "A", "m": "good b1", "bad": "m"})
    search = World(["A", "b1", "m", "bad"], shift=5.0).carry_out(Search.begin(lost, QUICK))
    text = said(answer(search, Story("Do")))
    assert "improved on the side of GOOD" in text
    assert "histories part at A" in text
    assert "Do (Ann" not in text


def test_a_budget_that_ended_says_what_is_left_and_how_to_go_on() -> None:
    search = Search.begin(chain(10), replace(QUICK, measurements=18))
    text = said(answer(World(below(chain(10), "c5")).carry_out(search)))
    assert "not decided within the budget" in text
    assert "--resume" in text


def test_text_from_outside_has_no_effect_in_markdown_or_on_a_terminal() -> None:
    story = Story(f"Do\n\n{HOSTILE}", (ChangedFile(HOSTILE, 3, 1), ChangedFile("b.bin", None, None)))
    of = answer(ended(), story, HOSTILE, case_id=HOSTILE)
    plain, markdown = said(of), said(of, markdown=True)
    assert "\x1b" not in plain + markdown
    for line in markdown.splitlines():
        outside = "".join(part for n, part in enumerate(line.split("`")) if n % 2 == 0)
        assert "<b>" not in outside
        assert "@all" not in outside
    assert "b.bin  binary" in plain


def test_a_long_line_is_cut() -> None:
    files = (ChangedFile("f" * 4000, 1, 0),)
    of = answer(ended(), Story("s\n\n" + "y" * 10_000, files), "\x1b" * 10_000)
    assert max(map(len, said(of).splitlines())) < 300
    assert max(map(len, said(of, markdown=True).splitlines())) < 300


def test_a_long_story_is_cut() -> None:
    files = tuple(ChangedFile(f"f{n}", n, 0) for n in range(40))
    text = said(answer(ended(), Story("s\n\n" + "line\n" * 60, files)))
    assert "and 28 more file(s)" in text
    assert text.count("    line") == 20


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_progress_tells_what_is_known_at_every_step(steps: int) -> None:
    world, search = World(below(chain(10), "c5")), Search.begin(chain(10), QUICK)
    for _ in range(steps):
        probe = search.next_probe()
        assert probe is not None
        search = world.answer(search, probe)
    text = summary(search)
    assert f"[{search.spent.measurements} measured" in text
    assert "to come" in text
    assert ("GOOD against BAD" in text) is not search.reproduction.searching
