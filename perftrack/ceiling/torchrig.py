"""The rig over torch: bursts of matrix products on a real device. Standard library only until one is opened."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from perftrack.ceiling.geometry import fits
from perftrack.ceiling.hardware import Clock, HostClock, Platform, Readings, WaitedEvent
from perftrack.ceiling.operands import Operands, Product
from perftrack.ceiling.protocols import Burst, KernelTuner, RigFacts, ShapeRefusedError, SiblingWatch
from perftrack.ceiling.sampler import Sampler
from perftrack.ceiling.timeline import ClockReading, project, spans
from perftrack.core.ceiling import Shape
from perftrack.errors import DeviceError

# Written before every iteration: as much as the largest last-level cache there is, so that all devices
# rest for about as long between products.
LEAST_FLUSH_BYTES = 256 << 20
_PROBE = Shape(128, 128, 128)
_MEMORY_WORDS = ("out of memory", "outofmemory", "alloc_failed")
_Refusals = (RuntimeError, ValueError, TypeError)  # what torch raises for a product that it does not have


class TorchRig:
    """Bursts of `facts.dtype` products on one device. `readings` None: no clocks and no power are read.

    `waited_events`: the backend has no usable events, so iterations are timed by the host.
    """

    def __init__(
        self,
        torch: Any,
        platform: Platform,
        facts: RigFacts,
        place: str,
        *,
        readings: Readings | None = None,
        siblings: SiblingWatch | None = None,
        tuner: KernelTuner | None = None,
        waited_events: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.facts = facts
        self.siblings = siblings
        self.tuner = tuner
        self._torch = torch
        self._platform = platform
        self._readings = readings
        self._waited = waited_events
        self._clock = clock or HostClock()
        self._operands = Operands(torch, platform.kind, place, facts.dtype)
        self._sampler = None if readings is None else Sampler(readings, self._clock)
        self._ready: Product | None = None
        self._flush: Any = None
        self._events: list[tuple[Any, Any]] = []

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        """See protocols.Rig. An iteration whose product the device reached before the host had queued it is left
        out, as its time holds the launch; all are kept where that is most of them, so that rates are too low."""
        try:
            product = self._prepared(shape)
            self._platform.wait()
            self._grow_events(iterations)
            if idle_s > 0:
                self._clock.sleep(idle_s)
            return self._measured(product, iterations, warmup)
        except _Refusals as error:
            self._ready = None
            raise self._judged(error, shape) from error

    def idle(self, seconds: float) -> None:
        self._clock.sleep(seconds)

    def now(self) -> float:
        return self._clock.now()

    def run_once(self, shape: Shape) -> None:
        """One product, waited for, with operands made anew: what chooses, or tunes, the kernel of a shape."""
        self._ready = None
        try:
            self._run(self._operands.product(shape))
            self._platform.wait()
        except _Refusals as error:
            raise self._judged(error, shape) from error

    def probe(self) -> str | None:
        """Multiply small matrices: why that does not work, or None where it does.

        The vendors' libraries do not have every type on every device, and only trying tells.
        """
        try:
            self.run_once(_PROBE)
        except DeviceError as error:
            return error.message
        finally:
            self._operands.release()
        return None

    def close(self) -> None:
        """Give the device's memory back."""
        self._ready = self._flush = None
        self._events.clear()
        self._operands.release()

    def _prepared(self, shape: Shape) -> Product:
        """The shape's product, run once when it is new: libraries choose and load a kernel at its first call."""
        if self._ready is not None and self._ready.shape == shape:
            return self._ready
        self._ready = None
        if not fits(shape, self.facts.dtype, self.facts.memory_bytes):
            raise ShapeRefusedError(f"{shape} does not fit into the device's memory")
        if self._flush is None:
            self._flush = self._platform.zeros(max(LEAST_FLUSH_BYTES, self._platform.flush_bytes))
        try:
            product = self._operands.product(shape)
        except RuntimeError as error:
            if not _is_memory(error):
                raise
            self._release()  # what earlier shapes needed may be all that was in the way
            product = self._operands.product(shape)
        self._run(product)
        self._ready = product
        return product

    def _run(self, product: Product) -> None:
        product.run()
        if self._platform.after_call is not None:
            self._platform.after_call()

    def _grow_events(self, count: int) -> None:
        """Events are made by their first record, which takes longer: recorded once, outside of any burst."""
        while len(self._events) < count + 1:
            pair = self._event(), self._event()
            for event in pair:
                event.record()
            self._events.append(pair)

    def _event(self) -> Any:
        return WaitedEvent(self._platform, self._clock) if self._waited else self._platform.event()

    def _measured(self, product: Product, iterations: int, warmup: int) -> Burst:
        origin, pairs = self._events[0][0], self._events[1 : iterations + 1]
        late: list[bool] = []
        with _collector_off(), self._sampled() as finish:
            for _ in range(warmup):
                self._reset(product)
                self._run(product)
            origin.record()
            for start, end in pairs:
                self._reset(product)
                start.record()
                self._run(product)
                end.record()
                late.append(not self._waited and bool(start.query()))
            self._platform.wait()
            host_end = self._clock.now()
            readings, reasons = finish()
        offsets = [(1e-3 * origin.elapsed_time(s), 1e-3 * origin.elapsed_time(e)) for s, e in pairs]
        seconds = [1e-3 * s.elapsed_time(e) for s, e in pairs]
        kept = [i for i, is_late in enumerate(late) if not is_late and seconds[i] > 0]
        if 2 * len(kept) < iterations:
            kept = [i for i in range(iterations) if seconds[i] > 0]
        if not kept:
            raise DeviceError(f"its events read no time at all for {product.shape}")
        total = offsets[-1][1]
        windows = spans([offsets[i] for i in kept], total, host_end)
        clocks, powers = project(readings, windows)
        return Burst(
            shape=product.shape,
            seconds=tuple(seconds[i] for i in kept),
            clock_mhz=clocks,
            power_w=powers,
            temperature_c=None if self._readings is None else self._readings.temperature_c(),
            event_reasons=reasons,
            started_at=host_end - total,
            ended_at=host_end,
        )

    def _reset(self, product: Product) -> None:
        """Evict the caches, then rewrite C: a product that writes what is there already draws less power."""
        self._flush.zero_()
        product.result.copy_(product.fill)
        if self._platform.after_call is not None:
            self._platform.after_call()

    @contextmanager
    def _sampled(self) -> Iterator[Callable[[], tuple[tuple[ClockReading, ...], int | None]]]:
        """Sampling meanwhile; what is yielded ends it and returns the readings."""
        sampler = self._sampler
        if sampler is None:
            yield lambda: ((), None)
            return
        sampler.start()
        try:
            yield sampler.stop
        finally:
            sampler.stop()

    def _judged(self, error: Exception, shape: Shape) -> DeviceError:
        """Whether only this shape cannot run, or the device failed: a failed one fails at waiting too."""
        if isinstance(error, ShapeRefusedError):
            return error
        if _is_memory(error):
            self._release()
            return ShapeRefusedError(f"out of memory for {shape}")
        if isinstance(error, DeviceError):
            return error
        try:
            self._platform.wait()
        except DeviceError as failure:
            return failure
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return ShapeRefusedError(f"no kernel for {shape}: {lines[0][:300].rstrip('.')}")

    def _release(self) -> None:
        """Give memory back to the device: what the allocator keeps counts as taken for the next shape."""
        self._operands.release()
        gc.collect()
        module = getattr(self._torch, "cuda" if self._platform.kind == "rocm" else self._platform.kind, None)
        empty = getattr(module, "empty_cache", None)
        if empty is not None:
            empty()


def _is_memory(error: Exception) -> bool:
    text = f"{type(error).__name__}: {error}".lower()
    return any(word in text for word in _MEMORY_WORDS)


@contextmanager
def _collector_off() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
