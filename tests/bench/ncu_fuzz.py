"""Feeds the reader of Nsight Compute text with damaged files, for a while, and counts what came of them.

python -m tests.bench.ncu_fuzz SECONDS [--seed N] [--keep FOLDER]

Every input ends in a reading, which can be summarised and has a number in it, or in a ProfileError that names file
and line. Files whose lines were only cut, moved, doubled or mixed with output give values of the whole file or are
refused. Anything else is kept and printed, with exit status 1.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import sys
import time
import traceback
from collections import Counter as Tally
from collections.abc import Callable
from pathlib import Path

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.raw import Reading
from perftrack.ncu.read import read
from tests.ncu import texts

NAME = "fuzzed.csv"
SLOW_S = 5.0
NAMED = re.compile(rf"{re.escape(NAME)}:\d+: .", re.DOTALL)
MOST_FAILURES = 20
NOISE = (
    b"", b"==PROF== Disconnected from process 480", b"==WARNING== Note: something", b"tensor([[ 1.0000, 2.5000],",
    b"        [ 3.0000, 4.0000]], device='cuda:0')", b"Traceback (most recent call last):",
    b'  File "a.py", line 3, in f', b"epoch 1, loss 0,25", b'"quoted output"', b"1,2,3", b'{"a": 1}', b"\xff\xfe",
    b'"', b"100%|####| 5/5 [00:01]", b'"0","480"', b"ID,0", b'"a","b","c"', b"\r 10%\r 20%",
)  # fmt: skip
TOKENS = (
    b'"', b",", b"\n", b"\r\n", b";", b"\0", b".", b"1,234", b"1.234", b"nan", b"n/a", b"(!) nan", b'""',
    b"6,665 (33; 33)", b"4,096 {20}", b"Gbyte/s", b"usecond", b"Metric Name", b'"ID",', b"\xef\xbb\xbf",
    b"9" * 500, b"(" * 300, b"-", b"e308", b"\xc2\xa0", b"[us]", b"==ERROR== LaunchFailed\n",
)  # fmt: skip

Key = tuple[str, str, str, str]  # process, id, section, name
Values = dict[Key, Counter]
Change = Callable[[bytes, random.Random], bytes]


def seeds() -> list[bytes]:
    """Whole files of every kind, small enough that thousands a minute can be read."""
    metrics = (texts.DURATION, "us"), (texts.READ, "Mbyte"), ("launch__waves", "")
    cells = ("124.54", "268.44", "1,234,567"), ("9.50", "n/a", "12"), ("1", "2", "3")
    chosen = texts.selection([[(*m, v) for m, v in zip(metrics, row, strict=True)] for row in cells])
    raw = texts.raw(metrics, cells)
    speed, memory = (texts.SPEED, "Duration", "us", "1.50"), (texts.MEMORY, "Memory Throughput", "Gbyte/s", "7.25")
    details = texts.details([[speed, memory], [memory], [speed]]) + texts.remark()
    written = [
        chosen,
        raw,
        details,
        raw + chosen,
        texts.per_kernel([(*speed[:3], "1.50", "3.50", "2.25"), ("", texts.READ, "byte", "1", "9", "5")]),
        texts.transposed(
            [(f"{texts.DURATION} [ms]", ["3.66", "4.75"]), ("a__b [inst]", ["68,38,625", "{20}"])], 2
        ),
        texts.viewer([f"{texts.DURATION} [usecond]", "a__b"], [["117.344,06", "56,06"], ["1.024,50", "7"]]),
    ]
    recorded = [(texts.DATA / name).read_bytes() for name in ("live_metrics.csv", "no_kernels.csv")]
    lines = (texts.DATA / "small_basic.details.csv").read_bytes().splitlines(keepends=True)
    recorded.append(b"".join(lines[:60] + lines[60:110:3]))
    wide = [line.split(b'","')[:70] for line in (texts.DATA / "small_basic.raw.csv").read_bytes().splitlines()]
    recorded.append(b"".join(b'","'.join(cells).rstrip(b'"') + b'"\n' for cells in wide))
    return [text.encode() for text in written] + recorded + [details.encode("utf-16")]


def lines_of(data: bytes) -> list[bytes]:
    return [line if line.endswith(b"\n") else line + b"\n" for line in data.splitlines(keepends=True)] or [b"\n"]


# Changes that lose nothing but lines, and add nothing but output: values stay, or the file is refused.
def nothing(data: bytes, rng: random.Random) -> bytes:
    return data


def shuffle(data: bytes, rng: random.Random) -> bytes:
    lines = lines_of(data)
    rng.shuffle(lines)
    return b"".join(lines)


def double(data: bytes, rng: random.Random) -> bytes:
    """One of the first lines, where titles and units are, once more somewhere."""
    lines = lines_of(data)
    lines.insert(rng.randrange(len(lines) + 1), lines[rng.randrange(min(3, len(lines)))])
    return b"".join(lines)


def repeat(data: bytes, rng: random.Random) -> bytes:
    return b"".join(lines_of(data)) + data


def noise(data: bytes, rng: random.Random) -> bytes:
    lines = lines_of(data)
    for _ in range(rng.randrange(1, 6)):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(NOISE) + b"\n")
    return b"".join(lines)


def drop(data: bytes, rng: random.Random) -> bytes:
    lines = lines_of(data)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def behead(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


# Changes after which any value may be another one.
def flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data or b"x")
    for _ in range(rng.randrange(1, 8)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def token(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(TOKENS) + data[at + rng.randrange(3) :]
    return data


def splice(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[a:b] + data[at:]


def garbage(data: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(200))


def recode(data: bytes, rng: random.Random) -> bytes:
    return data.decode("latin-1").encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32")))


def marks(data: bytes, rng: random.Random) -> bytes:
    return data.translate(bytes.maketrans(b",.", b".,") if rng.random() < 0.5 else bytes.maketrans(b",", b";"))


HARMLESS: tuple[Change, ...] = (nothing, shuffle, double, repeat, noise, drop)
ENDS: tuple[Change, ...] = (nothing, cut, behead)
HARMFUL: tuple[Change, ...] = (flip, token, splice, garbage, recode, marks)


def problem(data: bytes, allowed: Values | None) -> tuple[str, str]:
    """What came of the input, and what is wrong with that: empty if nothing is."""
    begin = time.perf_counter()
    try:
        found = read(io.BytesIO(data), NAME)
        have = texts.everything(found)
        summarise_launches([found])
    except ProfileError as error:
        is_named = NAMED.match(error.message) is not None and bool(error.hint)
        return "refused", "" if is_named else f"names no line, or has no hint: {error.message} ({error.hint})"
    except Exception:  # noqa: BLE001 - what it looks for
        return "crashed", traceback.format_exc()
    taken = time.perf_counter() - begin
    if taken > SLOW_S:
        return "read", f"took {taken:.1f} s"
    return "read", flaw(found, have, allowed)


def flaw(found: Reading, have: Values, allowed: Values | None) -> str:
    if not any(isinstance(counter.value, float) for counter in have.values()):
        return "no number in the reading"
    if allowed is None or any("last value may be cut off" in warning for warning in found.warnings):
        return ""
    wrong = next((key for key, counter in have.items() if not is_value(key, counter, allowed)), None)
    return "" if wrong is None else f"{wrong}: {have[wrong]}, not {allowed.get(wrong)}"


def is_value(key: Key, counter: Counter, allowed: Values) -> bool:
    """Whether the whole file has this value: in the same launch; where that lost its rows of identity, in any."""
    same = [c for (_, _, _, name), c in allowed.items() if name == key[3]]
    if not same:
        return True  # output among the rows of a transposed table has become one
    is_known = key[:2] in {other[:2] for other in allowed}
    return allowed.get(key) == counter if is_known else counter in same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("ncu-fuzz"))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    whole: list[tuple[bytes, Values]] = []
    for data in seeds():
        try:
            whole.append((data, texts.everything(read(io.BytesIO(data), NAME))))
        except ProfileError:
            whole.append((data, {}))
    outcomes: Tally[str] = Tally()
    failures = 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and failures < MOST_FAILURES:
        data, known = rng.choice(whole)
        changes = [*(rng.choice(HARMLESS) for _ in range(rng.randrange(3))), rng.choice(ENDS)]
        is_harmless = rng.random() < 0.5
        if not is_harmless:
            changes += [rng.choice(HARMFUL) for _ in range(rng.randrange(1, 3))]
        for change in changes:
            data = change(data, rng)
        outcome, wrong = problem(data, known if is_harmless else None)
        outcomes[outcome] += 1
        if wrong:
            failures += 1
            options.keep.mkdir(parents=True, exist_ok=True)
            kept = options.keep / f"{options.seed}-{outcomes.total()}.csv"
            kept.write_bytes(data)
            print(f"{kept} ({', '.join(change.__name__ for change in changes)}): {wrong}", flush=True)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    print(f"{outcomes.total()} inputs: {counts}; {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
