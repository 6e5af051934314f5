"""Which shapes an automatic search scouts: a first look, then what the first look makes promising.

The first look has the outputs that fill whole waves, and a coarse plane of outputs, some of whose many waves hide
what a partial one costs. The outputs that do best, for either regime, then get the
whole set of K, and the best shapes have their neighbours looked at until nothing gets better. Which K is best
differs between regimes: a long K amortises a tile's beginning and end, a short one leaves gaps that a power limit
turns into clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from perftrack.ceiling.geometry import Layouts, Pair, fits, promise, wave_layouts
from perftrack.ceiling.protocols import RigFacts
from perftrack.ceiling.space import Space, device_space
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape
from perftrack.errors import UsageError

HIGH_K = 16384  # by which outputs are compared: the beginning and end of a tile hardly count
BOOST_KS = (20480, 28672, 40960)
SUSTAINED_KS = (1024, 2048, 3072, 4096, 6144, 8192, 12288, 20480)
SHORT_PROBES = ((1, 6144), (3, 3072), (8, 2048))  # outputs of up to so many waves are probed at this K too
PLANE = (2048, 4096, 8192, 12288, 16384, 20480)
LOW_PLANE = (2048, 8192, 16384)
LOW_PLANE_K = 3072
LEAST_SIZE = 1024  # smaller outputs leave most units idle


@dataclass(frozen=True, slots=True)
class Outlook:
    """What auto search starts from: where it moves, and the outputs that fill waves, fewest waves first."""

    space: Space
    layouts: tuple[Layouts, ...]
    facts: RigFacts

    @property
    def wave_pairs(self) -> tuple[Pair, ...]:
        return tuple(dict.fromkeys(p for layout in self.layouts for p in layout.pairs))

    def usable(self, shapes: Iterable[Shape]) -> Iterator[Shape]:
        """Those in the space whose operands fit the memory, every one once."""
        for shape in self.space.snapped(shapes):
            if fits(shape, self.facts.dtype, self.facts.memory_bytes):
                yield shape


def outlook(facts: RigFacts, tuning: Tuning, space: Space | None = None) -> Outlook:
    """Raises UsageError where the device's geometry is not known, with what to run instead.

    space: search only there, as in a recorded grid; the device's own by default.
    """
    if not facts.unit_count or facts.tile_hint is None:
        missing = "the number of compute units" if not facts.unit_count else "the tile of the vendor's kernels"
        raise UsageError(
            f"--search auto derives shapes from the device's geometry: {missing} of {facts.product} is not known",
            "search a range instead: --search grid with --m, --n and --k, or --shapes-file",
        )
    if space is None:
        space = device_space(facts.tile_hint, facts.dtype, max_size=tuning.max_size, max_k=tuning.max_k)
    axes = frozenset(space.m), frozenset(space.n)

    def usable(pair: Pair) -> bool:
        return min(pair) >= LEAST_SIZE and pair[0] in axes[0] and pair[1] in axes[1]

    waves = range(1, tuning.max_waves + 1)
    layouts = wave_layouts(facts.unit_count, facts.tile_hint, usable, waves=waves, most=tuning.wave_pairs)
    return Outlook(space, layouts, facts)


def first_look(view: Outlook, tuning: Tuning) -> tuple[Shape, ...]:
    """Wave layouts, fewest waves first, at their short K and then at the high one; then the plane.

    One K after the other, since the clock that a long product left behind takes a while to recover. A space that
    holds few wave layouts has its other outputs looked at too, up to `probe_pairs` in all.
    """
    short = (Shape(m, n, k) for layout in view.layouts for m, n in layout.pairs for k in _short(layout.waves))
    high = (Shape(m, n, HIGH_K) for layout in view.layouts for m, n in layout.pairs)
    plane = (Shape(m, n, HIGH_K) for m in PLANE for n in PLANE)
    low = (Shape(m, n, LOW_PLANE_K) for m in LOW_PLANE for n in LOW_PLANE)
    look = tuple(view.usable((*short, *high, *plane, *low)))
    seen = {(s.m, s.n) for s in look}
    more = (Shape(m, n, HIGH_K) for m, n in _promising(view, seen)[: max(0, tuning.probe_pairs - len(seen))])
    return (*look, *(s for s in view.usable(more) if s not in look))


def whole_k(view: Outlook, boost: Sequence[Pair], sustained: Sequence[Pair]) -> tuple[Shape, ...]:
    """Outputs that lead in a regime, at the Ks that suit it: long ones at boost clock, short ones saturated."""
    shapes = [Shape(m, n, k) for m, n in boost for k in BOOST_KS]
    shapes += [Shape(m, n, k) for m, n in sustained for k in SUSTAINED_KS]
    return tuple(view.usable(shapes))


def long_shapes(view: Outlook, tuning: Tuning) -> tuple[Shape, ...]:
    """Outputs of few waves at the longest K, to be screened at boost clock whatever their scouts say.

    One wave has nothing but K to spread the beginning and end of its tiles over: such outputs trail at the K where
    outputs are compared and lead at the longest. Hot, they are held back by the power limit, so scouts hide it.
    """
    few = (layout for layout in view.layouts if layout.waves <= tuning.boost_long_waves)
    return tuple(view.usable(Shape(m, n, max(view.space.k)) for layout in few for m, n in layout.pairs))


def neighbours(view: Outlook, seeds: Sequence[Shape], tuning: Tuning) -> tuple[Shape, ...]:
    """What lies around the seeds, nearest first and every one once."""
    around = (view.space.around(s, tuning.refine_radius_mn, tuning.refine_radius_k) for s in seeds)
    return tuple(view.usable(shape for ring in around for shape in ring))


def _promising(view: Outlook, seen: Collection[Pair]) -> list[Pair]:
    """Outputs of the space that were not seen, the ones that use the device best first."""
    units, tile = view.facts.unit_count or 1, view.facts.tile_hint or (1, 1)
    others = (p for p in product(view.space.m, view.space.n) if min(p) >= LEAST_SIZE and p not in seen)
    return sorted(others, key=lambda p: promise(p, units, tile), reverse=True)


def _short(waves: int) -> tuple[int, ...]:
    """The K whose product is short enough for the gaps between products to matter; none for many waves."""
    return next(((k,) for most, k in SHORT_PROBES if waves <= most), ())
