"""The torch rig on a GPU in virtual time: what is inside of the timed region, and what failures become."""

from __future__ import annotations

from typing import Any

import pytest

from perftrack.ceiling.protocols import RigFacts, ShapeRefusedError
from perftrack.ceiling.torchrig import LEAST_FLUSH_BYTES, TorchRig
from perftrack.core.ceiling import DataType, Shape
from perftrack.errors import DeviceError
from perftrack.timing.devices.backend import Backend
from tests.ceiling.fake_rig import Card, GpuClock, Products, matrix_torch, platform
from tests.timing.fake_torch import FakeGpu

SHAPE = Shape(4096, 2048, 1024)


class Bench:
    """A rig over a fake, with the fake's parts at hand."""

    def __init__(
        self,
        *,
        dtype: DataType = DataType.BFLOAT16,
        card: Card | None = None,
        memory: int | None = None,
        **how: Any,
    ) -> None:
        self.gpu = FakeGpu()
        self.products = Products(self.gpu)
        self.torch = matrix_torch(self.gpu, self.products)
        self.clock = GpuClock(self.gpu)
        facts = RigFacts("fake", dtype, memory_bytes=memory)
        self.rig = TorchRig(
            self.torch, platform(self.torch, self.gpu), facts, "cuda:0", readings=card, clock=self.clock, **how
        )

    @property
    def ran(self) -> list[str]:
        return [what.split()[0] for what, _, _ in self.gpu.log]


def test_only_the_product_is_inside_the_time() -> None:
    bench = Bench()
    burst = bench.rig.burst(SHAPE, 10)
    assert burst.seconds == pytest.approx([SHAPE.flops / 8e14] * 10, rel=2e-3)


def test_before_every_product_the_cache_is_flushed_and_c_rewritten() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 1)
    bench.gpu.log.clear()
    bench.rig.burst(SHAPE, 3, warmup=2)
    assert bench.ran == ["zero", "copy", "product"] * 5
    flushed = {int(what.split()[1]) for what, _, _ in bench.gpu.log if what.startswith("zero")}
    assert flushed == {LEAST_FLUSH_BYTES}


def test_warm_up_is_run_and_not_reported() -> None:
    burst = Bench().rig.burst(SHAPE, 4, warmup=6)
    assert len(burst.seconds) == 4


def test_all_iterations_are_queued_before_the_device_is_waited_for() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 1)
    waits = []
    wait = bench.gpu.synchronize
    bench.gpu.synchronize = lambda: waits.append(len(bench.gpu.log)) or wait()  # type: ignore[method-assign]
    bench.rig._platform = platform(bench.torch, bench.gpu)
    before = len(bench.gpu.log)
    bench.rig.burst(SHAPE, 8)
    assert waits == [before, before + 24]


def test_the_pause_comes_after_the_operands_and_before_the_first_product() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 2, idle_s=0.25)
    assert bench.clock.slept == [0.25]
    gaps = [b[1] - a[2] for a, b in zip(bench.gpu.log, bench.gpu.log[1:], strict=False)]
    assert max(gaps) >= 0.25
    assert bench.ran[gaps.index(max(gaps)) + 1 :] == ["zero", "copy", "product"] * 2


def test_the_same_shape_again_reuses_its_operands_and_kernel() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 2)
    made = len(bench.ran)
    bench.rig.burst(SHAPE, 2)
    assert bench.ran[made:] == ["zero", "copy", "product"] * 2


def test_a_new_shape_s_kernel_is_chosen_outside_of_the_burst() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 1)
    assert bench.ran.count("product") == 2
    assert bench.ran.index("product") < bench.ran.index("zero")


def test_iterations_that_the_device_reached_too_early_are_left_out() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 1)
    stall, calls = bench.products.run, [0]

    def late(*arguments: Any) -> None:
        calls[0] += 1
        if calls[0] == 3:
            bench.gpu.now += 0.01  # a hiccup of the host, longer than everything that is queued
        stall(*arguments)

    bench.products.run = late  # type: ignore[method-assign]
    burst = bench.rig.burst(SHAPE, 6)
    assert len(burst.seconds) == 5
    assert max(burst.seconds) < 1e-4


def test_a_host_that_is_always_late_keeps_its_iterations() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 1)
    bench.gpu.launch_s = 0.001
    burst = bench.rig.burst(SHAPE, 6)
    assert len(burst.seconds) == 6
    assert min(burst.seconds) > SHAPE.flops / 8e14


def test_clock_power_and_heat_are_those_of_the_card() -> None:
    card = Card()
    burst = Bench(card=card).rig.burst(SHAPE, 3)
    assert burst.clock_mhz == (1980.0,) * 3
    assert burst.power_w == (650.0,) * 3
    assert (burst.temperature_c, burst.event_reasons) == (55.0, 4)


def test_without_readings_nothing_is_claimed() -> None:
    burst = Bench().rig.burst(SHAPE, 3)
    assert (burst.clock_mhz, burst.power_w, burst.temperature_c, burst.event_reasons) == ((), (), None, None)


def test_a_burst_lies_between_its_times() -> None:
    bench = Bench()
    burst = bench.rig.burst(SHAPE, 5, warmup=3)
    assert burst.ended_at == pytest.approx(bench.gpu.now, abs=5e-5)
    assert burst.ended_at - burst.started_at >= sum(burst.seconds)
    assert burst.ended_at - burst.started_at < 2 * (sum(burst.seconds) + 5 * LEAST_FLUSH_BYTES / 4e12)


def test_memory_that_runs_out_refuses_the_shape_and_the_next_one_runs() -> None:
    bench = Bench()
    bench.products.memory_elements = 2 * SHAPE.m * SHAPE.n
    with pytest.raises(ShapeRefusedError, match="out of memory for 8192x8192x1024"):
        bench.rig.burst(Shape(8192, 8192, 1024), 2)
    assert len(bench.rig.burst(SHAPE, 2).seconds) == 2


def test_what_earlier_shapes_held_is_given_back_before_a_shape_is_refused() -> None:
    bench = Bench()
    tries = []

    def make(count: int, dtype: str) -> Any:
        tries.append(count)
        if len(tries) == 1:
            raise RuntimeError("CUDA out of memory")
        return make_it(count, dtype)

    make_it, bench.products.make = bench.products.make, make  # type: ignore[method-assign]
    assert len(bench.rig.burst(SHAPE, 2).seconds) == 2


def test_a_shape_that_cannot_fit_is_refused_before_anything_is_allocated() -> None:
    bench = Bench(memory=1 << 30)
    with pytest.raises(ShapeRefusedError, match="does not fit"):
        bench.rig.burst(Shape(65536, 65536, 1024), 2)
    assert bench.ran == []


@pytest.mark.parametrize("kind", [RuntimeError, ValueError, NotImplementedError])
def test_a_product_without_kernel_refuses_its_shape_alone(kind: type[Exception]) -> None:
    bench = Bench()

    def fail(m: int, n: int, k: int) -> None:
        if n == 8:
            raise kind("CUBLAS_STATUS_NOT_SUPPORTED when calling cublasLtMatmul\nmore")

    bench.products.fail = fail
    with pytest.raises(ShapeRefusedError, match=r"no kernel for 64x8x64: CUBLAS_STATUS_NOT_SUPPORTED[^\n]*$"):
        bench.rig.burst(Shape(64, 8, 64), 2)
    assert len(bench.rig.burst(SHAPE, 2).seconds) == 2


def test_a_failed_device_is_no_refused_shape() -> None:
    bench = Bench()

    def fail(m: int, n: int, k: int) -> None:
        bench.gpu.failed = "an illegal memory access was encountered"
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    bench.products.fail = fail
    with pytest.raises(DeviceError, match="illegal memory access") as caught:
        bench.rig.burst(SHAPE, 2)
    assert not isinstance(caught.value, ShapeRefusedError)


def test_a_failure_that_shows_when_waiting_is_the_device_s() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 1)
    bench.gpu.failed = "unspecified launch failure"
    with pytest.raises(DeviceError, match="unspecified launch failure"):
        bench.rig.burst(SHAPE, 2)


def test_ctrl_c_passes_through_and_ends_the_sampling() -> None:
    import threading

    bench = Bench(card=Card())

    def interrupt(m: int, n: int, k: int) -> None:
        raise KeyboardInterrupt

    bench.rig.burst(SHAPE, 1)
    bench.products.fail = interrupt
    with pytest.raises(KeyboardInterrupt):
        bench.rig.burst(SHAPE, 2)
    assert not any(t.name == "perftrack-clocks" for t in threading.enumerate())


def test_events_that_a_backend_lacks_are_replaced_by_waiting() -> None:
    bench = Bench(waited_events=True)
    burst = bench.rig.burst(SHAPE, 4)
    assert all(s >= SHAPE.flops / 8e14 for s in burst.seconds)
    assert len(burst.seconds) == 4


def test_a_probe_tells_why_a_type_is_not_multiplied() -> None:
    bench = Bench()

    def fail(m: int, n: int, k: int) -> None:
        raise RuntimeError("_scaled_mm: no such kernel on this device\nat somewhere.cpp:12")

    assert bench.rig.probe() is None
    bench.products.fail = fail
    assert "no such kernel on this device" in (bench.rig.probe() or "")


def test_closing_gives_the_memory_back() -> None:
    bench = Bench()
    bench.rig.burst(SHAPE, 2)
    bench.rig.close()
    assert bench.rig._operands._pools == {}
    assert bench.rig._flush is None


@pytest.mark.torch
def test_a_real_torch_runs_bursts_of_every_type_that_its_cpu_has() -> None:
    torch: Any = pytest.importorskip("torch")
    here = Backend("cpu", 0, lambda: None, lambda: None, lambda n: torch.zeros(n, dtype=torch.uint8), 1 << 20, ())
    for dtype in (DataType.BFLOAT16, DataType.FLOAT32, DataType.FLOAT8_E4M3FN):
        rig = TorchRig(torch, here, RigFacts("CPU", dtype), "cpu", readings=Card(), waited_events=True)
        assert rig.probe() is None
        burst = rig.burst(Shape(64, 96, 128), 3, warmup=1)
        assert len(burst.seconds) == 3 and min(burst.seconds) > 0
        assert burst.clock_mhz == (1980.0,) * 3
        rig.close()


@pytest.mark.torch
def test_a_real_torch_s_refusal_of_a_type_is_a_reason() -> None:
    torch: Any = pytest.importorskip("torch")
    here = Backend("cpu", 0, lambda: None, lambda: None, lambda n: torch.zeros(n, dtype=torch.uint8), 1 << 20, ())
    rig = TorchRig(torch, here, RigFacts("CPU", DataType.MXFP8), "cpu", waited_events=True)
    why = rig.probe()
    assert why is not None and why.startswith("no kernel for 128x128x128: ")
    with pytest.raises(ShapeRefusedError):
        rig.burst(Shape(256, 256, 256), 2)
