"""Words by how often they occur."""

from collections import Counter

from textkit.stopwords import STOP_WORDS


def top_words(tokens, k, stop_words=STOP_WORDS):
    """The `k` most frequent tokens that are no stop words, with their counts; ties in alphabetical order."""
    counts = Counter(token for token in tokens if token not in stop_words)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
