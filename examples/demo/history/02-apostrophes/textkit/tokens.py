"""Splitting text into words."""

import re

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def words(text):
    """The words of `text` in order, in lower case; digits and punctuation separate words.

    An apostrophe between letters belongs to its word: "don't" is one.
    """
    return [match.group().lower() for match in WORD.finditer(text)]
