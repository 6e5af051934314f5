"""Runs of neighbouring words."""

from collections import Counter


def count_ngrams(tokens, n):
    """How often each run of `n` neighbouring tokens occurs: a Counter of tuples."""
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
