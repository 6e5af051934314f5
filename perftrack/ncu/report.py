"""Reports of Nsight Compute (.ncu-rep, .ncu-repz), with NVIDIA's `ncu-report` package.

Values are read from the file itself, which is five times as fast as the package and notices damage: the package
has no launches for bytes that are no report, and launches without names or metrics for a file that was cut off,
without a word. It tells the unit of each metric, and is asked for the first and last launch whether it reads the
same; where it does not, the file is refused. Reports of ranges and graphs, and of later formats, are read through
the package alone.

A .ncu-repz is a .ncu-rep as one zstd stream. The package tells the two by the name alone, this by the content.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu import package, zstd
from perftrack.ncu.container import AGAIN, KNOWN_VERSION, Container, read_container
from perftrack.ncu.names import CAPABILITY, stored_unit
from perftrack.ncu.package import Package
from perftrack.ncu.raw import Counters, FileKind, RawLaunch, Reading
from perftrack.ncu.session import session_of
from perftrack.ncu.summary import is_needed
from perftrack.ncu.units import Unit, parse_unit


class ReportCounters(Counters):
    """Counters of one launch: values as the file stores them, and units that it shares with other launches."""

    __slots__ = ("_names", "_units", "_values")

    def __init__(
        self, values: Mapping[str, float | str], names: tuple[str, ...], units: Mapping[str, Unit]
    ) -> None:
        self._values, self._names, self._units = values, names, units

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def named(self, name: str) -> tuple[Counter, ...]:
        value = self._values.get(name)
        if value is None or value != value:  # noqa: PLR0124 - not a number: no value
            return ()
        unit = self._units[name]
        return (Counter(name, value if isinstance(value, str) else unit.to_base(value), unit.base),)

    def __iter__(self) -> Iterator[Counter]:
        for name in self._names:
            yield from self.named(name)


def read_report(source: str | Path | bytes, name: str, *, everything: bool = False) -> Reading:
    """The launches of a report: a path, or its bytes; `name` is what messages call it.

    Counters are those that summaries are made of, or all with `everything`; values are exact, in base units.
    Raises ProfileError for what is no report, is damaged, holds no launch, or needs a package that is not there.
    """
    package.load()  # first: to say so before work is done
    wanted = (lambda _: True) if everything else is_needed
    container, report = _contained(source, name, wanted)
    if not container.results and not container.others:
        raise ProfileError(
            f"{name}: the report holds no profiled launch", "ncu's own output says why: profile again"
        )
    with package.opened(report, name) as opened:
        if container.others or container.version > KNOWN_VERSION:
            found = [_through_package(opened, number, wanted) for number in range(len(opened))]
        elif len(opened) != len(container.results):
            raise _differs(name, f"{len(opened)} launches, not {len(container.results)}")
        else:
            found = _launches(container, _units(container, opened, name))
    launches = tuple(launch for launch, held in found if held)
    if not launches:
        raise ProfileError(f"{name}: no launch of the report has a metric", AGAIN)
    session = session_of(container)
    failed = (f"launch {c.id} ({c.kernel}) has no metrics: profiling it failed" for c, held in found if not held)
    return Reading(
        FileKind.REPORT,
        name,
        launches,
        session.ncu_version,
        session.clock_control,
        session.cache_control,
        session.collection,
        (*session.warnings, *failed),
    )


def _contained(
    source: str | Path | bytes, name: str, wanted: Callable[[str], bool]
) -> tuple[Container, Path | bytes]:
    """The file as read here, and what the package gets: a path where its name says what it is, else its bytes."""
    if isinstance(source, bytes):
        plain = zstd.decompress(io.BytesIO(source), name) if source.startswith(zstd.MAGIC) else source
        return read_container(io.BytesIO(plain), len(plain), name, wanted), plain
    path = Path(source)
    try:
        with path.open("rb") as stream:
            if stream.read(len(zstd.MAGIC)) == zstd.MAGIC:
                stream.seek(0)
                plain = zstd.decompress(stream, name)
                return read_container(io.BytesIO(plain), len(plain), name, wanted), plain
            size = stream.seek(0, io.SEEK_END)
            stream.seek(0)
            container = read_container(stream, size, name, wanted)
            if path.suffix != ".ncu-repz":
                return container, path
            stream.seek(0)
            return container, stream.read()
    except OSError as error:
        raise ProfileError(f"{name} cannot be read: {error.strerror or error}", "check the path") from error


def _units(container: Container, opened: Package, name: str) -> dict[str, Unit]:
    """The unit of every metric that was read, from the first launch that has it.

    The first and last launch are compared with the package's reading on the way.
    """
    units: dict[str, Unit] = {}
    last = len(container.results) - 1
    for number, result in enumerate(container.results):
        new = [metric for metric in result.values if metric not in units]
        if not new and number not in {0, last}:
            continue
        action = opened.action(number)
        units.update((metric, _unit(opened.unit(action, metric), metric)) for metric in new)
        if number in {0, last}:
            if opened.kernel(action) not in {result.kernel, result.renamed}:
                raise _differs(name, f"launch {number} is {opened.kernel(action)!r}, not {result.kernel!r}")
            for metric, value in result.values.items():
                theirs = opened.value(action, metric)
                if theirs != value and value == value:  # noqa: PLR0124 - not a number: equal to nothing
                    raise _differs(name, f"{metric} of launch {number} is {theirs}, not {value}")
    return units


def _unit(told: str, metric: str) -> Unit:
    """For chips that are newer than it the package knows no units; reports store these all the same."""
    return parse_unit(told or stored_unit(metric))


def _differs(name: str, what: str) -> ProfileError:
    return ProfileError(f"{name}: damaged report: to NVIDIA's reader, {what}", AGAIN)


def _launches(container: Container, units: Mapping[str, Unit]) -> list[tuple[RawLaunch, int]]:
    """Each with the number of metrics that the file has of it."""
    layouts: dict[tuple[str, ...], tuple[str, ...]] = {}
    codes: dict[tuple[str, int, str], str] = {}
    launches = []
    for number, result in enumerate(container.results):
        names = tuple(result.values)
        names = layouts.setdefault(names, names)
        code = result.process, result.source, result.mangled
        if code not in codes:
            codes[code] = container.code_of(result)
        launch = RawLaunch(
            id=str(number),
            kernel=result.renamed or result.kernel,
            grid=result.grid,
            block=result.block,
            nvtx=result.nvtx,
            compute_cap=_capability(result.values),
            counters=ReportCounters(result.values, names, units),
            process=result.process,
            code_hash=codes[code],
        )
        launches.append((launch, result.held))
    return launches


def _capability(values: Mapping[str, float | str]) -> str:
    parts = [values.get(name) for name in CAPABILITY]
    return ".".join(f"{p:.0f}" for p in parts) if all(isinstance(p, float) for p in parts) else ""


def _through_package(opened: Package, number: int, wanted: Callable[[str], bool]) -> tuple[RawLaunch, int]:
    """A launch, range or graph as the package has it, and the number of its metrics."""
    action = opened.action(number)
    kernel = opened.kernel(action)
    held = opened.names(action)
    values = {n: v for n in held if wanted(n) and (v := opened.value(action, n)) is not None}
    if not kernel:
        raise ProfileError(f"{opened.name}: damaged report: launch {number} has no name", AGAIN)
    units = {n: _unit(opened.unit(action, n), n) for n in values}
    launch = RawLaunch(
        id=str(number),
        kernel=kernel,
        nvtx=opened.nvtx(action),
        compute_cap=_capability(values),
        counters=ReportCounters(values, tuple(values), units),
    )
    return launch, len(held)
