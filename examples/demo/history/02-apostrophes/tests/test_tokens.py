import unittest

from textkit import words


class ApostropheTest(unittest.TestCase):
    def test_inside_a_word_it_stays(self):
        self.assertEqual(words("Don't say ’tis o’clock"), ["don't", "say", "tis", "o’clock"])

    def test_at_the_end_it_goes(self):
        self.assertEqual(words("the dogs' bowl"), ["the", "dogs", "bowl"])


if __name__ == "__main__":
    unittest.main()
