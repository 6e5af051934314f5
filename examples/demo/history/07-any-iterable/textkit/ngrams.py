"""Runs of neighbouring words."""

from collections import Counter


def count_ngrams(tokens, n):
    """How often each run of `n` neighbouring tokens occurs: a Counter of tuples.

    `tokens` may be any iterable, a generator included.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    tokens = list(tokens)
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
