"""On a CUDA device: the ceilings that the search finds, and whether they repeat.

    python -m tests.bench.ceiling_h200 auto     [--dtype bfloat16] [--budget 460] [--out FILE]
    python -m tests.bench.ceiling_h200 repeat   [--from FILE] [--times 3] [--budget 100]
    python -m tests.bench.ceiling_h200 bandwidth
    python -m tests.bench.ceiling_h200 readings

auto: the automatic search, its headlines beside those that the finder's author published. repeat: the headline
shapes of FILE (or the published ones) again, each time in a fresh process: how far apart do they lie? readings:
what telemetry costs. A grid to judge the search by is recorded with ceiling_search.py.
Needs torch, numpy and scipy; changes no setting of the card.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from perftrack.app.rigopen import OpenRig, open_readings, open_torch
from perftrack.ceiling.bandwidth import Cache, measure_bandwidth
from perftrack.ceiling.protocols import Burst, Phase, SilentProgress
from perftrack.ceiling.search import search
from perftrack.ceiling.tuning import Tuning, parse_tuning
from perftrack.core.ceiling import CeilingReport, CeilingResult, DataType, Definition, Shape
from perftrack.core.model import Reason
from perftrack.core.units import format_interval, format_value

# Of an H200 by the finder's author: flop/s, and the shape where one was given. Over the eight cards of a node the
# sustainable bfloat16 rate was 745e12 to 765e12.
Published = dict[str, tuple[float, str]]
PUBLISHED: dict[DataType, Published] = {
    DataType.BFLOAT16: {"mamf": (850e12, "1536x2816x40960"), "msmf": (755e12, "1536x2816x6144")},
    DataType.FLOAT8_E4M3FN: {"mamf": (1525e12, ""), "msmf": (1354e12, "")},
}
# Large in every dimension: it saturates whatever the headline shapes do, and tells what clock that leaves.
ANCHOR = Shape(8192, 8192, 8192)
HEADLINES = (Definition.MAMF, Definition.MAMF_PEAK, Definition.MSMF, Definition.MSMF_STEADY)


class Lines(SilentProgress):
    """A line a phase with its time, and one for the best so far."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.best: dict[Phase, tuple[float, Shape]] = {}

    def phase(self, phase: Phase, total: int | None) -> None:
        print(
            f"{time.perf_counter() - self.started:7.1f} s  {phase.value}" + (f" ({total})" if total else ""),
            flush=True,
        )

    def measured(self, phase: Phase, burst: Burst, flops_per_s: float) -> None:
        if flops_per_s > self.best.get(phase, (0.0, burst.shape))[0]:
            self.best[phase] = flops_per_s, burst.shape

    def skipped(self, shape: Shape, why: str) -> None:
        print(f"           {shape} skipped: {why}", flush=True)

    def note(self, reason: Reason) -> None:
        print(f"           {reason.message}", flush=True)


def auto(dtype: DataType, budget_s: float, out: Path | None, tuning: Tuning) -> None:
    """The automatic search, within the budget."""
    opened = open_torch("cuda", 0, dtype)
    describe(opened)
    lines = Lines()
    report = search(opened.rig, tuning=tuning, time_budget_s=budget_s, progress=lines)
    for phase, (rate, shape) in lines.best.items():
        print(f"best of {phase.value}: {format_value(rate, 'flop/s')} at {shape}")
    tell(report, dtype)
    if out is not None:
        out.write_text(json.dumps(asdict(report), indent=1, default=str))
    opened.close()


def repeat(source: Path | None, times: int, budget_s: float, dtype: DataType) -> None:
    """The headline shapes in fresh processes, and the spread of each headline over them."""
    shapes = headline_shapes(source, dtype)
    print(f"{dtype}: {', '.join(shapes)} in {times} fresh processes")
    found: dict[str, list[CeilingLine]] = {}
    command = [sys.executable, "-m", "tests.bench.ceiling_h200", "once", "--dtype", dtype.value]
    command += ["--budget", str(budget_s), "--shapes", *shapes]
    root = Path(__file__).parents[2]
    for number in range(times):
        started = time.perf_counter()
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"process {number + 1} failed:\n{done.stdout}{done.stderr}")
        lines = json.loads(done.stdout.strip().splitlines()[-1])
        for line in lines:
            found.setdefault(line["definition"], []).append(line)
        shown = ", ".join(f"{x['definition']} {x['value'] / 1e12:.1f} at {x['shape']}" for x in lines)
        print(f"  process {number + 1} in {time.perf_counter() - started:.0f} s: {shown}", flush=True)
    print(f"{'definition':<16}{'median':>14}{'spread':>10}{'MHz':>14}{'W':>14}  shapes")
    for definition, rows in found.items():
        values = [r["value"] for r in rows]
        spread = 100 * (max(values) - min(values)) / statistics.median(values)
        clocks, powers = span([r["clock_mhz"] for r in rows]), span([r["power_w"] for r in rows])
        names = " ".join(dict.fromkeys(r["shape"] for r in rows))
        middle = statistics.median(values) / 1e12
        print(f"{definition:<16}{middle:>10.1f} T/s{spread:>8.2f} %{clocks:>14}{powers:>14}  {names}")


CeilingLine = dict[str, object]


def once(shapes: list[str], budget_s: float, dtype: DataType, tuning: Tuning) -> None:
    """One process of `repeat`: its last line is JSON."""
    opened = open_torch("cuda", 0, dtype)
    chosen = (*map(shape_of, shapes), ANCHOR)
    report = search(opened.rig, chosen, tuning=tuning, time_budget_s=budget_s)
    opened.close()
    rows = [line_of(r) for d in HEADLINES if (r := report.of(d)) is not None]
    for warning in report.warnings:
        print(f"{warning.code}: {warning.message}")
    print(json.dumps(rows))


def bandwidth() -> None:
    """Copy and triad of memory and L2."""
    opened = open_torch("cuda", 0, DataType.BFLOAT16)
    describe(opened)
    started = time.perf_counter()
    cache = Cache(opened.rig.facts.l2_bytes, opened.rig.facts.memory_bytes)
    found = measure_bandwidth(opened, cache, Tuning().protocol, lambda r: print(row(r), flush=True))
    for definition, why in found.missing:
        print(f"{definition} is missing: {why}")
    print(f"in {time.perf_counter() - started:.1f} s")
    opened.close()


def readings() -> None:
    """What a reading of clock and power costs, and how often power changes under load."""
    import torch

    opened = open_torch("cuda", 0, DataType.BFLOAT16)
    gauge = open_readings("cuda", 0)
    assert gauge is not None
    asked: tuple[tuple[str, Callable[[], object]], ...] = (
        ("clock", gauge.clock_mhz),
        ("power", gauge.power_w),
        ("event reasons", gauge.event_reasons),
        ("temperature", gauge.temperature_c),
        ("idle siblings", gauge.idle_siblings),
    )
    for name, read in asked:
        took = []
        for _ in range(200):
            started = time.perf_counter()
            value = read()
            took.append(time.perf_counter() - started)
        print(f"{name:<14}{1e6 * statistics.median(took):>9.1f} µs   {value}")
    print(f"rated {gauge.rated_clock_mhz()} MHz, power limit {opened.rig.facts.power_limit_w} W")
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    for _ in range(400):
        a @ a
    seen, started = [], time.perf_counter()
    while time.perf_counter() - started < 0.5:
        seen.append((gauge.power_w(), gauge.clock_mhz()))
        time.sleep(0.001)
    torch.cuda.synchronize()
    for name, values in zip(("power", "clock"), zip(*seen, strict=True), strict=True):
        changes = sum(x != y for x, y in pairwise(values))
        read_ones = [v for v in values if v is not None]
        print(f"{name} under load: {min(read_ones):.0f} to {max(read_ones):.0f}, changed {changes} times in 0.5 s")
    opened.close()


def describe(opened: OpenRig) -> None:
    facts, where = opened.rig.facts, opened.fingerprint
    memory, cache = (facts.memory_bytes or 0) / 2**30, (facts.l2_bytes or 0) / 2**20
    print(
        f"{facts.product}: {facts.unit_count} units, {memory:.0f} GiB free, L2 {cache:.0f} MiB, "
        f"{facts.power_limit_w} W, {facts.max_clock_mhz} MHz, {facts.telemetry or 'no telemetry'}; "
        f"torch {where.torch_version}, driver {where.driver_version}, cuBLAS {where.cublas_version}",
        flush=True,
    )


def tell(report: CeilingReport, dtype: DataType) -> None:
    print(f"\n{report.ending}: {report.shapes} shapes, {report.bursts} bursts in {report.duration_s:.1f} s")
    for result in report.results:
        print(row(result))
    for check in report.crosscheck:
        boost, held = check.boost, check.saturated
        roles = "+".join(r.value for r in check.roles)
        print(
            f"cross-check {check.shape} ({roles}): "
            f"boost {boost and f'{boost.value / 1e12:.1f} at {boost.clock_mhz} MHz {boost.power_w} W'}, "
            f"saturated {held and f'{held.value / 1e12:.1f} at {held.clock_mhz} MHz {held.power_w} W'}"
        )
    for warning in (*report.warnings, *(w for r in report.results for w in r.warnings)):
        print(f"{warning.code}: {warning.message}")
    known = PUBLISHED.get(dtype)
    for definition, name in ((Definition.MAMF, "mamf"), (Definition.MSMF, "msmf")):
        result = report.of(definition)
        if known is not None and result is not None:
            value, shape = known[name]
            off = 100 * (result.value / value - 1)
            print(f"{name}: {off:+.1f} % of the published {value / 1e12:.0f} {shape}".rstrip())


def row(result: CeilingResult) -> str:
    marks = [m for m, on in (("partial", result.partial), ("unvalidated", not result.validated)) if on]
    return (
        f"{result.definition:<14}{format_interval(result.value, result.definition.unit, result.interval):>30}"
        f"  {result.shape or ''!s:<20}{result.clock_mhz or 0:>6.0f} MHz{result.power_w or 0:>6.0f} W"
        f"{result.temperature_c or 0:>5.0f} °C  {' '.join(marks)}"
    )


def line_of(result: CeilingResult) -> CeilingLine:
    return {
        "definition": result.definition.value,
        "value": result.value,
        "shape": str(result.shape),
        "clock_mhz": result.clock_mhz,
        "power_w": result.power_w,
        "validated": result.validated,
    }


def headline_shapes(source: Path | None, dtype: DataType) -> list[str]:
    """The shapes of the headlines in a report that `auto` wrote, else the published ones."""
    if source is None:
        known = PUBLISHED[dtype]
        return [shape for _, shape in known.values() if shape]
    results = json.loads(source.read_text())["results"]
    shapes = [r["shape"] for r in results if r["definition"] in {d.value for d in HEADLINES}]
    return list(dict.fromkeys(f"{s['m']}x{s['n']}x{s['k']}" for s in shapes))


def shape_of(text: str) -> Shape:
    m, n, k = map(int, text.split("x"))
    return Shape(m, n, k)


def span(values: list[object]) -> str:
    numbers = [float(str(v)) for v in values if v is not None]
    return f"{min(numbers):.0f} to {max(numbers):.0f}" if numbers else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["auto", "repeat", "once", "bandwidth", "readings"])
    parser.add_argument("--dtype", type=DataType, default=DataType.BFLOAT16)
    parser.add_argument("--budget", type=float, help="seconds")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--from", dest="source", type=Path)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--shapes", nargs="*", default=[])
    parser.add_argument("--tune", action="append", default=[])
    options = parser.parse_args()
    tuning = parse_tuning(options.tune)
    if options.what == "auto":
        auto(options.dtype, options.budget or 460.0, options.out, tuning)
    elif options.what == "repeat":
        repeat(options.source, options.times, options.budget or 100.0, options.dtype)
    elif options.what == "once":
        once(options.shapes, options.budget or 100.0, options.dtype, tuning)
    elif options.what == "bandwidth":
        bandwidth()
    else:
        readings()


if __name__ == "__main__":
    main()
