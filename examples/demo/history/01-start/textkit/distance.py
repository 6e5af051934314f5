"""How far apart two spellings are."""


def edit_distance(a, b):
    """The least number of insertions, deletions and substitutions that turn `a` into `b` (Levenshtein)."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                table[i][j] = i + j
            else:
                table[i][j] = min(
                    table[i - 1][j] + 1,
                    table[i][j - 1] + 1,
                    table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                )
    return table[len(a)][len(b)]
