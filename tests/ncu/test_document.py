from __future__ import annotations

import json

from perftrack.ncu.document import launch_json, launches_json, summary_json
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.report import read_report
from perftrack.ncu.summary import summarise
from tests.ncu.launches import counter, raw, summary
from tests.ncu.needs import reports
from tests.ncu.reports import RECORDED

PROMISED = {
    "kernel", "grid", "block", "duration_ns", "dram_read_bytes", "dram_write_bytes", "dram_bytes_per_s",
    "dram_pct", "sm_pct", "mem_pct", "occupancy_achieved_pct", "occupancy_theoretical_pct", "occupancy_limiter",
    "registers", "waves", "l2_hit_pct", "top_stalls", "bound", "unparsed",
}  # fmt: skip


def test_every_promised_key_is_there_and_missing_values_are_null() -> None:
    document = summary_json(summary(grid=None, block=None))
    assert document.keys() >= PROMISED
    present = {"kernel", "bound", "occurrence", "instances", "top_stalls", "filled", "unparsed"}
    assert {key for key, value in document.items() if value is not None} == present


def test_a_duration_is_in_nanoseconds_without_the_noise_of_floats() -> None:
    document = summary_json(summary(counter("gpu__time_duration.sum", 124896e-9)))
    assert document["duration_ns"] == 124896
    assert json.dumps(document["duration_ns"]) == "124896"


def test_counts_are_whole_numbers_and_shares_are_not() -> None:
    document = summary_json(
        summary(counter("launch__registers_per_thread", 16.0), counter("lts__t_sector_hit_rate.pct", 50.0))
    )
    assert json.dumps([document["registers"], document["l2_hit_pct"]]) == "[16, 50.0]"


def test_shapes_stalls_and_fallbacks_are_plain_json() -> None:
    stall = counter("smsp__pcsamp_warps_issue_stalled_wait", 4.0, "warp")
    document = summary_json(summary(stall, counter("SOL FB", 46.0, "%", "GPU Speed Of Light")))
    assert document["grid"] == [64, 1, 1]
    assert document["top_stalls"] == [{"reason": "wait", "value": 4.0, "share_pct": 100.0, "source": "pcsamp"}]
    assert document["filled"] == {"dram_pct": "SOL FB"}


def test_all_metrics_are_given_when_they_are_asked_for() -> None:
    launch = summarise(
        raw(counter("gpu__time_duration.sum", 1e-4), counter("Enabled TPC IDs", "all", "", "Launch"))
    )
    assert "metrics" not in launch_json(launch)
    assert launch_json(launch, all_metrics=True)["metrics"] == [
        {"name": "gpu__time_duration.sum", "section": None, "value": 1e-4, "unit": "s"},
        {"name": "Enabled TPC IDs", "section": "Launch", "value": "all", "unit": None},
    ]


@reports
def test_a_whole_report_is_valid_json() -> None:
    launches = summarise_launches([read_report(RECORDED, "small", everything=True)])
    text = json.dumps(launches_json(launches, all_metrics=True), allow_nan=False)
    assert [len(one["metrics"]) for one in json.loads(text)] == [563] * 8
