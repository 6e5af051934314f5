"""Small tools for plain text."""

from textkit.distance import edit_distance
from textkit.ngrams import count_ngrams
from textkit.ranking import top_words
from textkit.readability import reading_ease
from textkit.tokens import words

__all__ = ["count_ngrams", "edit_distance", "reading_ease", "top_words", "words"]
