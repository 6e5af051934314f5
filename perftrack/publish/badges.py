"""SVG badges, one a benchmark: latest value, trend and verdict, for the README of the project that is measured."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape

from perftrack.core.judgement import Verdict
from perftrack.core.model import Interval, Status
from perftrack.core.text import printable
from perftrack.core.units import format_change, format_interval
from perftrack.publish import addresses
from perftrack.publish.pages import GridRow

LONGEST = 48  # characters of a name
_HEIGHT, _PAD = 20, 6
# Pixels that characters take in Verdana, which DejaVu Sans comes close to; the rest of ASCII takes _LETTER.
_LETTER, _WIDE = 6.7, 11.0
_PIXELS = {
    character: float(pixels)
    for pixels, characters in {
        3: "'ijl", 4: " !,.ft", 5: '"()-/:;IJ[\\]r|', 6: "?FLcsz", 7: "$EPTY_{}–µ", 8: "&ABCHKNRSUVXZ",
        9: "#+<=>DGMOQ^w~±…∞", 11: "%@Wm",
    }.items()
    for character in characters
}  # fmt: skip
# Of a trend: points at most, pixels from the first to the last, from the highest down to the lowest, and above it.
_POINTS, _ACROSS, _DOWN, _TOP = 20, 38, 12, 4
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
    message = printable(message)
    trend = _fewer(rows[0].spark) if len(rows) == 1 else []
    drawn = sum(y is not None for y in trend) > 1
    label = printable(name)
    label = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    left, text = _width(label), _width(message)
    width = left + text + (_ACROSS + _PAD if drawn else 0)
    size = f'width="{width}" height="{_HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(f"{label}: {message}")}"'
        ' fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<rect {size} rx="3" fill="{_COLOURS[colour]}"/>'
        f'<path d="M{left} 0v{_HEIGHT}H3q-3 0-3-3V3q0-3 3-3" fill="#444b52"/>'
        f"{_text(label, _PAD, left - 2 * _PAD)}{_text(message, left + _PAD, text - 2 * _PAD)}"
        + (_spark(trend, left + text) if drawn else "")
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


def _known(character: str) -> bool:
    return character in _PIXELS or character.isascii()


def _pixels(character: str) -> float:
    if _known(character):
        return _PIXELS.get(character, _LETTER)
    if unicodedata.combining(character):
        return 0.0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" else _LETTER


def _width(text: str) -> int:
    return max(round(sum(map(_pixels, text))), 1) + 2 * _PAD


def _text(text: str, x: int, length: int) -> str:
    """Text that takes just the width that was reckoned, whichever font the viewer has.

    Where that is a guess, letters are squeezed as well, and not only the space between them.
    """
    squeezed = "" if all(map(_known, text)) else ' lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x}" y="14" textLength="{length}"{squeezed}>{escape(text)}</text>'


def _fewer(text: str) -> list[int | None]:
    """The pixels down of a trend's points, None for a gap, from one character each (see `trend.sparkline`).

    Of points that would lie closer than pixels can show, the one that is farthest from the last is left, so that
    no peak is lost; the newest point stays.
    """
    levels = [None if c == "-" else round((_STEPS - int(c, 36)) * _DOWN / _STEPS) for c in text]
    stride = max(math.ceil(len(levels) / _POINTS), 1)
    kept: list[int | None] = []
    before = 0
    for end in range(len(levels), 0, -stride):
        known = [y for y in levels[max(end - stride, 0) : end] if y is not None]
        own = known[-1] if known and not kept else max(known, key=lambda y: abs(y - before), default=None)
        before = before if own is None else own
        kept.append(own)
    return kept[::-1]


def _spark(trend: Sequence[int | None], x: int) -> str:
    """The trend as a line: after its first point, each is steps to the right and down from the one before."""
    path, pen, before = "", "m", (0, 0)
    for at, down in enumerate(trend):
        if down is None:
            pen = "m"
            continue
        here = (x + round(at * _ACROSS / (len(trend) - 1)), _TOP + down)
        right, lower = here[0] - before[0], here[1] - before[1]
        path += f"{pen}{right}{'' if lower < 0 else ' '}{lower}"
        pen, before = " ", here
    return f'<path d="{path}" fill="none" stroke="#fff" stroke-width="1.3"/>'
