"""A comparison as a comment on a pull request: found again by its first line, and small enough to be one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from perftrack.app.comparison import Comparison
from perftrack.cli.compare_view import average, change, change_interval, headline, noise_of, remarks, value_of
from perftrack.core.history import Series
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.words import top_lines
from perftrack.core.text import printable
from perftrack.publish.addresses import benchmark_page, series_key

MARKER = "<!-- perftrack -->"
LIMIT = 60_000  # bytes: GitHub refuses comments over 65,536 characters, and whoever posts it may add to it
MAX_TEXT = 300
# A full stop beside a letter may be part of an address.
_PUNCTUATION = re.compile(r"[^\w\s.,%+–…×µ→±]|_|(?<=[^\W\d])\.|\.(?=[^\W\d])")
_CLOSING = 400  # bytes kept for what closes an open fold and says what was left out
_LOUD = (Verdict.REGRESSION, Verdict.FAILED, Verdict.IMPROVEMENT)
_HEAD = ("verdict", "case", "metric", "baseline", "candidate", "change", "95 % interval", "detectable", "why")
_RULE = "|---|---|---|--:|--:|--:|--:|--:|---|"


def markdown(comparison: Comparison, site_url: str, *, everything: bool) -> str:
    """The comment. What changed is a table, the rest is folded; nothing is ever cut in the middle of a row."""
    page = _Page()
    sides = (
        f"<code>{comparison.baseline.commit.sha[:12]}</code> → <code>{comparison.candidate.commit.sha[:12]}</code>"
    )
    found = f" {code(comparison.found.found)}" if comparison.found else ""
    page.add(MARKER, f"### perftrack: {headline(comparison)}", "", f"{sides}{found}", "")
    for mean in average(comparison):
        page.add(code(mean), "")
    judged = comparison.judgements
    loud = [j for j in judged if j.verdict in _LOUD]
    undecided = [j for j in judged if j.verdict not in (*_LOUD, Verdict.UNCHANGED)]
    quiet = [j for j in judged if j.verdict is Verdict.UNCHANGED]
    page.rows(_table(), [_row(j, site_url) for j in loud])
    said = list(_explanations(comparison))
    page.fold(f"What profiles say of {len(comparison.diffs)} case(s)", (), said)
    page.fold(f"{len(undecided)} case(s) without a verdict", _table(), [_row(j, site_url) for j in undecided])
    page.fold("Notes", (), [f"- {plain(r)}" for r in remarks(comparison)])
    if everything:
        page.fold(f"{len(quiet)} unchanged case(s)", _table(), [_row(j, site_url) for j in quiet])
    elif quiet:
        page.add(f"{len(quiet)} unchanged case(s) not shown.")
    return "\n".join(page.lines).rstrip() + "\n"


@dataclass(slots=True)
class _Page:
    """Lines that together stay below the limit: what does not fit is counted instead."""

    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, *lines: str) -> None:
        self.lines += lines
        self.size += sum(len(line.encode()) + 1 for line in lines)

    def rows(self, head: Sequence[str], rows: Sequence[str]) -> None:
        if not rows:
            return
        self.add(*head)
        for number, row in enumerate(rows):
            if self.size + len(row.encode()) > LIMIT - _CLOSING:
                self.add("", f"{len(rows) - number} more left out for size.")
                break
            self.add(row)
        self.add("")

    def fold(self, summary: str, head: Sequence[str], rows: Sequence[str]) -> None:
        """Rows behind a line to click on; only a count where not even that has room."""
        if not rows:
            return
        if self.size > LIMIT - 4 * _CLOSING:
            self.add(f"{summary}: left out for size.", "")
            return
        self.add("<details>", f"<summary>{summary}</summary>", "")
        self.rows(head, rows)
        self.add("</details>", "")


def code(text: str) -> str:
    """Text from outside as itself: in <code> GitHub looks for no mentions, references or addresses.

    Inside of it Markdown still has a meaning, but not for character references: all punctuation becomes one.
    """
    return f"<code>{plain(text)}</code>" if text else ""


def plain(text: str) -> str:
    """Text in which nothing is markup; on one line, and not endless."""
    shown = "".join(_visible(c) for c in printable(text[:MAX_TEXT]).replace("\n", " ").replace("\t", " "))
    more = "…" if len(text) > MAX_TEXT else ""
    return _PUNCTUATION.sub(lambda m: f"&#{ord(m[0])};", shown) + more


def _visible(character: str) -> str:
    """Characters that have no shape, such as those that turn the direction of what follows, are spelled out."""
    return character if unicodedata.category(character) != "Cf" else f"\\u{ord(character):04x}"


def _table() -> tuple[str, str]:
    return "| " + " | ".join(_HEAD) + " |", _RULE


def _row(judged: Judgement, site_url: str) -> str:
    subject, verdict = judged.subject, judged.verdict.value
    case = code(subject.case.id)
    if site_url and judged.baseline is not None:
        key = series_key(
            Series(subject.case, subject.metric, subject.unit, subject.direction, subject.tags, subject.source, ())
        )
        page = benchmark_page(subject.case.benchmark)
        case = f"[{case}]({site_url.rstrip('/')}/{page}#series={key})"
    detectable, noise = noise_of(judged)
    why = judged.reasons[0].message if judged.reasons else ""
    cells = (
        f"**{verdict}**" if judged.verdict in (Verdict.REGRESSION, Verdict.FAILED) else verdict,
        case,
        code(subject.metric),
        code(value_of(judged.baseline)),
        code(value_of(judged.candidate)),
        plain(change(judged)),
        plain(change_interval(judged)),
        plain(detectable) + (f" (lane noise {plain(noise)})" if noise else ""),
        code(why) if why else "",
    )
    return "| " + " | ".join(cells) + " |"


def _explanations(comparison: Comparison) -> Iterator[str]:
    """What profiles say of the changed cases, as items of a list."""
    for case, diff in comparison.diffs.items():
        for line in top_lines(diff):
            yield f"- {code(case)}: {code(line)}"
