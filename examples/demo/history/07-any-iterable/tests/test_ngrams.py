import unittest

from textkit import count_ngrams


class EdgesTest(unittest.TestCase):
    def test_a_text_shorter_than_n_has_none(self):
        self.assertEqual(count_ngrams(["one", "two"], 3), {})

    def test_a_text_of_length_n_has_one(self):
        self.assertEqual(count_ngrams(["one", "two"], 2), {("one", "two"): 1})

    def test_an_empty_text_has_none(self):
        self.assertEqual(count_ngrams([], 1), {})


class IterableTest(unittest.TestCase):
    def test_a_generator_will_do(self):
        self.assertEqual(count_ngrams((c for c in "aab"), 2), {("a", "a"): 1, ("a", "b"): 1})


if __name__ == "__main__":
    unittest.main()
