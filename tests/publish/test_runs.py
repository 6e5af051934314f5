"""Data files of runs: every result once, and the same bytes for good."""

import pytest

from perftrack.core.model import Status
from perftrack.publish import addresses
from perftrack.publish.catalogue import Catalogue, catalogue, listing
from perftrack.publish.evidence import point_evidence
from perftrack.publish.gather import read_history
from perftrack.publish.runs import (
    MAX_OUTPUT,
    RunFiles,
    environment_files,
    newest_sampled,
    run_list,
    sample_file,
)
from tests.publish.synthetic import SyntheticHistory, default_shapes
from tests.publish.unpacking import Packed, unpacked, values

SOURCE = SyntheticHistory(30)
HISTORY = read_history(SOURCE)
NUMBERS: Catalogue = catalogue(HISTORY)
DETAILS = SOURCE.details()
MADE = RunFiles(HISTORY, NUMBERS, point_evidence(HISTORY), DETAILS).files(frozenset())
FILES = {path: unpacked(file.script()) for path, file in MADE}


def run(at: int) -> Packed:
    return FILES[addresses.run_data(HISTORY.runs[at].id)]


def numbers(packed: Packed) -> list[int]:
    found, at = [], 0
    for step in packed.columns["series"]:
        at += step
        found.append(at)
    return found


@pytest.mark.parametrize("at", [0, 17, 29])
def test_every_measurement_is_a_row_with_its_value(at: int) -> None:
    packed, stored = run(at), SOURCE.run(HISTORY.runs[at].id)
    catalog = listing(HISTORY, NUMBERS)
    rows = numbers(packed)
    references = [catalog["reference"][n] for n in rows]  # type: ignore[index]
    shown = dict(zip((catalog["id"][n] for n in rows), values(packed.columns, references), strict=True))  # type: ignore[index]
    assert len(rows) == len(stored.measurements)
    for m in stored.measurements:
        if m.value is not None:
            assert shown[m.case.id].value == pytest.approx(m.value, rel=1e-3)


def test_a_failed_case_keeps_the_end_of_what_it_printed() -> None:
    packed = run(29)
    ((number, text),) = packed.document["outputs"].items()
    assert "CUDA error" in text and len(text) <= MAX_OUTPUT
    facet = packed.document["facets"][packed.columns["facet"][numbers(packed).index(int(number))]]
    assert facet[0] == Status.FAILED.value


def test_a_run_s_file_stays_the_same_as_history_grows() -> None:
    shapes = default_shapes(40)
    made = []
    for commits in (20, 25):
        source = SyntheticHistory(commits, shapes)
        history = read_history(source)
        files = RunFiles(history, catalogue(history), point_evidence(history), source.details()).files(frozenset())
        made.append({path: file.script() for path, file in files})
    assert made[0].items() <= made[1].items()


def test_settings_read_as_words_and_unset_ones_are_left_out() -> None:
    assert run(0).document["settings"] == [["processes", "3"], ["python", "3.11"], ["windows", "3"]]


def test_environments_of_a_run_have_files_and_lanes() -> None:
    known = {path for path, _ in environment_files(DETAILS)}
    for id_, lanes in run(29).document["environments"]:
        assert addresses.environment_data(id_) in known
        assert lanes and all(0 <= slot < len(HISTORY.lanes) for slot in lanes)


def test_samples_are_shown_of_the_newest_runs_that_have_any() -> None:
    newest = newest_sampled(HISTORY, DETAILS, 3)
    assert newest == {r.id for r in HISTORY.runs[-3:]}
    assert newest_sampled(HISTORY, {}, 3) == frozenset()


def test_samples_are_told_by_the_key_of_their_series() -> None:
    stored = SOURCE.run(HISTORY.runs[5].id)
    keys = {(addresses.case_key(s.case), s.metric): addresses.series_key(s) for s in HISTORY.series}
    packed = unpacked(sample_file(stored, keys).script())
    assert set(packed.document["of"]) == {keys[addresses.case_key(m.case), m.metric] for m in stored.measurements}


def test_the_list_of_runs_names_the_lanes_of_each() -> None:
    lanes = run_list(HISTORY)["lanes"]
    assert isinstance(lanes, list)
    assert {HISTORY.lanes[slot].label for slot in lanes[29]} == {
        "AMD EPYC 9654 96-Core",
        "H200 · driver 570.86.10",
    }
