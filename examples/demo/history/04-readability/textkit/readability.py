"""How hard a text is to read."""

import re

from textkit.tokens import words

SENTENCE_END = re.compile(r"[.!?]+(?:\s|$)")
VOWELS = re.compile(r"[aeiouy]+")


def syllables(word):
    """Groups of vowels in an English word, at least one; a silent final e is not counted."""
    groups = len(VOWELS.findall(word))
    if word.endswith("e") and not word.endswith("le") and groups > 1:
        groups -= 1
    return max(groups, 1)


def reading_ease(text):
    """Flesch's reading ease: 100 is very easy, 30 is hard. None for a text without words."""
    tokens = words(text)
    if not tokens:
        return None
    sentences = max(len(SENTENCE_END.findall(text)), 1)
    per_word = sum(syllables(token) for token in tokens) / len(tokens)
    return 206.835 - 1.015 * len(tokens) / sentences - 84.6 * per_word
