"""Ceilings as runs: what is stored comes back, with its tier and its doubts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perftrack.app.ceilingruns import results_in, run_of
from perftrack.app.remoterig import Circumstances
from perftrack.core.ceiling import Definition, Shape
from perftrack.core.fingerprint import UNKNOWN
from perftrack.core.model import Cache, Direction, MeasurementTier
from perftrack.core.reasons import reason
from perftrack.core.tiers import Exclusivity
from perftrack.store import Store
from tests.app.ceiling_builders import CARD, COPY, MAMF, MSMF, device, part

SHA = "a" * 40


def stored(tmp_path: Path, *parts, **more):  # type: ignore[no-untyped-def]
    run = run_of(device(*parts), SHA, started_at=1000.0, **more)
    assert run is not None
    store = Store(tmp_path / "s.duckdb")
    assert store.add_run(run)
    back = store.run(run.id)
    assert back == run and back.id == run.id
    return back


def test_everything_about_a_ceiling_survives_the_store(tmp_path: Path) -> None:
    mamf, msmf, copy = results_in(stored(tmp_path, part(MAMF, MSMF, COPY), label="first"))
    assert (mamf.definition, mamf.shape, mamf.peak) == (Definition.MAMF, Shape(1536, 2816, 40960), 8.6e14)
    assert (mamf.clock_mhz, mamf.power_w, mamf.protocol) == (1980.0, 520.0, "v1/mamf-median5")
    assert mamf.measurement.value == 8.5e14 and mamf.measurement.interval == MAMF.interval
    assert [w.samples for w in mamf.measurement.processes[0].windows] == [(8.49e14,), (8.5e14,), (8.51e14,)]
    assert (mamf.partial, mamf.validated) == (False, True)
    assert msmf.measurement.value == 7.5e14 and msmf.measurement.interval is None
    assert (copy.shape, copy.dtype, copy.power_w) == (None, None, None)


def test_units_direction_and_protocol_are_those_of_a_rate(tmp_path: Path) -> None:
    run = stored(tmp_path, part(MAMF, COPY, replace(COPY, definition=Definition.COPY_L2)))
    by_case = {m.case.id: m for m in run.measurements}
    assert {m.direction for m in run.measurements} == {Direction.HIGHER}
    assert by_case["ceiling[definition=mamf-median5,dtype=bfloat16]"].unit == "flop/s"
    assert by_case["ceiling[definition=copy-device]"].unit == "byte/s"
    assert by_case["ceiling[definition=copy-l2]"].protocol.cache is Cache.HOT
    assert by_case["ceiling[definition=copy-device]"].protocol.cache is Cache.COLD


def test_the_run_tells_how_the_search_went(tmp_path: Path) -> None:
    run = stored(tmp_path, part(MAMF))
    assert run.settings["bfloat16 shapes"] == 467
    assert run.settings["bfloat16 ending"] == "complete"
    assert run.settings["bfloat16 search"] == "auto"
    assert run.settings["l2_bytes"] == 60 << 20
    assert run.host == "node7" and not run.dirty


def test_where_it_was_measured_is_a_reason_to_read() -> None:
    run = run_of(device(part(MAMF)), SHA, started_at=0.0)
    assert run is not None
    assert run.measurements[0].reasons[0] == reason("ceiling-at", where="1536x2816x40960, 1980 MHz, 520 W")


def test_a_partial_or_unvalidated_ceiling_says_so(tmp_path: Path) -> None:
    (found,) = results_in(stored(tmp_path, part(replace(MAMF, partial=True, validated=False))))
    assert (found.partial, found.validated) == (True, False)


def test_warnings_of_search_and_result_are_kept() -> None:
    warned = replace(MAMF, warnings=(reason("no-clock-readings"),))
    made = part(warned)
    assert made.report is not None
    made = replace(made, report=replace(made.report, warnings=(reason("warmup-capped"),)))
    run = run_of(device(made), SHA, started_at=0.0)
    assert run is not None
    assert reason("no-clock-readings") in run.measurements[0].limitations
    assert run.limitations == (reason("warmup-capped"),)


def test_tiers_are_judged_as_those_of_any_result() -> None:
    def tier(result=MAMF, **fields) -> tuple[MeasurementTier, set[str]]:  # type: ignore[no-untyped-def]
        run = run_of(device(part(result, **fields)), SHA, started_at=0.0)
        assert run is not None
        return run.measurements[0].tier, {r.code for r in run.measurements[0].reasons}

    assert tier()[0] is MeasurementTier.B
    assert "power-capped" in tier(MSMF)[1]
    assert tier(replace(MAMF, event_reasons=0x40))[0] is MeasurementTier.C
    shared = Circumstances(False, Exclusivity.SHARED, "another process", "")
    assert tier(circumstances=shared)[0] is MeasurementTier.C
    assert "unknown-key-field" in tier(fingerprint=replace(CARD, driver_version=UNKNOWN))[1]
    assert "no-clock-evidence" in tier(replace(MAMF, clock_mhz=None))[1]


def test_nothing_measured_is_no_run() -> None:
    assert run_of(device(), SHA, started_at=0.0) is None
    assert run_of(device(part()), SHA, started_at=0.0) is None
