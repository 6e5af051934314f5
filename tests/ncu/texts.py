"""Small files as Nsight Compute writes them, put together by the tests: pages, and rows of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from perftrack.core.launches.launch import Counter
from perftrack.ncu.raw import RawLaunch, Reading
from perftrack.ncu.read import read

DATA = Path(__file__).parents[1] / "data" / "h200" / "ncu"
SPEED, MEMORY, SELECTION = (
    "GPU Speed Of Light Throughput",
    "Memory Workload Analysis",
    "Command line profiler metrics",
)
LAUNCH = (
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
    "Device", "CC",
)  # fmt: skip
METRIC = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")
RULE = ("Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup")
SUMMARY = (
    "Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size", "Device", "CC",
    "Invocations", "Section Name", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average",
)  # fmt: skip
PUSHED = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
DURATION = "gpu__time_duration.sum"
READ = "dram__bytes_read.sum"


def row(cells: Iterable[object], *, end: str = "\n") -> str:
    """A record with all cells in quotes."""
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells) + end


def plain(cells: Iterable[object]) -> str:
    """A record with quotes where they are needed, as the viewer exports it."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def launch(number: int | str = 0, *, process: int | str = 480, kernel: str = "copy(float *)") -> tuple[str, ...]:
    """The cells that say which launch a row is of, under `LAUNCH`."""
    shape = "(256, 1, 1)", "(64, 1, 1)"
    return (str(number), str(process), "app", "127.0.0.1", kernel, "1", "7", *shape, "0", "9.0")


Metric = tuple[str, str, str]  # name, unit, value


def selection(launches: Sequence[Sequence[Metric]], **where: object) -> str:
    """The page of a metric selection: launch i has the i-th list of metrics."""
    rows = [
        row((*launch(i, **where), SELECTION, *metric))  # type: ignore[arg-type]
        for i, metrics in enumerate(launches)
        for metric in metrics
    ]
    return row((*LAUNCH, *METRIC)) + "".join(rows)


def details(launches: Sequence[Sequence[tuple[str, str, str, str]]], **where: object) -> str:
    """The details page: (section, label, unit, value) of each metric; rows have fewer cells than titles."""
    rows = [
        row((*launch(i, **where), *metric), end=",\n")  # type: ignore[arg-type]
        for i, metrics in enumerate(launches)
        for metric in metrics
    ]
    return row((*LAUNCH, *METRIC, *RULE)) + "".join(rows)


def remark(number: int = 0, text: str = "This workload is fine.", section: str = "SpeedOfLight") -> str:
    """A row of a rule: no metric, and more cells than others."""
    return row((*launch(number), section, "", "", "", "SOLBottleneck", "INF", text, "", ""))


def raw(metrics: Sequence[tuple[str, str]], values: Sequence[Sequence[object]], **where: object) -> str:
    """The raw page: titles, units, one row per launch."""
    titles = row((*LAUNCH, *(name for name, _ in metrics)))
    units = row((*("" for _ in LAUNCH), *(unit for _, unit in metrics)))
    return titles + units + "".join(row((*launch(i, **where), *cells)) for i, cells in enumerate(values))  # type: ignore[arg-type]


def per_kernel(
    rows: Sequence[tuple[str, str, str, str, str, str]], *, kernel: str = "copy(float *)", count: str = "3"
) -> str:
    """The summary per kernel: (section, metric, unit, minimum, maximum, average)."""
    head = ("480", "app", "127.0.0.1", kernel, "(256, 1, 1)", "(64, 1, 1)", "0", "9.0", count)
    return row(SUMMARY) + "".join(row((*head, *cells)) for cells in rows)


VIEWER = (
    "Time", "API Call ID", "Function Name", "Mangled Name", "Demangled Name", "Original Demangled Name", "Process",
    "Device Name", "Grid Size", "Block Size [block]", "Result Type",
)  # fmt: skip


def viewed(number: int = 0) -> tuple[str, ...]:
    """One launch under `VIEWER`, as the viewer prints it."""
    return (
        "2026-Mar-08 23:38:37", str(600 + number), "copy", "_Z4copyPfS_", "copy(float..", "copy(float *, float *)",
        "[480] C:\\apps\\app.exe", "NVIDIA Example GPU", "   64,    2,    1", "  256,    1,    1", "Kernel: SIMT",
    )  # fmt: skip


def transposed(metrics: Sequence[tuple[str, Sequence[str]]], launches: int = 1) -> str:
    """The viewer's export with rows and columns exchanged: (title with unit, a value per launch)."""
    head = [plain(["ID", *map(str, range(launches))])]
    head += [plain([title, *(viewed(i)[at] for i in range(launches))]) for at, title in enumerate(VIEWER)]
    return "".join(head) + "".join(plain([title, *values]) for title, values in metrics)


def viewer(metrics: Sequence[str], values: Sequence[Sequence[str]]) -> str:
    """The viewer's export with one row per launch; units in the titles, no row of their own."""
    rows = [plain([str(i), *viewed(i), *cells]) for i, cells in enumerate(values)]
    return plain(["ID", *VIEWER, *metrics]) + "".join(rows)


def reading(text: str | bytes, name: str = "it.csv") -> Reading:
    return read(io.BytesIO(text.encode() if isinstance(text, str) else text), name)


def only(text: str | bytes) -> RawLaunch:
    (one,) = reading(text).launches
    return one


def value(of: RawLaunch, name: str, section: str | None = None) -> float | str | None:
    """The value of the one counter of that name (in that section); None where there is none."""
    found = [c for c in of.by_name().named(name) if section is None or c.section == section]
    assert len(found) <= 1, found
    return found[0].value if found else None


def everything(of: Reading) -> dict[tuple[str, str, str, str], Counter]:
    """All counters of all launches, by process, id, section and name."""
    return {(one.process, one.id, c.section, c.name): c for one in of.launches for c in one.counters}
