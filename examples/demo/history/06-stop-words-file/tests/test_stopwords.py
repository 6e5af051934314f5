import tempfile
import unittest
from pathlib import Path

from textkit import top_words
from textkit.stopwords import STOP_WORDS, load_stop_words


class StopWordsTest(unittest.TestCase):
    def test_comments_and_blank_lines_are_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "words.txt")
            path.write_text("# comment\n\nfoo\n bar \n", encoding="utf-8")
            self.assertEqual(load_stop_words(path), ["foo", "bar"])

    def test_the_packaged_list_is_there(self):
        self.assertIn("the", STOP_WORDS)

    def test_another_list_can_be_given(self):
        self.assertEqual(top_words(["the", "cat", "cat"], 1, stop_words=["cat"]), [("the", 1)])


if __name__ == "__main__":
    unittest.main()
