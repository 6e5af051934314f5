"""python -m textkit FILE: the ten words that say most about a file."""

import argparse
from pathlib import Path

from textkit import reading_ease, top_words, words


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="textkit", description="What a text file is about.")
    parser.add_argument("file", type=Path)
    parser.add_argument("-k", type=int, default=10, help="how many words (default: 10)")
    options = parser.parse_args(arguments)
    text = options.file.read_text(encoding="utf-8")
    for word, count in top_words(words(text), options.k):
        print(f"{count:6} {word}")
    ease = reading_ease(text)
    if ease is not None:
        print(f"reading ease {ease:.0f}")


if __name__ == "__main__":
    main()
