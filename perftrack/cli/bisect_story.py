"""The answer of a search in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

from perftrack.app.bisect import Bisected
from perftrack.app.bisectstory import Story
from perftrack.cli.posterior import posterior_bar
from perftrack.core.launches.words import on_line, top_lines
from perftrack.core.model import Direction
from perftrack.core.search.belief import BAD, GOOD
from perftrack.core.search.bisection import Search
from perftrack.core.search.blame import Blame
from perftrack.core.search.remainder import remainder_of
from perftrack.core.search.visits import Outcome
from perftrack.core.units import format_change, format_duration, format_value

FILES, LISTED, MESSAGE_LINES = 12, 12, 20
LINE = 200  # characters of a line from outside: a subject may have ten thousand
PLAIN = 1e-3  # p-value with which BAD is said to be the better one


def lines_of(answer: Bisected, *, markdown: bool) -> list[str]:
    """Headline, evidence, culprit, cause. Text from outside cannot act on a terminal or in Markdown."""
    blame = answer.blame
    lines = [_headline(answer, markdown), ""] if markdown else [_headline(answer, markdown)]
    lines += [f"- {t}" if markdown else f"  {t}" for t in _evidence(answer)]
    if answer.search.reproduction.searching:
        bar = posterior_bar(list(answer.search.posterior().values()))
        lines.append(f"- `{bar}`" if markdown else f"  {bar}")
    if blame.commits and blame.outcome is not Outcome.BASE:
        lines += ["", *_commits(answer, markdown)]
    if blame.outcome is Outcome.FOUND:
        lines += [*_cause(answer.story, markdown), *_elsewhere(answer, markdown)]
    for note in answer.notes:
        lines.append(f"- note: {_code(note)}" if markdown else f"note {on_line(note)}")
    return ["<!-- perftrack bisect -->", *lines] if markdown else lines


def _headline(answer: Bisected, markdown: bool) -> str:
    blame = answer.blame
    what = f"{_name(blame.metric, markdown)} of {_name(blame.case_id, markdown)}"
    ends = f"{blame.good[:12]} and {blame.bad[:12]}"
    if blame.outcome is Outcome.FOUND and blame.culprit is not None:
        kind = "the merge " if blame.merge else ""
        told = f"{what} got worse at {kind}{blame.culprit[:12]}{_by(blame)}"
    elif blame.outcome is Outcome.FOUND:
        told = f"{what} got worse at one of {len(blame.commits)} commits that no build tells apart{_by(blame)}"
    elif blame.outcome is Outcome.BASE:
        told = f"{what} did not get worse on the way to BAD: it was improved on the side of GOOD"
    elif blame.outcome is Outcome.NOT_REPRODUCED and _improved(answer.search):
        told = f"{what} did not get worse: BAD is the better one of {ends}"
    elif blame.outcome is Outcome.NOT_REPRODUCED:
        told = f"{what} does not reproduce: no difference shows between {ends}"
    elif blame.outcome is Outcome.NON_MONOTONE:
        told = f"{what} changed more than once between {ends}: no single commit is to blame"
    else:
        told = f"{what}: not decided within the budget, between {ends}"
    return f"### {told}" if markdown else told


def _by(blame: Blame) -> str:
    if blame.effect is None:
        return ""
    sign = 1.0 if blame.direction is Direction.LOWER else -1.0
    if not blame.logs:
        return f", by {format_value(sign * blame.effect, blame.unit)}"
    return f", by {format_change(sign * blame.effect)}"


def _evidence(answer: Bisected) -> Iterator[str]:
    blame, search = answer.blame, answer.search
    if blame.named:
        yield f"probability {_share(blame.probability)} (asked for: {_share(blame.confidence)})"
    elif blame.commits:
        yield f"{len(blame.commits)} commit(s) hold {_share(blame.probability)}"
    if blame.interval is not None and blame.effect is not None:
        sign = 1.0 if blame.direction is Direction.LOWER else -1.0
        lo, hi = sorted((sign * blame.interval.lo, sign * blame.interval.hi))
        shown = [format_change(x) if blame.logs else format_value(x, blame.unit) for x in (lo, hi)]
        told = search.confirmation
        sides = f"{len(told.after_values)} and {len(told.before_values)}" if told else "as many"
        p = "" if blame.p_value is None else f", p = {blame.p_value:.2g}"
        yield (
            f"change {shown[0]} … {shown[1]} (95 %), from {sides} fresh processes of {blame.after[:12]} and "
            f"{blame.before[:12]} alone{p}"
        )
    if blame.outcome is Outcome.BASE:
        yield f"their histories part at {blame.commits[0][:12]}, which is as slow as BAD: look from there to GOOD"
    rest = remainder_of(search)
    if rest is not None:
        lo, hi = 100 * rest.interval.lo, 100 * rest.interval.hi
        yield f"that is {100 * rest.share:.0f} % ({lo:.0f} … {hi:.0f} %) of the difference between the ends"
    seen = search.reproduction
    if search.settings.reproduce and (seen.good or seen.bad):
        yield f"GOOD against BAD: {seen.good} and {seen.bad} processes, p = {seen.p_value:.2g} (one-sided)"
    if blame.outcome is Outcome.NOT_REPRODUCED and _improved(search):
        yield "name the ends the other way round to find what improved"
    if search.recorded:
        yield f"{len(search.recorded)} stored run(s) counted as evidence"
    failed = {s.commit for v in search.visits for s in v.sides if s.failure is not None}
    broken = f", {len(failed)} commit(s) gave no value" if failed else ""
    yield (
        f"{_counted(blame.measurements, 'measurement')} of {_counted(blame.builds, 'commit')}, ends included, for "
        f"a range of {len(search.graph)}{broken}, {format_duration(blame.seconds)}, seed {blame.seed}"
    )
    for good in blame.earlier:
        yield f"the speed changed more than once after {good[:12]}: this is the last time that it got worse"
    if answer.left:
        yield "perftrack bisect --resume --budget … goes on from here"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _improved(search: Search) -> bool:
    """Whether BAD is plainly better than GOOD: half of all searches that reproduce nothing read a little so."""
    script = search.reckoning.transcript
    good, bad = (script.end(place).tolist() for place in (GOOD, BAD))
    return search.reproduction.p_value > 1.0 - PLAIN and median(bad) < median(good)


def _commits(answer: Bisected, markdown: bool) -> Iterator[str]:
    blame = answer.blame
    chances = dict(blame.posterior)
    shown = sorted(blame.commits, key=lambda sha: -chances.get(sha, 0.0))[:LISTED]
    for sha in shown:
        commit = answer.range.commits[sha]
        day = datetime.fromtimestamp(commit.author_time, UTC).date().isoformat()
        text = f"{_cut(commit.subject)} ({_cut(commit.author)}, {day})"
        share = "" if len(blame.commits) == 1 else f" {_share(chances.get(sha, 0.0))}"
        yield f"- {sha[:12]}{share} {_code(text)}" if markdown else f"  {sha[:12]}{share} {text}"
    if len(blame.commits) > len(shown):
        yield f"{'- ' if markdown else '  '}and {len(blame.commits) - len(shown)} more"


def _cause(story: Story, markdown: bool) -> Iterator[str]:
    body = story.message.splitlines()[1:]
    while body and not body[0].strip():
        body.pop(0)
    if body:
        yield ""
    for line in body[:MESSAGE_LINES]:
        shown = _cut(line)
        yield f"> {_code(shown) if line.strip() else ''}".rstrip() if markdown else f"    {shown}".rstrip()
    if len(body) > MESSAGE_LINES:
        yield f"{'> ' if markdown else '    '}…"
    if story.files:
        yield ""
    for file in story.files[:FILES]:
        lines = "binary" if file.added is None else f"+{file.added} -{file.removed}"
        yield f"- {_code(_cut(file.path))} {lines}" if markdown else f"  {_cut(file.path)}  {lines}"
    if len(story.files) > FILES:
        yield f"{'- ' if markdown else '  '}and {len(story.files) - FILES} more file(s)"
    for difference in story.environments:
        text = f"it brings another environment: {difference}"
        yield f"- {_code(text)}" if markdown else f"  {on_line(text)}"
    if story.diff is not None:
        yield "" if markdown else "profiles say"
        for line in top_lines(story.diff) or ["nothing that tells them apart"]:
            yield f"- {_code(line)}" if markdown else f"  {line}"
    elif story.unprofiled:
        text = f"not profiled: {story.unprofiled}"
        yield f"- {_code(text)}" if markdown else f"note {on_line(text)}"


def _elsewhere(answer: Bisected, markdown: bool) -> Iterator[str]:
    """Where to look for what the culprit does not explain."""
    blame, rest = answer.blame, remainder_of(answer.search)
    if rest is None or not rest.parts:
        return
    yield ""
    told = "it does not explain all of the difference: another commit must carry the rest. To look for it:"
    yield told if markdown else f"  {told}"
    metric = [] if blame.metric == "time" else ["--metric", blame.metric]
    for part in rest.parts:
        words = ["perftrack", "bisect", "--bench", blame.case_id, *metric, part.good[:12], part.bad[:12]]
        about = f"about {max(100 * part.share, 0.0):.0f} % of the difference lies there"
        line = shlex.join(words)
        yield f"- {_code(line)} ({about})" if markdown else f"    {on_line(line)}  # {about}"


def _share(probability: float) -> str:
    """Never rounded up to certainty."""
    percent = 100.0 * probability
    return f"{min(percent, 99.99):.2f} %" if percent > 99.0 else f"{percent:.1f} %"


def _name(text: str, markdown: bool) -> str:
    return _code(text) if markdown else on_line(text)


def _cut(text: str) -> str:
    """Text from outside on a line, as much of it as people read."""
    shown = on_line(text[: LINE + 1])
    return shown if len(shown) <= LINE else shown[: LINE - 1] + "…"


def _code(text: str) -> str:
    """Text from outside as code in Markdown: no tag, mention, link or line end takes effect."""
    return f"`{on_line(text).replace('`', 'ˋ')}`"
