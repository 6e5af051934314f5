"""Words by how often they occur."""

from collections import Counter

STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have
    having he her here hers him his how i if in into is it its just me more most my no nor not now of
    off on once only or other our out over own same she should so some such than that the their them
    then there these they this those through to too under until up very was we were what when where
    which while who whom why will with would you your
    """.split()
)


def top_words(tokens, k):
    """The `k` most frequent tokens that are no stop words, with their counts; ties in alphabetical order."""
    counts = Counter(token for token in tokens if token not in STOP_WORDS)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
