"""Measure ceilings: one worker and one search for each device, all devices at once."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence

from perftrack.app.deviceceilings import CeilingOptions, DeviceCeilings, DeviceProgress, Measured, Part
from perftrack.app.remoterig import RemoteRig, find_devices
from perftrack.ceiling.bandwidth import Cache, measure_bandwidth
from perftrack.ceiling.search import search
from perftrack.core.ceiling import CeilingResult, DataType, Ending
from perftrack.errors import DeviceError, PerftrackError, UsageError
from perftrack.suite.launch import Setup
from perftrack.suite.pool import WorkerProcess

_LOOK_S = 0.2


def measure_ceilings(setup: Setup, options: CeilingOptions, progress: Callable[[str], DeviceProgress]) -> Measured:
    """Search each device in a worker of its own. `progress` makes the listener of a device by its name.

    Ctrl-C, or a signal, ends the searches with the best they have, and is returned. Raises DeviceError where there
    is no such device, WorkerError where no worker starts, and the failure of the only device where it has nothing.
    """
    interrupted = threading.Event()
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(WorkerProcess(setup))
        kind, count = find_devices(first, options.kind, interrupted)
        indices = _indices(kind, count, options.devices)
        workers = [first, *(stack.enter_context(WorkerProcess(setup)) for _ in indices[1:])]
        searches = [
            _Search(worker, kind, index, options, progress(f"{kind}:{index}"), interrupted)
            for worker, index in zip(workers, indices, strict=True)
        ]
        ended_by = _wait(searches, interrupted)
    for each in searches:
        if each.error is not None and (len(searches) == 1 or isinstance(each.error, UsageError)):
            raise each.error
    measured = Measured(tuple(s.answer for s in searches if s.answer is not None), ended_by)
    if len(searches) == 1 and ended_by is None:
        (only,) = measured.devices
        if only.failure is not None and not only.parts:
            raise only.failure
    return measured


def _indices(kind: str, count: int, wanted: tuple[int, ...] | None) -> tuple[int, ...]:
    if count == 0:
        raise DeviceError(f"there is no {kind} device", "perftrack doctor tells what torch and the driver see.")
    if wanted is None:
        return tuple(range(count))
    if beyond := [i for i in wanted if i >= count]:
        names = ", ".join(f"{kind}:{i}" for i in beyond)
        raise DeviceError(f"no device {names}: there are {count}", "They are numbered from 0; --devices all.")
    return wanted


def _wait(searches: Sequence[_Search], interrupted: threading.Event) -> BaseException | None:
    """Until all have ended. What interrupts the waiting ends the searches, and is returned.

    Events are waited for, not threads: one whose join was interrupted counts as ended in Python 3.11 and 3.12.
    """
    for each in searches:
        threading.Thread(target=each.run, name=f"perftrack-{each.name}").start()
    try:
        for each in searches:
            while not each.done.wait(_LOOK_S):
                pass
    except BaseException as error:  # noqa: BLE001 - Ctrl-C and signals alike: what was found is not lost
        interrupted.set()
        for each in searches:
            each.worker.kill()
        for each in searches:
            each.done.wait()
        return error
    return None


class _Search:
    """One device, in a thread of its own."""

    def __init__(
        self,
        worker: WorkerProcess,
        kind: str,
        index: int,
        options: CeilingOptions,
        progress: DeviceProgress,
        interrupted: threading.Event,
    ) -> None:
        self.worker = worker
        self.name = f"{kind}:{index}"
        self.answer: DeviceCeilings | None = None
        self.error: BaseException | None = None
        self.done = threading.Event()
        self._kind = kind
        self._index = index
        self._options = options
        self._progress = progress
        self._interrupted = interrupted

    def run(self) -> None:
        try:
            self.answer = self._run()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self.error = error
        finally:
            self.done.set()

    def _run(self) -> DeviceCeilings:
        started = time.monotonic()
        parts: list[Part] = []
        failure: PerftrackError | None = None
        for number, dtype in enumerate(self._options.dtypes):
            left = len(self._options.dtypes) - number
            try:
                part = self._part(dtype, time.monotonic() - started, left, first=number == 0)
            except UsageError:
                raise
            except KeyboardInterrupt:
                break
            except PerftrackError as error:
                failure = failure or error
                if not self.worker.alive:
                    break
                continue
            parts.append(part)
            if part.report is not None and part.report.ending in (Ending.INTERRUPTED, Ending.DEVICE_ERROR):
                break
        return DeviceCeilings(self.name, tuple(parts), failure, time.monotonic() - started)

    def _part(self, dtype: DataType, spent_s: float, left: int, *, first: bool) -> Part:
        """One type's ceilings; bandwidth with the first. `left`: types that share what is left of the time."""
        options = self._options
        began = time.monotonic()
        rig = RemoteRig(
            self.worker,
            self._kind,
            self._index,
            dtype,
            telemetry=options.telemetry,
            policy=options.policy,
            interrupted=self._interrupted,
        )
        self._progress.opened(rig.facts)
        bandwidth = self._bandwidth(rig) if first and options.bandwidth else ()
        report = None
        if options.products:
            budget = options.time_budget_s
            if budget is not None:
                budget = max((budget - spent_s) / left - (time.monotonic() - began), 1.0)
            report = search(
                rig,
                options.shapes,
                tuning=options.tuning,
                time_budget_s=budget,
                progress=self._progress,
            )
            self._progress.ended(report)
        described = "auto" if options.shapes is None else f"grid of {len(options.shapes)} shape(s)"
        return Part(dtype, rig.facts, rig.fingerprint, rig.look_again(), report, bandwidth, described, rig.notes)

    def _bandwidth(self, rig: RemoteRig) -> tuple[CeilingResult, ...]:
        cache = Cache(rig.facts.l2_bytes, rig.facts.memory_bytes)
        found = measure_bandwidth(rig, cache, self._options.tuning.protocol, self._progress.bandwidth)
        for definition, why in found.missing:
            self._progress.missing(definition, why)
        return found.results
