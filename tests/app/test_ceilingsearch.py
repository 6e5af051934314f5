"""Several devices at once, several types one after another, and whatever ends it early."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perftrack.app.ceilingsearch import measure_ceilings
from perftrack.app.deviceceilings import CeilingOptions, Measured, spreads
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.protocols import RigFacts, SilentProgress
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import CeilingReport, CeilingResult, DataType, Definition, Ending, Shape
from perftrack.errors import DeviceError, UsageError
from perftrack.suite.launch import Setup
from tests.app.loopback import Loopback, Work

SETUP = Setup("python", Path(), Path(), Path())
SHAPES = (Shape(2048, 2048, 4096), Shape(4096, 4096, 4096), Shape(8192, 8192, 4096))
# As little of every part as there can be: what is searched is another test's matter.
QUICK = Tuning(
    warmup_min_s=0, warmup_max_s=0.1, soak_s=0.1, sustain_s=0.02, sustain_warmup_s=0.02, confirm_reps=2,
    lock_reps=2, boost_lock_reps=1, boost_iterations=5, steady_top=0,
)  # fmt: skip
GRID = CeilingOptions(shapes=SHAPES, tuning=QUICK)


class Told(SilentProgress):
    """What one device told, by name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []

    def opened(self, facts: RigFacts) -> None:
        self.lines.append(f"opened {facts.dtype}")

    def bandwidth(self, result: CeilingResult) -> None:
        self.lines.append(result.definition.value)

    def missing(self, definition: Definition, why: str) -> None:
        self.lines.append(f"missing {definition}")

    def ended(self, report: CeilingReport) -> None:
        self.lines.append(report.ending.value)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Measured, list[Told]]]:
    def go(options: CeilingOptions, *works: Work, **loopback: Any) -> tuple[Measured, list[Told]]:
        workers = iter([Loopback(w, **loopback) for w in works])
        monkeypatch.setattr("perftrack.app.ceilingsearch.WorkerProcess", lambda setup: next(workers))
        told: list[Told] = []

        def progress(name: str) -> Told:
            told.append(Told(name))
            return told[-1]

        return measure_ceilings(SETUP, options, progress), told

    return go


def test_products_and_bandwidth_of_one_device(run) -> None:
    measured, (told,) = run(GRID, Work())
    (device,) = measured.devices
    (part,) = device.parts
    assert device.name == "cuda:0" and not device.failed
    assert {r.definition for r in part.results} >= {Definition.MAMF, Definition.MSMF, Definition.COPY_DEVICE}
    assert part.search == "grid of 3 shape(s)"
    assert told.lines == [
        "opened bfloat16",
        "copy-device",
        "triad-device",
        "missing copy-l2",
        "missing triad-l2",
        "complete",
    ]


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (replace(GRID, bandwidth=False), {"mamf", "msmf"}),
        (replace(GRID, products=False), {"copy", "triad"}),
    ],
)
def test_only_what_is_asked_is_measured(run, options: CeilingOptions, kinds: set[str]) -> None:
    measured, _ = run(options, Work())
    assert {r.definition.kind.value for r in measured.devices[0].parts[0].results} == kinds


def test_every_type_is_searched_and_bandwidth_is_measured_once(run) -> None:
    options = replace(GRID, dtypes=(DataType.BFLOAT16, DataType.FLOAT16))
    measured, (told,) = run(options, Work())
    assert [p.dtype for p in measured.devices[0].parts] == [DataType.BFLOAT16, DataType.FLOAT16]
    assert told.lines.count("copy-device") == 1
    assert measured.devices[0].parts[1].bandwidth == ()


def test_all_devices_are_measured_at_once_and_compared(run) -> None:
    slow = CardModel(seed=3, power_limit_w=500)
    options = replace(GRID, devices=None, bandwidth=False)
    measured, told = run(options, Work(devices=3), Work(model=slow), Work())
    assert [d.name for d in measured.devices] == ["cuda:0", "cuda:1", "cuda:2"] == [t.name for t in told]
    rows = {row.definition: row for dtype, row in spreads(measured.devices) if dtype is DataType.BFLOAT16}
    assert rows[Definition.MSMF].slowest[0] == "cuda:1"
    assert len(rows[Definition.MSMF].results) == 3 and rows[Definition.MSMF].spread > 0.05
    assert spreads(measured.devices[:1]) == ()


def test_a_device_that_does_not_exist_is_named(run) -> None:
    with pytest.raises(DeviceError, match="no device cuda:5: there are 2"):
        run(replace(GRID, devices=(0, 5)), Work(devices=2))
    with pytest.raises(DeviceError, match="there is no cuda device"):
        run(GRID, Work(devices=0))


def test_a_refused_type_of_the_only_device_is_an_error(run) -> None:
    with pytest.raises(DeviceError, match="does not multiply nvfp4"):
        run(replace(GRID, dtypes=(DataType.NVFP4,)), Work(refused=("nvfp4",)))


def test_a_refused_type_leaves_the_others(run) -> None:
    options = replace(GRID, dtypes=(DataType.NVFP4, DataType.BFLOAT16), bandwidth=False)
    measured, _ = run(options, Work(refused=("nvfp4",)))
    (device,) = measured.devices
    assert [p.dtype for p in device.parts] == [DataType.BFLOAT16]
    assert device.failure is not None and device.failed


def test_one_failing_device_leaves_the_others(run) -> None:
    options = replace(GRID, devices=None, bandwidth=False)
    measured, _ = run(options, Work(devices=2), Work(refused=("bfloat16",)))
    first, second = measured.devices
    assert first.parts and not first.failed
    assert not second.parts and second.failed


def test_a_device_that_fails_in_a_search_keeps_what_it_had(run) -> None:
    options = replace(GRID, bandwidth=False, dtypes=(DataType.BFLOAT16, DataType.FLOAT16))
    measured, _ = run(options, Work(Mishaps(fail_at=20)))
    (device,) = measured.devices
    (part,) = device.parts
    assert device.failed and part.report is not None and part.report.ending is Ending.DEVICE_ERROR
    assert part.results and all(r.partial for r in part.results)


def test_an_automatic_search_without_geometry_says_what_to_run_instead(run) -> None:
    with pytest.raises(UsageError) as caught:
        run(CeilingOptions(bandwidth=False), Work(knows_geometry=False))
    assert caught.value.hint and "--shapes-file" in caught.value.hint


def test_the_time_is_shared_by_the_types(run) -> None:
    options = replace(GRID, dtypes=(DataType.BFLOAT16, DataType.FLOAT16), time_budget_s=120.0, bandwidth=False)
    measured, _ = run(options, Work())
    spent = [p.report.duration_s for p in measured.devices[0].parts if p.report]
    assert len(spent) == 2 and all(s <= 65 for s in spent)


def test_ctrl_c_ends_every_search_with_its_best(run, monkeypatch: pytest.MonkeyPatch) -> None:
    works = Work(devices=2), Work()
    burst = ModelRig.burst
    main = threading.main_thread().ident

    def interrupt() -> None:
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)  # as a terminal does, to the thread that waits

    both = threading.Barrier(2, action=interrupt, timeout=60)

    def slowly(self: ModelRig, *args: Any, **kwargs: Any) -> Any:
        if self.calls == 60:
            both.wait()
        if self.calls >= 60:
            time.sleep(0.02)  # nearer to a real card's time: the search must not be over before it is ended
        return burst(self, *args, **kwargs)

    monkeypatch.setattr(ModelRig, "burst", slowly)
    shapes = tuple(Shape(512 * m, 512 * n, 4096) for m in range(2, 20) for n in range(2, 20))
    measured, _ = run(replace(GRID, devices=None, bandwidth=False, shapes=shapes), *works)
    assert isinstance(measured.ended_by, KeyboardInterrupt)
    assert len(measured.devices) == 2
    for device in measured.devices:
        (part,) = device.parts
        assert part.report is not None and part.report.ending is Ending.INTERRUPTED
        assert part.results and all(r.partial for r in part.results)
