"""The commits that can be to blame for a difference between two, and who descends from whom among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perftrack.core.stats import Floats
from perftrack.errors import InvalidValueError

Bits = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Labels = NDArray[np.int64]

MOST = 30_000  # commits: their ancestry takes MOST² / 8 bytes, 112 MB
NEGLIGIBLE = 1e-8  # probability that is left out of a sum over ancestors
# (256, 8): which of a byte's commits, least significant first, are in it.
_IN_BYTE = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.float64)


@dataclass(frozen=True, slots=True)
class CommitGraph:
    """Ancestors of `bad` that are not ancestors of `good`, parents before children; `bad` is the last.

    `parents`: of each commit, as SHAs, those outside of the range too. `base`: where `good` is no ancestor of
    `bad`, the commit at which their histories part. It comes first and stands for "slow already at the base":
    then the difference is a change on the side of `good`.
    """

    good: str
    bad: str
    base: str | None
    shas: tuple[str, ...]
    parents: tuple[tuple[str, ...], ...]
    places: Mapping[str, int] = field(repr=False, compare=False)
    # (⌈n/8⌉, n): bit c % 8 of byte c // 8 in column x says that c is x or an ancestor of x.
    reach: Bits = field(repr=False, compare=False)

    @classmethod
    def between(
        cls,
        parents: Mapping[str, Sequence[str]],
        good: str,
        bad: str,
        *,
        base: str | None = None,
        first_parent: bool = False,
    ) -> CommitGraph:
        """The range of a search.

        `parents`: SHA → SHAs of the parents, for at least every commit that `bad` reaches and `good` does not;
        what is not in it counts as history of `good`. `base`: see the class; needed where `good` is no ancestor
        of `bad`. `first_parent`: only the line of first parents back from `bad` can be to blame, each commit of
        it with all that it merged.

        Raises InvalidValueError where nothing can be to blame, a base is needed, or there are cycles or more
        than MOST commits.
        """
        older = _reached(parents, good)
        if bad in older:
            what = "are the same commit" if good == bad else f"has {bad[:12]} in its history"
            hint = "GOOD comes first, BAD second: perftrack bisect GOOD BAD."
            raise InvalidValueError(f"nothing lies between: {good[:12]} {what}", hint)
        if bad not in parents:
            raise InvalidValueError(f"the history of {bad[:12]} is not given")
        split = good not in _reached(parents, bad)
        if first_parent:
            parents = {sha: tuple(above)[:1] for sha, above in parents.items()}
        shas = _parents_first(parents, bad, older)
        above = [tuple(parents[sha]) for sha in shas]
        if not split:
            base = None
        elif base is None:
            raise InvalidValueError(
                f"{good[:12]} is no ancestor of {bad[:12]}",
                "Say at which commit their histories part (the merge base).",
            )
        else:
            shas, above = [base, *shas], [(), *above]
        return cls.of(good, bad, base, shas, above)

    @classmethod
    def of(
        cls, good: str, bad: str, base: str | None, shas: Sequence[str], parents: Sequence[tuple[str, ...]]
    ) -> CommitGraph:
        """From its fields, as `between` made them. Raises InvalidValueError where they do not fit together."""
        if len(shas) > MOST:
            raise InvalidValueError(
                f"{len(shas):,} commits can be to blame; the most are {MOST:,}",
                "Take ends that are closer, or only the line of first parents: --first-parent.",
            )
        places = {sha: place for place, sha in enumerate(shas)}
        inner = [[places[p] for p in above if p in places] for above in parents]
        ordered = all(p < place for place, above in enumerate(inner) for p in above)
        if not shas or len(places) != len(shas) or len(inner) != len(shas) or not ordered or shas[-1] != bad:
            raise InvalidValueError("a range needs each commit once, parents before children, its bad end last")
        if base is not None:
            if shas[0] != base:
                raise InvalidValueError("the base of a range comes first")
            inner = [above or [0] for above in inner]
            inner[0] = []
        return cls(good, bad, base, tuple(shas), tuple(parents), places, _reach(inner))

    def __len__(self) -> int:
        return len(self.shas)

    def beyond(self, good: str) -> CommitGraph:
        """The part of the range that does not lead to one of its commits: `good` as the new good end."""
        keep = ~self.ancestors(self.places[good])
        shas = [sha for sha, kept in zip(self.shas, keep, strict=True) if kept]
        above = [p for p, kept in zip(self.parents, keep, strict=True) if kept]
        return CommitGraph.of(good, self.bad, None, shas, above)

    def ancestors(self, place: int) -> Mask:
        """(n,): which commits are this one or an ancestor of it."""
        mask: Mask = np.unpackbits(self.reach[:, place], count=len(self), bitorder="little").view(np.bool_)
        return mask

    def descendants(self, place: int) -> Mask:
        """(n,): which commits are this one or descend from it."""
        mask: Mask = (self.reach[place >> 3] >> np.uint8(place & 7) & np.uint8(1)).view(np.bool_)
        return mask

    def slow(self, weights: Floats) -> Floats:
        """(n,): sum of `weights` (n,) over each commit's ancestors and itself.

        With the probability of being the culprit, this is the probability of being slow. Eight commits are
        summed at a time from a table of the 256 sums that they can have; eights without probability are skipped.
        """
        eights = np.zeros((len(self.reach), 8))
        eights.reshape(-1)[: len(self)] = weights
        heavy = np.flatnonzero(eights.sum(axis=1) > NEGLIGIBLE / len(eights))
        total = np.zeros(len(self))
        for eight, table in zip(heavy, eights[heavy] @ _IN_BYTE.T, strict=True):
            later = int(eight) * 8  # no commit descends from one that comes after it
            total[later:] += table[self.reach[eight, later:]]
        return total

    def blocks(self, measurable: Mask) -> Labels:
        """(n,): the first place of the block that each commit is in.

        Two commits are in one block where every measurable commit descends from both or from neither: no
        measurement tells them apart. There is at most one measurable commit in a block, and it descends from
        the rest of it.
        """
        labels = np.arange(len(self), dtype=np.int64)
        told = np.flatnonzero(measurable)
        groups: dict[bytes, int] = {}
        for place in np.flatnonzero(~measurable):
            below = told[self.descendants(int(place))[told]]
            labels[place] = first = groups.setdefault(below.tobytes(), int(place))
            # The measurable commit of the block, if it has one, is the ancestor of the others below.
            if len(below) and self.descendants(int(below[0]))[below].all():
                labels[below[0]] = first
        return labels


def _reached(parents: Mapping[str, Sequence[str]], start: str) -> set[str]:
    """`start` and its ancestors, as far as they are given."""
    found, waiting = {start}, [start]
    while waiting:
        fresh = [p for p in parents.get(waiting.pop(), ()) if p not in found]
        found.update(fresh)
        waiting.extend(fresh)
    return found


def _parents_first(parents: Mapping[str, Sequence[str]], tip: str, outside: set[str]) -> list[str]:
    """The commits that lead to `tip`, parents before children and branches in one piece."""
    done: dict[str, None] = {}
    path: dict[str, None] = {tip: None}
    waiting = [(tip, iter(parents[tip]))]
    while waiting:
        sha, rest = waiting[-1]
        above = next((p for p in rest if p in parents and p not in outside and p not in done), None)
        if above is None:
            waiting.pop()
            del path[sha]
            done[sha] = None
        elif above in path:
            raise InvalidValueError(f"the history given has a cycle through {above[:12]}")
        else:
            path[above] = None
            waiting.append((above, iter(parents[above])))
    return list(done)


def _reach(parents: Sequence[Sequence[int]]) -> Bits:
    n = len(parents)
    rows = np.zeros((n, (n + 7) // 8), dtype=np.uint8)
    for place, above in enumerate(parents):
        row = rows[place]
        for p in above:
            row |= rows[p]
        row[place >> 3] |= 1 << (place & 7)
    return np.ascontiguousarray(rows.T)
