"""SVG badges, one a benchmark: latest value, trend and verdict, for the README of the project that is measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from perftrack.core.judgement import Verdict
from perftrack.core.model import Interval, Status
from perftrack.core.text import printable
from perftrack.core.units import format_change, format_interval
from perftrack.publish import addresses
from perftrack.publish.pages import GridRow

LONGEST = 48  # characters of a name
_HEIGHT, _PAD, _CHARACTER, _SPARK = 20, 6, 6.6, 56
_STEPS = 35  # from the lowest point of a trend to its highest
# Both of white text on it and of it on white: contrast of at least 4.5.
_COLOURS = {
    "worse": "#b0351b", "better": "#0a6e5f", "plain": "#44607f", "unsure": "#755a00", "failed": "#9b1c5a",
}  # fmt: skip
_WORST_FIRST = (Verdict.FAILED, Verdict.REGRESSION, Verdict.INCONCLUSIVE, Verdict.IMPROVEMENT)
_COLOUR_OF = {
    Verdict.FAILED: "failed", Verdict.REGRESSION: "worse", Verdict.INCONCLUSIVE: "unsure",
    Verdict.IMPROVEMENT: "better",
}  # fmt: skip


def badge_files(rows: Sequence[GridRow]) -> Iterator[tuple[str, bytes]]:
    """Path and content of each benchmark's badge; `rows`: the grid's, the same benchmark's together."""
    by_name: dict[str, list[GridRow]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    for name, own in by_name.items():
        yield addresses.badge(name), badge(name, own)


def badge(name: str, rows: Sequence[GridRow]) -> bytes:
    """One benchmark's: of a single row its value and trend, of several how many got worse."""
    message, colour = _message(rows)
    trend = _trend(rows[0].spark) if len(rows) == 1 else ""
    label = printable(name)
    label = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    left, text = _width(label), _width(message)
    right = text + (_SPARK if trend else 0)
    width = left + right
    title = escape(f"{label}: {message}")
    ink = 'fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
    size = f'width="{width}" height="{_HEIGHT}"'
    rounded = f"M3 0h{left - 3}v{_HEIGHT}h-{left - 3}a3 3 0 0 1-3-3v-{_HEIGHT - 6}a3 3 0 0 1 3-3z"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">'
        f'<rect {size} rx="3" fill="{_COLOURS[colour]}"/><path d="{rounded}" fill="#444b52"/>'
        f"<g {ink}>{_text(label, _PAD, left - 2 * _PAD)}{_text(message, left + _PAD, text - 2 * _PAD)}</g>"
        + (_spark(trend, left + text, len(rows[0].spark)) if trend else "")
        + "</svg>\n"
    ).encode("utf-8", "replace")


def _message(rows: Sequence[GridRow]) -> tuple[str, str]:
    verdicts = [Verdict(row.verdict) for row in rows if row.verdict]
    worst = next((v for v in _WORST_FIRST if v in verdicts), None)
    colour = _COLOUR_OF[worst] if worst else "plain"
    if len(rows) > 1:
        count = sum(v is worst for v in verdicts) if worst else len(rows)
        return f"{count} of {len(rows)} {_WORD[worst]}" if worst else f"{count} cases, no change", colour
    (row,) = rows
    if row.status != Status.OK.value:
        return row.status, "failed" if row.status == Status.FAILED.value else "plain"
    bounds = None if row.lo is None or row.hi is None else Interval(row.lo, row.hi)
    shown = format_interval(row.value, row.unit, bounds)
    changed = worst in (Verdict.REGRESSION, Verdict.IMPROVEMENT) and row.change is not None
    return f"{shown}, {format_change(row.change)}" if changed else shown, colour


_WORD = {
    Verdict.FAILED: "failed", Verdict.REGRESSION: "worse", Verdict.INCONCLUSIVE: "undecided",
    Verdict.IMPROVEMENT: "better", None: "",
}  # fmt: skip


def _width(text: str) -> int:
    return round(len(text) * _CHARACTER) + 2 * _PAD


def _text(text: str, x: int, length: int) -> str:
    """Text that takes just the width that was reckoned, whichever font the viewer has."""
    return f'<text x="{x}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'


def _trend(text: str) -> str:
    """The trend as a path: one character a point, `0` lowest to `z` highest, `-` for a gap (see overview).

    In points to the right and in steps of the characters down, each from the one before.
    """
    if sum(c != "-" for c in text) < 2:
        return ""
    path, pen, before = "", "M", 0
    for at, character in enumerate(text):
        if character == "-":
            pen = "M"
            continue
        y = _STEPS - int(character, 36)
        path += f"M{at} {y}" if pen == "M" else f"{pen}1{'' if y < before else ' '}{y - before}"
        pen, before = "l" if pen == "M" else " ", y
    return path


def _spark(trend: str, x: int, points: int) -> str:
    across, down = (_SPARK - 2 * _PAD) / (points - 1), (_HEIGHT - 8) / _STEPS
    return (
        f'<path d="{trend}" transform="matrix({across:.3g} 0 0 {down:.3g} {x} 4)" fill="none" stroke="#fff"'
        ' stroke-width="1.3" stroke-linejoin="round" vector-effect="non-scaling-stroke"/>'
    )
