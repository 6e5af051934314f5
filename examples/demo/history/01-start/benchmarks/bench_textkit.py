"""What users of textkit wait for, on text made from a fixed seed."""

import random
from pathlib import Path

import perftrack as pt
import textkit

ROOT = Path(textkit.__file__).parent


def vocabulary(rng, size):
    letters = "aeiouybcdfghklmnprstvw"
    return ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(size)]


def sentence_words(count):
    """`count` words of a made-up language: a third are stop words, the rest follow Zipf's law."""
    rng = random.Random(1)
    rare = vocabulary(rng, 500)
    common = ["the", "of", "and", "with", "would", "your"]
    weights = [1 / rank for rank in range(1, len(rare) + 1)]
    drawn = rng.choices(rare, weights, k=count)
    return [rng.choice(common) if rng.random() < 1 / 3 else word for word in drawn]


@pt.benchmark(params={"count": [1000]}, tags=["tokens"])
def words(count):
    text = " ".join(word.title() + "," for word in sentence_words(count))
    return lambda: textkit.words(text)


@pt.benchmark(params={"n": [1, 3]}, tags=["ngrams"])
def count_ngrams(n):
    tokens = sentence_words(1000)
    return lambda: textkit.count_ngrams(tokens, n)


@pt.benchmark(params={"count": [1000]}, tags=["ranking"])
def top_words(count):
    tokens = sentence_words(count)
    return lambda: textkit.top_words(tokens, 10)


@pt.benchmark(params={"length": [40]}, tags=["distance"])
def edit_distance(length):
    rng = random.Random(2)
    a = "".join(rng.choices("abcdefgh ", k=length))
    b = "".join(char for char in a if rng.random() < 0.9)  # a tenth of the letters lost
    return lambda: textkit.edit_distance(a, b)


@pt.metric(unit="B", direction="lower", threshold=0.25, tags=["size"])
def source_size():
    return sum(len(path.read_bytes()) for path in ROOT.glob("*.py"))
