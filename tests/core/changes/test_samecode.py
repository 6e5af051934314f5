from __future__ import annotations

from dataclasses import replace

from perftrack.core.changes.samecode import code_marks
from perftrack.core.launches.launch import LaunchSummary

LAUNCH = LaunchSummary("k", grid=(1, 1, 1), block=(32, 1, 1), code_hash="one", instructions=10.0)
OTHER = replace(LAUNCH, code_hash="two")


def unchanged(marks: tuple[str, ...]) -> list[int]:
    return [at for at in range(1, len(marks)) if marks[at] == marks[at - 1]]


def test_equal_files_are_equal_code() -> None:
    assert unchanged(code_marks(4, 7, {4: "t", 5: "t", 6: "u", 7: "u"}, {})) == [1, 3]


def test_a_commit_whose_files_are_not_known_may_have_changed_them() -> None:
    assert unchanged(code_marks(4, 6, {4: "t", 6: "t"}, {})) == []


def test_between_equal_profiles_no_commit_changed_the_code() -> None:
    assert unchanged(code_marks(4, 9, {}, {2: [LAUNCH], 7: [LAUNCH], 9: [OTHER]})) == [1, 2, 3]


def test_different_profiles_leave_every_commit_between_in_doubt() -> None:
    assert unchanged(code_marks(4, 9, {}, {4: [LAUNCH], 9: [OTHER]})) == []


def test_equal_code_on_other_work_is_a_change() -> None:
    assert unchanged(code_marks(0, 3, {}, {0: [LAUNCH], 3: [replace(LAUNCH, instructions=20.0)]})) == []


def test_code_that_was_changed_back_is_not_the_same() -> None:
    ran = {0: [LAUNCH], 2: [OTHER], 4: [LAUNCH]}
    assert unchanged(code_marks(0, 4, {}, ran)) == []


def test_the_commit_of_the_first_of_two_equal_profiles_is_in_doubt_itself() -> None:
    assert unchanged(code_marks(4, 9, {}, {6: [LAUNCH], 8: [LAUNCH]})) == [3, 4]
