import unittest

from textkit import count_ngrams, edit_distance, top_words, words


class WordsTest(unittest.TestCase):
    def test_lower_case_without_punctuation(self):
        self.assertEqual(words("Hello, wide World!"), ["hello", "wide", "world"])

    def test_letters_of_any_script(self):
        self.assertEqual(words("Žluťoučký kůň, 7 šípů"), ["žluťoučký", "kůň", "šípů"])


class NgramsTest(unittest.TestCase):
    def test_pairs(self):
        self.assertEqual(count_ngrams("abab", 2), {("a", "b"): 2, ("b", "a"): 1})

    def test_n_must_be_positive(self):
        with self.assertRaises(ValueError):
            count_ngrams("abc", 0)


class TopWordsTest(unittest.TestCase):
    def test_most_frequent_first_without_stop_words(self):
        tokens = words("The dog and the cat and the dog")
        self.assertEqual(top_words(tokens, 2), [("dog", 2), ("cat", 1)])

    def test_ties_are_alphabetical(self):
        self.assertEqual(top_words(["pear", "apple"], 1), [("apple", 1)])


class EditDistanceTest(unittest.TestCase):
    def test_known_distances(self):
        self.assertEqual(edit_distance("kitten", "sitting"), 3)
        self.assertEqual(edit_distance("", "abc"), 3)
        self.assertEqual(edit_distance("same", "same"), 0)
