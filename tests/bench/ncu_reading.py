"""How fast profiles are read and summarised, beside another parser of the same pages, and in how much memory.

python -m tests.bench.ncu_reading DOCUMENT [--mb 50] [--rounds 3] [--vary]

DOCUMENT is a text that has the other parser in it as the added lines of a diff: the hunk that defines `summarize`.
The recorded pages of the full metric set are repeated to so many megabytes, each launch with an id of its own;
`--vary` gives each repetition other digits, so that no value is read twice. Both sides turn a file into summaries,
each time in a process of its own; the least of the rounds counts. Memory is the peak beyond the program itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "h200" / "ncu"
# File, lines of titles, cells before the first value
PAGES = {"raw": ("small_full.raw.csv", 2, 11), "details": ("small_full.details.csv", 1, 14)}


def other_parser(document: Path) -> str:
    """The module among the hunks of a diff that defines `summarize`."""
    hunks = re.split(r"^@@.*$", document.read_text(), flags=re.MULTILINE)
    for hunk in hunks[1:]:
        added = []
        for line in hunk.lstrip("\n").splitlines():
            if not line.startswith("+"):
                break
            added.append(line[1:])
        if any(line.startswith("def summarize(") for line in added):
            return "\n".join(added) + "\n"
    raise SystemExit(f"{document}: no added lines that define summarize")


def repeated(page: str, size: int, *, vary: bool) -> Iterator[bytes]:
    """The page's rows again and again, with ids that go on, until there are `size` bytes."""
    name, titles, before = PAGES[page]
    lines = (DATA / name).read_bytes().splitlines(keepends=True)
    rows = [line.split(b",", 1) for line in lines[titles:]]
    ids = [int(first.strip(b'"')) for first, _ in rows]
    yield from lines[:titles]
    written, start, rng = 0, 0, random.Random(0)
    while written < size:
        table = digits(rng) if vary else None
        for number, (_, rest) in zip(ids, rows, strict=True):
            row = b'"%d",%s' % (start + number, changed(rest, before - 1, table) if table else rest)
            written += len(row)
            yield row
        start += max(ids) + 1


def digits(rng: random.Random) -> bytes:
    shuffled = bytearray(b"123456789")
    rng.shuffle(shuffled)
    return bytes.maketrans(b"123456789", bytes(shuffled))


def changed(row: bytes, before: int, table: bytes) -> bytes:
    """Other digits in the cells after so many; no zero comes or goes."""
    cells = row.split(b'","', before)
    return b'","'.join([*cells[:-1], cells[-1].translate(table)])


def ours(page: str, path: Path) -> int:
    from perftrack.ncu.merging import summarise_launches
    from perftrack.ncu.read import read

    return len(summarise_launches([read(path)]))


def theirs(page: str, path: Path, module: Path) -> int:
    spec = importlib.util.spec_from_file_location("other", module)
    assert spec is not None and spec.loader is not None
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    text = path.read_text()
    return len(other.summarize(text, "") if page == "raw" else other.summarize("", text))


def child(side: str, page: str, path: Path, module: Path) -> None:
    """One side once, in this process: what it took, as JSON."""
    if side == "ours":
        import numpy  # noqa: F401 - part of the loaded program

        import perftrack.ncu.merging
        import perftrack.ncu.read  # noqa: F401
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    launches = ours(page, path) if side == "ours" else theirs(page, path, module)
    taken = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu, "launches": launches}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps(taken | {"peak_mb": peak * 1024 / 1e6}))


def measured(side: str, page: str, path: Path, module: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.ncu_reading", "--child", side, page, str(path), str(module)]
    out = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return dict(json.loads(out))


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        side, page, path, module = sys.argv[2:]
        child(side, page, Path(path), Path(module))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=Path)
    parser.add_argument("--mb", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--vary", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "other.py"
        module.write_text(other_parser(options.document))
        totals = {"ours": 0.0, "theirs": 0.0}
        for page in PAGES:
            path = Path(folder) / f"{page}.csv"
            with path.open("wb") as out:
                out.writelines(repeated(page, int(options.mb * 1e6), vary=options.vary))
            size = path.stat().st_size / 1e6
            rounds = [{side: measured(side, page, path, module) for side in totals} for _ in range(options.rounds)]
            for side in totals:
                best = min(one[side]["cpu_s"] for one in rounds)
                totals[side] += best
                peak = max(one[side]["peak_mb"] for one in rounds)
                launches = rounds[0][side]["launches"]
                print(
                    f"{page:<8}{side:<7}{best:6.2f} s {size / best:7.1f} MB/s {peak / size:5.1f} x the file "
                    f"({launches:.0f} launches of {size:.0f} MB)"
                )
            ratios = [one["theirs"]["cpu_s"] / one["ours"]["cpu_s"] for one in rounds]
            print(f"{page:<8}{min(ratios):.1f} to {max(ratios):.1f} times as fast, round by round")
    print(f"both    {totals['theirs'] / totals['ours']:.1f} times as fast")


if __name__ == "__main__":
    main()
