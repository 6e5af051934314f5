"""A rig in another process is the same rig."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from perftrack.app.remoterig import RemoteRig
from perftrack.app.rigwork import RigWork
from perftrack.ceiling.model_rig import Mishaps
from perftrack.ceiling.protocols import IdleSibling, ShapeRefusedError
from perftrack.ceiling.search import search
from perftrack.ceiling.streams import Stream
from perftrack.core.ceiling import DataType, Ending, Shape
from perftrack.core.tiers import Exclusivity
from perftrack.errors import DeviceError, InvalidValueError
from perftrack.suite.messages import RigAction, RigRequest
from tests.app.ceiling_builders import CARD
from tests.app.loopback import Loopback, Work

SHAPE = Shape(4096, 4096, 4096)


def remote(work: Work | None = None, **how: Any) -> tuple[RemoteRig, Loopback]:
    interrupted = how.pop("interrupted", None)
    worker = Loopback(work or Work(), **how)
    rig = RemoteRig(worker, "cuda", 0, DataType.BFLOAT16, interrupted=interrupted)  # type: ignore[arg-type]
    return rig, worker


def test_facts_environment_and_circumstances_come_across() -> None:
    work = Work()
    rig, _ = remote(work)
    assert rig.facts == work.rig.facts
    assert rig.fingerprint == CARD
    assert rig.circumstances.exclusivity is Exclusivity.UNKNOWN
    assert rig.circumstances.no_evidence_why == "none on paper"
    assert rig.siblings is None and rig.tuner is None


def test_a_burst_is_the_one_that_was_measured() -> None:
    here, there = Work(), Work()
    rig, _ = remote(there)
    assert rig.burst(SHAPE, 5, warmup=2, idle_s=0.1) == here.rig.burst(SHAPE, 5, warmup=2, idle_s=0.1)
    assert rig.now() == there.rig.now()
    rig.idle(1.5)
    assert rig.now() == there.rig.now() > 1.5


def test_passes_over_arrays_come_with_their_evidence() -> None:
    rig, _ = remote()
    timing, evidence = rig.stream(Stream.TRIAD, 1 << 20, 3, 10)
    assert (timing.stream, timing.elements, len(timing.seconds)) == (Stream.TRIAD, 1 << 20, 3)
    assert evidence.clock_mhz == ()


def test_a_refused_shape_is_no_failed_device() -> None:
    rig, _ = remote(Work(Mishaps(refused=frozenset({SHAPE}))))
    with pytest.raises(ShapeRefusedError, match="no kernel for 4096x4096x4096"):
        rig.burst(SHAPE, 3)
    assert len(rig.burst(Shape(1024, 1024, 1024), 3).seconds) == 3


def test_a_failed_device_is_one() -> None:
    rig, _ = remote(Work(Mishaps(fail_at=0)))
    with pytest.raises(DeviceError, match="fell off the bus") as caught:
        rig.burst(SHAPE, 3)
    assert not isinstance(caught.value, ShapeRefusedError)


def test_a_worker_that_dies_is_a_failed_device_with_its_last_words() -> None:
    rig, _ = remote(dies_at=1)
    with pytest.raises(DeviceError, match=r"(?s)killed by SIGKILL.*the last words"):
        rig.burst(SHAPE, 3)
    with pytest.raises(DeviceError, match="has ended"):
        rig.burst(SHAPE, 3)
    assert rig.look_again().no_evidence_why == "none on paper"


def test_an_interrupt_reaches_the_search_though_the_worker_was_killed() -> None:
    interrupted = threading.Event()
    rig, worker = remote(interrupted=interrupted)
    interrupted.set()
    worker.kill()
    with pytest.raises(KeyboardInterrupt):
        rig.burst(SHAPE, 3)


def test_a_worker_killed_in_the_middle_of_a_burst_is_an_interrupt_where_it_was_one() -> None:
    interrupted = threading.Event()
    rig, worker = remote(dies_at=1, interrupted=interrupted)
    ask = worker.ask
    worker.ask = lambda *a: (interrupted.set(), ask(*a))[1]  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        rig.burst(SHAPE, 3)


def test_what_the_rig_cannot_do_is_told() -> None:
    rig, _ = remote()
    with pytest.raises(DeviceError, match="cannot watch siblings"):
        rig._ask(RigRequest(RigAction.WATCH))


def test_nothing_is_measured_before_a_rig_is_open() -> None:
    failure = RigWork().answer(RigRequest(RigAction.BURST)).failure
    assert failure is not None and failure.message == "no rig is open"


class Siblings:
    def __init__(self) -> None:
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def end(self) -> tuple[IdleSibling, ...]:
        return (IdleSibling(3, 0.75),)


class Tuner:
    def __init__(self) -> None:
        self.tuned: list[Shape | None] = []

    def pause(self) -> None:
        self.tuned.append(None)

    def tune(self, shape: Shape) -> None:
        self.tuned.append(shape)


def test_neighbours_and_tuning_are_reached() -> None:
    siblings, tuner = Siblings(), Tuner()
    rig, _ = remote(Work(siblings=siblings, tuner=tuner))
    assert rig.siblings is not None and rig.tuner is not None
    rig.siblings.begin()
    assert rig.siblings.end() == (IdleSibling(3, 0.75),)
    rig.tuner.pause()
    rig.tuner.tune(SHAPE)
    assert (siblings.begun, tuner.tuned) == (1, [None, SHAPE])


def test_neighbours_of_a_worker_that_is_gone_are_unknown() -> None:
    rig, worker = remote(Work(siblings=Siblings()))
    worker.kill()
    assert rig.siblings is not None
    assert rig.siblings.end() == ()


def test_opening_again_closes_what_was_open() -> None:
    work = Work()
    _, worker = remote(work)
    RemoteRig(worker, "cuda", 0, DataType.FLOAT16)  # type: ignore[arg-type]
    assert work.closed == 1


def test_a_request_that_makes_no_sense_is_not_the_device_s_fault() -> None:
    class Refusing(Work):
        def _opened(self, request: Any) -> Any:
            raise InvalidValueError("not this", "that")

    with pytest.raises(InvalidValueError, match="not this"):
        remote(Refusing())


def test_a_whole_search_goes_across() -> None:
    shapes = [Shape(m, n, 4096) for m in (2048, 4096, 8192) for n in (2048, 4096)]
    rig, _ = remote()
    there = search(rig, shapes)
    assert there.ending is Ending.COMPLETE
    assert there.results == search(Work().rig, shapes).results
