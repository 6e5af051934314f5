"""The knobs of the search, each with its type, range and meaning. Standard library only.

The defaults define the published numbers. A knob that changes what a headline means, rather than which shapes
are tried, becomes part of the protocol key, so a tuned result never joins the trend of an untuned one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, cast, get_args, get_type_hints

from perftrack.core.ceiling import DEFINITION_VERSION, CeilingKind, Definition
from perftrack.core.text import quoted
from perftrack.errors import UsageError

Value = int | float | bool | str
OPTION = "--tune"


class Warmup(StrEnum):
    ADAPTIVE = "adaptive"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a knob does and the range of its value. `defines`: kinds of ceiling whose meaning it changes."""

    doc: str
    least: float = 0.0
    most: float = 0.0
    defines: str = ""  # "a" MAMF, "s" MSMF


@dataclass(frozen=True, slots=True)
class Tuning:
    """Values of all knobs; `knobs` tells what each may be."""

    # Which shapes are tried
    max_size: Annotated[int, Meaning("auto: largest M and N", 1024, 131072)] = 20480
    max_k: Annotated[int, Meaning("auto: largest K", 1024, 262144)] = 40960
    max_waves: Annotated[int, Meaning("auto: layouts that fill up to so many waves are tried", 1, 64)] = 16
    wave_pairs: Annotated[int, Meaning("auto: most layouts per number of waves, squarest first", 1, 1000)] = 12
    probe_pairs: Annotated[int, Meaning("auto: M,N pairs of the first look, at least", 0, 100_000)] = 120
    promote_top: Annotated[int, Meaning("auto: M,N pairs that get the whole K set, per regime", 1, 1000)] = 8
    refine: Annotated[bool, Meaning("auto: scan the neighbours of the best scouted shapes")] = True
    refine_seeds: Annotated[int, Meaning("auto: shapes that are refined around, per regime and round", 1, 100)] = 3
    refine_rounds: Annotated[
        int, Meaning("auto: rounds of refining, ended early when nothing gets better", 1, 50)
    ] = 3
    refine_radius_mn: Annotated[int, Meaning("auto: how many tiles along M and N a round looks", 0, 16)] = 1
    refine_radius_k: Annotated[int, Meaning("auto: how many K steps a round looks", 0, 16)] = 1
    scout_s: Annotated[float, Meaning("timed seconds per shape while scouting", 0.001, 10)] = 0.04
    scout_warmup_s: Annotated[float, Meaning("untimed seconds before them", 0, 10)] = 0.08
    scout_only: Annotated[bool, Meaning("stop after scouting")] = False
    # Warming up
    warmup: Annotated[Warmup, Meaning("adaptive: until throughput is level; fixed: for warmup_max_s")] = (
        Warmup.ADAPTIVE
    )
    warmup_min_s: Annotated[float, Meaning("the shortest warm-up, lest a boost pass for a plateau", 0, 600)] = 2.0
    warmup_max_s: Annotated[float, Meaning("the longest warm-up", 0, 3600)] = 30.0
    # Confirming
    confirm_top: Annotated[int, Meaning("best scouted shapes that are measured again", 1, 1000)] = 10
    confirm_fat: Annotated[int, Meaning("largest shapes added to them, to anchor the saturated clock", 0, 100)] = 3
    confirm_low_waves: Annotated[int, Meaning("square layouts of up to so many waves added to them", 0, 64)] = 4
    confirm_reps: Annotated[int, Meaning("repeats per confirmed shape", 1, 100)] = 5
    confirm_margin: Annotated[float, Meaning("shapes this close to the leader get more repeats", 0, 1)] = 0.01
    max_tuned_shapes: Annotated[
        int, Meaning("shapes tuned and confirmed where the library tunes kernels", 1, 1000)
    ] = 8
    # Achievable: bursts at boost clock
    boost_clock_ratio: Annotated[
        float, Meaning("an iteration counts as boost from this share of the highest clock on", 0.5, 1, defines="a")
    ] = 0.97
    boost_raw: Annotated[int, Meaning("fastest scouts that are always screened", 1, 1000)] = 8
    boost_wave_k: Annotated[int, Meaning("auto: K values screened per wave layout", 1, 20)] = 2
    boost_long_waves: Annotated[
        int, Meaning("auto: layouts of up to so many waves are screened at the longest K too", 0, 64)
    ] = 2
    boost_screen_max: Annotated[int, Meaning("most shapes screened", 1, 10000)] = 40
    boost_screen_iterations: Annotated[int, Meaning("iterations per screened shape", 1, 1000)] = 8
    boost_screen_idle_s: Annotated[float, Meaning("idle seconds before each of them", 0, 10)] = 0.05
    boost_confirm_top: Annotated[int, Meaning("screened shapes that are confirmed", 1, 1000)] = 12
    boost_iterations: Annotated[
        int, Meaning("iterations per burst: few, so that it ends before the clock drops", 5, 10000, defines="a")
    ] = 20
    boost_burst_s: Annotated[float, Meaning("a burst is cut to about this long", 0.001, 10, defines="a")] = 0.05
    boost_idle_s: Annotated[
        float, Meaning("idle seconds before each burst, so that the clock recovers", 0, 60, defines="a")
    ] = 0.25
    boost_lock_reps: Annotated[int, Meaning("independent repeats of the winner's measurement", 1, 100)] = 3
    # Sustainable: saturated
    soak_s: Annotated[float, Meaning("longest heating to steady state; 0 for none", 0, 3600, defines="s")] = 30.0
    sustain_s: Annotated[float, Meaning("timed seconds per repeat", 0.001, 60, defines="s")] = 0.3
    sustain_warmup_s: Annotated[float, Meaning("untimed seconds before a shape's repeats", 0, 60, defines="s")] = (
        0.3
    )
    max_spread: Annotated[
        float, Meaning("a shape whose repeats spread more than this share is no headline", 0, 1, defines="s")
    ] = 0.03
    lock_reps: Annotated[int, Meaning("repeats of the winner's measurement", 1, 1000, defines="s")] = 9
    lock_tries: Annotated[int, Meaning("leaders tried before the best available is taken", 1, 100)] = 4
    saturated_power_ratio: Annotated[
        float, Meaning("from this share of the highest power on a shape is saturated", 0.1, 1, defines="s")
    ] = 0.97
    saturated_clock_ratio: Annotated[
        float, Meaning("an unsaturated shape this far above the saturated clock still boosts", 1, 10, defines="s")
    ] = 1.04
    suspect_power_ratio: Annotated[
        float, Meaning("below this share of the highest power a shape is no headline", 0, 1, defines="s")
    ] = 0.9
    steady_s: Annotated[float, Meaning("length of a steady window", 0.01, 8, defines="s")] = 2.0
    steady_drop: Annotated[float, Meaning("most that its second half may be slower", 0, 1, defines="s")] = 0.01
    steady_tries: Annotated[int, Meaning("windows taken until one is steady", 1, 100)] = 3
    steady_reps: Annotated[int, Meaning("steady windows of the winner", 1, 100)] = 3
    steady_top: Annotated[int, Meaning("sustainable leaders that get a steady window", 0, 100)] = 2

    def changed(self) -> tuple[tuple[str, Value], ...]:
        """Knobs that differ from their defaults."""
        values = ((k.name, k.default, getattr(self, k.name)) for k in knobs())
        return tuple((name, value) for name, default, value in values if value != default)

    def protocol(self, definition: Definition) -> str:
        """Key of a definition as these knobs carry it out: `v1/mamf-median5`, then what is not default."""
        letter = {CeilingKind.MAMF: "a", CeilingKind.MSMF: "s"}.get(definition.kind, "-")
        defining = {k.name for k in knobs() if letter in k.meaning.defines}
        tuned = [f"{name}={shown(value)}" for name, value in self.changed() if name in defining]
        return "/".join((f"v{DEFINITION_VERSION}", definition.value, *tuned))


@dataclass(frozen=True, slots=True)
class Knob:
    """One row of the registry: what `--tune NAME=VALUE` takes."""

    name: str
    type: type
    default: Value
    meaning: Meaning

    @property
    def expects(self) -> str:
        """What a value must be, in words."""
        if self.type is bool:
            return "true or false"
        if issubclass(self.type, StrEnum):
            return " or ".join(self.type)
        kind = "a whole number" if self.type is int else "a number"
        return f"{kind} from {self.meaning.least:g} to {self.meaning.most:g}"

    def parse(self, text: str) -> Value:
        """Raises UsageError naming the knob, the text and what was expected."""
        try:
            value = self._convert(text.strip())
        except (ValueError, KeyError):
            raise self._refusal(text) from None
        if isinstance(value, str | bool):
            return value
        if not self.meaning.least <= value <= self.meaning.most:  # also refuses NaN
            raise self._refusal(text)
        return value

    def _convert(self, text: str) -> Value:
        if self.type is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        value: Value = self.type(text)
        return value

    def _refusal(self, text: str) -> UsageError:
        return UsageError(
            f"{OPTION} {self.name}={quoted(text)[1:-1]}: expected {self.expects}",
            f"{self.meaning.doc}; the default is {shown(self.default)}",
        )


def shown(value: Value) -> str:
    """A value as `--tune` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def knobs() -> tuple[Knob, ...]:
    """Every knob, in the order of their use."""
    types = get_type_hints(Tuning, include_extras=True)
    rows = []
    for field in dataclasses.fields(Tuning):
        kind, meaning = get_args(types[field.name])
        rows.append(Knob(field.name, kind, cast(Value, field.default), meaning))
    return tuple(rows)


def parse_tuning(pairs: Sequence[str]) -> Tuning:
    """Tuning from `NAME=VALUE` texts, the default for what is not named.

    Raises UsageError for an unknown name (listing the nearest), a value of the wrong type or out of range, a
    name given twice, and knobs that contradict each other.
    """
    known = {k.name: k for k in knobs()}
    given: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals:
            raise UsageError(f"{OPTION} {quoted(pair)}: expected NAME=VALUE")
        if name not in known:
            raise UsageError(f"{OPTION}: there is no knob {quoted(name)}", _nearest(name, known))
        if name in given:
            raise UsageError(f"{OPTION}: {name} is given twice")
        given[name] = known[name].parse(text)
    tuning = Tuning(**given)
    if tuning.warmup_min_s > tuning.warmup_max_s:
        raise UsageError(
            f"{OPTION}: warmup_min_s={tuning.warmup_min_s:g} is more than warmup_max_s={tuning.warmup_max_s:g}"
        )
    return tuning


def _nearest(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known, n=4, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else f"there are: {', '.join(known)}"
