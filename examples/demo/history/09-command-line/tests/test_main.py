import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from textkit.__main__ import main


class MainTest(unittest.TestCase):
    def test_prints_words_and_reading_ease(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            path = Path(folder, "text.txt")
            path.write_text("The cat saw the other cat. It ran.", encoding="utf-8")
            main([str(path), "-k", "1"])
        self.assertEqual(out.getvalue().splitlines()[0], "     2 cat")
        self.assertIn("reading ease", out.getvalue())


if __name__ == "__main__":
    unittest.main()
