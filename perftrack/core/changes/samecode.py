"""Which commits of a stretch can have changed the code that a case runs: those whose hash differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.launches.samecode import same_code


def code_marks(
    first: int, last: int, trees: Mapping[int, str], ran: Mapping[int, Sequence[LaunchSummary]]
) -> tuple[str, ...]:
    """For the positions `first` to `last` a text that is that of the one before where the code is the same.

    `trees`: hash of the commit's files, by position; one that is not known is like no other. `ran`: by position
    the launches that a profile of the case shows. Between two profiles that show the same code and work no
    commit changed them.
    """
    same = {at for at in range(first + 1, last + 1) if at in trees and trees[at] == trees.get(at - 1)}
    for before, after in pairwise(sorted(ran)):
        if after > first and before < last and same_code(ran[before], ran[after]):
            same.update(range(max(before, first) + 1, min(after, last) + 1))
    marks: list[str] = []
    for at in range(first, last + 1):
        marks.append(marks[-1] if at in same and marks else str(at))
    return tuple(marks)
