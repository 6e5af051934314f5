"""Words by how often they occur."""

from collections import Counter

STOP_WORDS = frozenset(
    """
    a about above across after again against all almost alone along already also although always am
    among an and another any anyone anything are around as at back be because been before behind being
    below between both but by can cannot could did do does doing done down during each either else ever
    every everyone everything few for from further had has have having he hence her here hers herself
    him himself his how however i if in indeed instead into is it its itself just least less many may me
    might more most much must my myself neither never no nobody none nor not nothing now of off often on
    once only or other others our ours out over own perhaps quite rather same she should since so some
    someone something still such than that the their theirs them then there therefore these they this
    those though through thus to together too toward under until up upon us very was we well were what
    whatever when where whether which while who whole whom whose why will with within without would yet
    you your yours yourself
    """.split()
)


def top_words(tokens, k):
    """The `k` most frequent tokens that are no stop words, with their counts; ties in alphabetical order."""
    counts = Counter(token for token in tokens if token not in STOP_WORDS)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
