"""Splitting text into words."""

import re

WORD = re.compile(r"[^\W\d_]+")


def words(text):
    """The words of `text` in order, in lower case; digits and punctuation separate words."""
    return [match.group().lower() for match in WORD.finditer(text)]
