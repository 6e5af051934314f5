import unittest

from textkit import reading_ease
from textkit.readability import syllables


class SyllablesTest(unittest.TestCase):
    def test_counts_vowel_groups(self):
        self.assertEqual([syllables(w) for w in ("cat", "table", "readable", "make", "rhythm")], [1, 2, 3, 1, 1])


class ReadingEaseTest(unittest.TestCase):
    def test_short_words_are_easier(self):
        easy, hard = "The cat sat. The dog ran.", "Considerable complications characterise organisations."
        self.assertGreater(reading_ease(easy), reading_ease(hard))

    def test_no_words_no_score(self):
        self.assertIsNone(reading_ease("12 34 ..."))


if __name__ == "__main__":
    unittest.main()
