"""Words that say little about a text, kept in stop_words.txt beside this file."""

from pathlib import Path

FILE = Path(__file__).with_name("stop_words.txt")


def load_stop_words(path=FILE):
    """The words of a stop word file: one a line, # starts a comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


STOP_WORDS = load_stop_words()
