"""The kernels page: launches followed over commits, under the roof of their case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from perftrack.core.launches.launch import Launch, Profile
from perftrack.publish import addresses
from perftrack.publish.gather import History, read_history
from perftrack.publish.kernels import kernel_files, kernel_list, kernels_page
from tests.publish.profiled import CASE, LAUNCH, SECOND, Profiled
from tests.publish.synthetic import SyntheticHistory


@pytest.fixture(scope="module")
def history() -> History:
    return read_history(Profiled(4))


def document(history: History) -> Mapping[str, Any]:
    ((path, file),) = kernel_files(history)
    assert path == addresses.kernel_data(addresses.kernel_key(CASE))
    return file.document


def rows(document: Mapping[str, Any], launch: int = 0) -> list[dict[str, Any]]:
    columns = document["rows"]
    every = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return [row for row in every if row["launch"] == launch]


def test_without_profiles_there_are_no_files_and_the_page_says_so() -> None:
    history = read_history(SyntheticHistory(2))
    assert kernels_page(history, None).cases == 0
    assert kernel_list(history) == {}
    assert not list(kernel_files(history))


def test_equal_launches_of_one_profile_are_told_apart_by_their_order(history: History) -> None:
    kernels = [(kernel, nth) for kernel, _, _, nth in document(history)["launches"]]
    assert kernels == [(LAUNCH.kernel, 0), ("reduce", 0), ("reduce", 1)]


def test_a_launch_has_a_row_a_commit_in_the_order_of_commits(history: History) -> None:
    found = document(history)
    assert [p[0] for p in found["profiles"]] == [c.sha for c in history.commits]
    assert [row["at"] for row in rows(found)] == [0, 1, 2, 3]
    assert [row["registers"] for row in rows(found)] == [64.0, 64.0, 128.0, 128.0]


def test_other_machine_code_is_marked_once_where_it_first_is(history: History) -> None:
    found = document(history)
    assert [row["changed"] for row in rows(found)] == [False, False, True, False]
    assert not any(row["changed"] for row in rows(found, 1))


def test_launches_stand_under_the_measured_ceilings_of_their_case(history: History) -> None:
    found = document(history)
    assert found["roof"]["compute"][:2] == ["MAMF bfloat16", 8e14]
    assert found["roof"]["memory"][1:] == [4e12, "4.000 TB/s"]
    first = rows(found)[0]
    assert first["intensity"] == pytest.approx(2e10 / 4e9)
    assert first["rate"] == pytest.approx(2e10 / 1e-3)
    assert (first["side"], first["against"]) == ("memory", "measured ceilings")
    assert first["fraction"] == pytest.approx(4e9 / 1e-3 / 4e12)
    assert "operations" in rows(found, 1)[0]["missing"]


def test_the_list_has_the_newest_profile_of_each_case(history: History) -> None:
    listed = kernel_list(history)
    assert listed["case"] == [CASE]
    assert listed["duration"] == [pytest.approx(1.5e-3 + 2e-5)]
    assert listed["longest"] == ["gemm<128, float>"]
    assert listed["commits"] == [4]


class Lost(Profiled):
    """One profile is of a commit that the history does not have, and one case was never timed."""

    def profiles(self) -> Sequence[Profile]:
        made = super().profiles()
        gone = replace(made[0], sha="f" * 40, launches=(Launch(replace(SECOND, duration_s=None)),))
        return [*made, gone, replace(made[1], case_id="never timed")]


def test_a_profile_of_a_commit_out_of_history_comes_first_and_one_without_times_stands_under_no_roof() -> None:
    history = read_history(Lost(3))
    files = {file.document["case"]: file.document for _, file in kernel_files(history)}
    assert files[CASE]["profiles"][0][0] == "f" * 40
    assert files["never timed"]["roof"] == {"compute": None, "memory": None}
    assert files["never timed"]["page"] == ""
    assert rows(files["never timed"])[0]["against"] == "the profiler's peaks"
    assert kernel_list(history)["duration"][0] == pytest.approx(1.5e-3 + 2e-5)
