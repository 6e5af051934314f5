"""Text that may name a thing: one line that every terminal, file and page can hold. Standard library only."""

from __future__ import annotations

import unicodedata

MAX_NAME = 200
SHOWN = 80
# Control characters, halves of a surrogate pair, and the separators at which str.splitlines ends a line.
_REFUSED = {"Cc": "a control character", "Cs": "half a surrogate pair", "Zl": "a line break", "Zp": "a line break"}
# What turns the direction of the text after it makes a line read as something else (CVE-2021-42574).
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_NONE = frozenset("\ufffe\uffff")  # no XML may hold them: a badge or feed with one is shown by nobody


def flaw(text: str) -> str | None:
    """Why `text` may not be shown on a line as it is, to follow its name; None where it may."""
    for character in text:
        what = _wrong(character)
        if what:
            return f"has {what}, {character!r}"
    return None


def name_flaw(value: object) -> str | None:
    """Why `value` is no name: 1 to MAX_NAME printable characters on one line."""
    if not isinstance(value, str):
        return f"must be a string, not {quoted(value)}"
    if not value.strip() or len(value) > MAX_NAME:
        return f"must have 1 to {MAX_NAME} characters on one line"
    found = flaw(value)
    return None if found is None else f"{quoted(value)} {found}"


def quoted(value: object) -> str:
    """The repr of a foreign value, fit for a message: at most SHOWN printable characters, whatever it holds."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a message about a value must not fail on that value
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return printable(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def printable(text: str) -> str:
    """`text` with everything that `flaw` refuses escaped; line feeds and tabs stay."""
    if text.replace("\n", "").isprintable():  # which is more than is asked, and most texts are
        return text
    return "".join(c if c in "\n\t" or _wrong(c) is None else c.encode("unicode_escape").decode() for c in text)


def _wrong(character: str) -> str | None:
    if character in _TURNS:
        return "a change of the direction of text"
    if character in _NONE:
        return "what is no character"
    return _REFUSED.get(unicodedata.category(character))
