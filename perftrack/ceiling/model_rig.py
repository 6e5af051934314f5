"""A rig over the card on paper: the whole search can be driven, and its answer known, without a GPU."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from perftrack.ceiling.card import CardModel
from perftrack.ceiling.protocols import Burst, KernelTuner, RigFacts, ShapeRefusedError, SiblingWatch
from perftrack.core.ceiling import Shape
from perftrack.errors import DeviceError

CLOCK_STEP_MHZ = 15.0
REACTION_S = 0.008  # load that the power controller averages over before it moves the clock
CLOCK_TAU_S = 0.02
HEAT_TAU_S = 15.0
ALLOCATE_S = 0.004
REST_S = 0.005  # idling for so long, the controller starts over
POWER_NOISE = 0.004


@dataclass(frozen=True, slots=True)
class Mishaps:
    """What goes wrong: at the nth call of the rig (from 0) an interrupt, or from then on a dead device.

    `jittery` shapes run at a clock that wanders by `jitter` from burst to burst, below the limit.
    `refused` ones have no kernel.
    """

    interrupt_at: int | None = None
    fail_at: int | None = None
    jittery: frozenset[Shape] = frozenset()
    jitter: float = 0.06
    refused: frozenset[Shape] = frozenset()


@dataclass(slots=True)
class ModelRig:
    """Plays `model` with noise drawn from `seed`; `now` is the model's own time.

    noise: standard deviation of one iteration's logarithm; burst_noise: of what all of a burst's share.
    telemetry False: no clock and power. power_separates False: as on cards where power excludes nothing.
    """

    model: CardModel
    seed: int = 0
    noise: float = 0.002
    burst_noise: float = 0.001
    telemetry: bool = True
    power_separates: bool = True
    knows_geometry: bool = True
    mishaps: Mishaps = Mishaps()
    siblings: SiblingWatch | None = None
    tuner: KernelTuner | None = None
    calls: int = 0
    facts: RigFacts = field(init=False)
    _rng: np.random.Generator = field(init=False)
    _now: float = 0.0
    _clock: float = field(init=False)
    _heat: float = field(init=False)
    _load_s: float = 0.0
    _held: Shape | None = None

    def __post_init__(self) -> None:
        model = self.model
        self._rng = np.random.default_rng(self.seed)
        self._clock, self._heat = model.top_clock_mhz, model.ambient_c
        self.facts = RigFacts(
            product="model card",
            dtype=model.dtype,
            unit_count=model.units if self.knows_geometry else None,
            tile_hint=model.tile if self.knows_geometry else None,
            geometry_checked=True,
            memory_bytes=None,  # so that shapes that do not fit are met while measuring
            power_limit_w=model.power_limit_w,
            max_clock_mhz=model.max_clock_mhz if self.telemetry else None,
            telemetry="model" if self.telemetry else "",
            power_separates=self.power_separates and self.telemetry,
        )

    def now(self) -> float:
        return self._now

    def idle(self, seconds: float) -> None:
        self._call()
        self._rest(seconds)

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        self._call()
        if not self.model.fits(shape):
            raise ShapeRefusedError(f"out of memory: {shape} does not fit")
        if shape in self.mishaps.refused:
            raise ShapeRefusedError(f"no kernel for {shape}")
        if shape != self._held:
            self._rest(ALLOCATE_S)
            self._held = shape
        self._rest(idle_s)
        wander = self._wander(shape)
        self._run(shape, warmup, wander)
        started = self._now
        clock, seconds = self._run(shape, iterations, wander)
        power = self._read_power(shape, clock)
        floor = np.floor(clock / CLOCK_STEP_MHZ + 1e-6) * CLOCK_STEP_MHZ
        return Burst(
            shape=shape,
            seconds=tuple(seconds.tolist()),
            clock_mhz=tuple(floor.tolist()) if self.telemetry else (),
            power_w=tuple(power.tolist()) if self.telemetry else (),
            temperature_c=round(self._heat) if self.telemetry else None,
            started_at=started,
            ended_at=self._now,
        )

    def _run(self, shape: Shape, count: int, wander: float) -> tuple[np.ndarray, np.ndarray]:
        """Clock and seconds of each of `count` iterations, after which the card is where they leave it."""
        model = self.model
        settled = min(model.settled_clock(shape, self._heat) * wander, model.top_clock_mhz)
        gap = model.gap(shape)
        period = model.seconds(shape, settled) + gap
        loaded = self._load_s + period * np.arange(count + 1)
        past = np.maximum(loaded - REACTION_S, 0.0) - max(self._load_s - REACTION_S, 0.0)
        clock = settled + (self._clock - settled) * np.exp(-past / CLOCK_TAU_S)
        # Compute time goes as 1 / clock; the rest of a shape's seconds does not move with it.
        top, low = model.seconds(shape, model.top_clock_mhz), model.seconds(shape, model.top_clock_mhz / 2)
        scaling = low - top  # seconds that computing takes at the top clock
        seconds = top + scaling * (model.top_clock_mhz / clock[:-1] - 1)
        shared = self.burst_noise * self._rng.standard_normal()
        seconds = seconds * np.exp(self.noise * self._rng.standard_normal(count) + shared)
        elapsed = float(seconds.sum()) + gap * count
        self._clock, self._load_s = float(clock[-1]), self._load_s + elapsed
        self._pass(elapsed, model.power(shape, self._clock, self._heat))
        return clock[:-1], seconds

    def _read_power(self, shape: Shape, clock: np.ndarray) -> np.ndarray:
        first, last = (self.model.power(shape, float(c), self._heat) for c in (clock[0], clock[-1]))
        span = float(clock[0] - clock[-1])
        share = (clock - clock[-1]) / span if span else np.zeros(len(clock))
        draw = last + share * (first - last)
        return draw * (1 + POWER_NOISE * self._rng.standard_normal())

    def _wander(self, shape: Shape) -> float:
        if shape not in self.mishaps.jittery:
            return 1.0
        return math.exp(self.mishaps.jitter * float(self._rng.uniform(-1, 1)))

    def _rest(self, seconds: float) -> None:
        if seconds <= 0:
            return
        if seconds >= REST_S:
            self._load_s = 0.0
        top = self.model.top_clock_mhz
        self._clock = top + (self._clock - top) * math.exp(-seconds / CLOCK_TAU_S)
        self._pass(seconds, self.model.idle_w)

    def _pass(self, seconds: float, power_w: float) -> None:
        goal = self.model.settled_heat(power_w)
        self._heat = goal + (self._heat - goal) * math.exp(-seconds / HEAT_TAU_S)
        self._now += seconds

    def _call(self) -> None:
        mine, self.calls = self.calls, self.calls + 1
        if mine == self.mishaps.interrupt_at:
            raise KeyboardInterrupt
        if self.mishaps.fail_at is not None and mine >= self.mishaps.fail_at:
            raise DeviceError("the device fell off the bus")
