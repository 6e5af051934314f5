"""How far apart two spellings are."""


def edit_distance(a, b):
    """The least number of insertions, deletions and substitutions that turn `a` into `b` (Levenshtein)."""
    a, b = without_common_ends(a, b)
    row = list(range(len(b) + 1))
    for i, char in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            best = diagonal if char == other else 1 + min(diagonal, row[j], row[j - 1])
            diagonal, row[j] = row[j], best
    return row[-1]


def without_common_ends(a, b):
    """`a` and `b` without the prefix and suffix that they share: neither changes the distance."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    a, b = a[start:], b[start:]
    end = 0
    while end < min(len(a), len(b)) and a[-1 - end] == b[-1 - end]:
        end += 1
    return a[: len(a) - end], b[: len(b) - end]
