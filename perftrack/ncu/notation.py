"""Numbers as a file prints them. Which of comma and point is the decimal mark is a property of the whole file.

ncu prints in the locale of the machine: 117,344.06 or 117.344,06 or 1,17,344.06 or 117 344,06. A cell such as
"117.344" cannot be read alone: the cells of a file that leave no choice decide for all, or the file is refused.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum, StrEnum

from perftrack.errors import ProfileError


class Mark(StrEnum):
    """The decimal mark; the other one groups digits."""

    POINT = "."
    COMMA = ","


class Sight(Enum):
    """What one cell says about the marks."""

    NOTHING = 0
    POINT = 1  # the decimal mark is a point: 56.06, 1,234.5, 1,234,567
    COMMA = 2  # the decimal mark is a comma: 56,06, 1.234,5, 1.234.567
    EITHER_POINT = 3  # 117.344
    EITHER_COMMA = 4  # 117,344


_SPACES = " \u00a0\u2009\u202f'\u2019"  # group digits in some locales, and are no decimal mark in any
_SPACED = re.compile(rf"([-+]?\d{{1,3}}(?:[{_SPACES}]\d{{3}})+)((?:[.,]\d+)?)", re.ASCII)
_GROUPED = r"[1-9]\d{{0,2}}(?:{group}\d{{2,3}})*{group}\d{{3}}"  # two digits: the lakh of Indian locales
_EXPONENT = r"(?:[eE][-+]?\d+)?"


def _number(group: str, decimal: str) -> re.Pattern[str]:
    grouped, fraction = _GROUPED.format(group=group), rf"(?:{decimal}\d+)?"
    # No program groups the digits before an exponent: 1,000E0 is 1 with a decimal comma, or nothing.
    return re.compile(rf"[-+]?(?:{grouped}{fraction}|\d+{fraction}{_EXPONENT})", re.ASCII)


_NUMBER = {Mark.POINT: _number(",", r"\."), Mark.COMMA: _number(r"\.", ",")}
_BYTES = {mark: re.compile(pattern.pattern.encode()) for mark, pattern in _NUMBER.items()}
_SEPARATED = re.compile(rf"[-+]?(\d[\d.,]*){_EXPONENT}", re.ASCII)
_MANY = {
    ".": re.compile(_GROUPED.format(group=r"\."), re.ASCII),
    ",": re.compile(_GROUPED.format(group=","), re.ASCII),
}
_HEAD = re.compile(rf"[-+\d.,{_SPACES}eE]{{1,60}}|n/a|nan|no data", re.ASCII)
_MISSING = frozenset(
    ("", "n/a", "na", "nan", "-nan", "+nan", "no data", "<null>", "-", "--", "inf", "+inf", "-inf", "infinity")
)
_LONGEST = 300  # digits; a number has fewer, and more may be none that a float can hold


def read_bytes(cell: bytes, mark: Mark) -> float | str | None:
    """As `read_cell`, for UTF-8: nearly all cells are numbers, and need not become text first."""
    if len(cell) <= _LONGEST:
        if cell.isdigit():
            return float(cell)
        if _BYTES[mark].fullmatch(cell):
            plain = cell.replace(b",", b"") if mark is Mark.POINT else cell.replace(b".", b"").replace(b",", b".")
            value = float(plain)
            return value if math.isfinite(value) else None
    return read_cell(cell.decode(), mark)


def read_cell(cell: str, mark: Mark) -> float | str | None:
    """A number, text as it stands, or None where the profiler had no value."""
    if len(cell) <= _LONGEST and _NUMBER[mark].fullmatch(cell):
        return _finite(cell, mark)
    text = aggregate(cell)
    if _is_missing(text):
        return None
    if len(text) <= _LONGEST:
        if _NUMBER[mark].fullmatch(text):
            return _finite(text, mark)
        if spaced := _SPACED.fullmatch(text):
            digits = re.sub(rf"[{_SPACES}]", "", spaced[1])
            if not spaced[2] or spaced[2][0] == mark:
                return float(digits + spaced[2].replace(",", "."))
    return cell


def aggregate(cell: str) -> str:
    """The value before its instances, "6,665 (33; 33)" or "6,665 {118}"; empty where there are only those."""
    text = cell.strip()
    if not text.endswith((")", "}")):
        return text
    start = text.find("(" if text[-1] == ")" else "{")
    head = text[: max(start, 0)].strip()
    if head:
        return head if _HEAD.fullmatch(head) else text
    return "" if text[-1] == "}" or ";" in text else text


def sight(cell: str) -> Sight:
    """What the cell says about the file's marks."""
    text = aggregate(cell)
    if len(text) > _LONGEST:
        return Sight.NOTHING
    if spaced := _SPACED.fullmatch(text):
        return _decimal(spaced[2][:1])
    match = _SEPARATED.fullmatch(text)
    if match is None:
        return Sight.NOTHING
    digits = match[1]
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        mark = Mark.POINT if digits.rfind(".") > digits.rfind(",") else Mark.COMMA
        return _decimal(mark) if _NUMBER[mark].fullmatch(digits) else Sight.NOTHING
    if points + commas == 0:
        return Sight.NOTHING
    separator = "." if points else ","
    if points + commas > 1:
        return _decimal("," if points else ".") if _MANY[separator].fullmatch(digits) else Sight.NOTHING
    before, after = digits.split(separator)
    if not after:
        return Sight.NOTHING
    if len(after) == 3 and len(before) <= 3 and not before.startswith("0") and text[-3:].isdigit():
        return Sight.EITHER_POINT if points else Sight.EITHER_COMMA
    return _decimal(separator)


def _decimal(mark: str) -> Sight:
    return {".": Sight.POINT, ",": Sight.COMMA}.get(mark, Sight.NOTHING)


def _is_missing(text: str) -> bool:
    return text.removeprefix("(!)").strip().lower() in _MISSING


def _finite(text: str, mark: Mark) -> float | None:
    plain = text.replace(",", "") if mark is Mark.POINT else text.replace(".", "").replace(",", ".")
    value = float(plain)
    return value if math.isfinite(value) else None


@dataclass(slots=True)
class Evidence:
    """What the cells seen so far say: the first cell of each kind, with its line."""

    point: tuple[str, int] | None = None
    comma: tuple[str, int] | None = None
    either_point: tuple[str, int] | None = None
    either_comma: tuple[str, int] | None = None

    def lacks(self, seen: Sight) -> bool:
        """Whether no cell has said that yet."""
        if seen is Sight.NOTHING:
            return False
        return getattr(self, seen.name.lower()) is None

    def note(self, seen: Sight, cell: str, line: int) -> None:
        """Keeps the first cell that says so."""
        if self.lacks(seen):
            setattr(self, seen.name.lower(), (cell, line))

    def add(self, cell: str, line: int) -> None:
        self.note(sight(cell), cell, line)

    def resolve(self, name: str) -> Mark:
        """The file's decimal mark. ProfileError where cells contradict each other or leave it open.

        Commas before three digits alone are taken to group: that is ncu's own notation, and it never prints three
        decimals. The same with points is not: tables that went through other programs do print three.
        """
        if self.point and self.comma:
            raise self._refused(name, self.point, self.comma, "use different decimal marks")
        if self.comma:
            return Mark.COMMA
        if self.point:
            return Mark.POINT
        if self.either_point and self.either_comma:
            raise self._refused(
                name, self.either_point, self.either_comma, "do not tell which mark is the decimal one"
            )
        if self.either_point:
            cell, line = self.either_point
            raise ProfileError(
                f"{name}:{line}: {cell!r} can be {cell.replace('.', '')} or a decimal number, "
                "and nothing in the file tells which",
                _HINT,
            )
        return Mark.POINT

    @staticmethod
    def _refused(name: str, one: tuple[str, int], other: tuple[str, int], what: str) -> ProfileError:
        one, other = sorted((one, other), key=lambda seen: seen[1])
        return ProfileError(f"{name}:{other[1]}: {other[0]!r} and {one[0]!r} (line {one[1]}) {what}", _HINT)


_HINT = "Export again with one notation: LC_ALL=C ncu --import REPORT.ncu-rep --csv --page raw"
