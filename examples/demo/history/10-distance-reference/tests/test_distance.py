import itertools
import unittest
from functools import cache

from textkit import edit_distance


@cache
def reference(a, b):
    """The definition, word for word, and slow."""
    if not a or not b:
        return len(a) + len(b)
    return min(
        reference(a[1:], b) + 1,
        reference(a, b[1:]) + 1,
        reference(a[1:], b[1:]) + (a[0] != b[0]),
    )


class ReferenceTest(unittest.TestCase):
    def test_all_short_strings(self):
        strings = ["".join(s) for n in range(4) for s in itertools.product("ab", repeat=n)]
        for a, b in itertools.product(strings, repeat=2):
            self.assertEqual(edit_distance(a, b), reference(a, b), (a, b))

    def test_is_symmetric(self):
        self.assertEqual(edit_distance("sunday", "saturday"), edit_distance("saturday", "sunday"))


if __name__ == "__main__":
    unittest.main()
