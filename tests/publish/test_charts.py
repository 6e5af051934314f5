"""Chart specifications: one per kind, without data, the same in every build."""

import json

import pytest

from perftrack.publish.charts import chart_specs

SPECS = chart_specs()
TRENDS = [name for name in SPECS if name.startswith("trend-")]


def test_there_is_one_specification_per_kind() -> None:
    assert sorted(SPECS) == [
        "distribution",
        "intervals",
        "launches",
        "roofline",
        "trend-even-linear",
        "trend-even-log",
        "trend-time-linear",
        "trend-time-log",
    ]


def test_specifications_are_the_same_every_time() -> None:
    assert json.dumps(chart_specs.__wrapped__()) == json.dumps(SPECS)


def test_altair_s_schema_has_nothing_against_them() -> None:
    assert chart_specs(validate=True) == SPECS


@pytest.mark.parametrize("name", SPECS)
def test_a_specification_holds_names_of_data_and_no_data(name: str) -> None:
    text = json.dumps(SPECS[name])
    assert "datasets" not in SPECS[name]
    assert '"values"' not in text


@pytest.mark.parametrize("name", SPECS)
def test_a_specification_names_no_address(name: str) -> None:
    assert "http" not in json.dumps(SPECS[name])


@pytest.mark.parametrize("name", TRENDS)
def test_tiers_are_told_by_shape(name: str) -> None:
    shapes = [layer["encoding"]["shape"] for layer in SPECS[name]["layer"] if "shape" in layer["encoding"]]
    assert shapes
    assert all(s["scale"]["domain"] == ["A", "B", "C"] and len(set(s["scale"]["range"])) == 3 for s in shapes)


@pytest.mark.parametrize("name", TRENDS)
def test_a_line_is_cut_where_its_segment_ends(name: str) -> None:
    (line,) = [layer for layer in SPECS[name]["layer"] if layer["mark"]["type"] == "line"]
    assert line["encoding"]["detail"]["field"] == "segment"


@pytest.mark.parametrize(("name", "scale"), [("trend-even-log", "log"), ("trend-time-log", "log")])
def test_a_log_chart_has_a_log_axis(name: str, scale: str) -> None:
    scales = [
        layer["encoding"]["y"]["scale"]
        for layer in SPECS[name]["layer"]
        if "scale" in layer["encoding"].get("y", {})
    ]
    assert {s.get("type") for s in scales} == {scale}


def test_a_time_chart_counts_time_in_utc() -> None:
    x = SPECS["trend-time-linear"]["layer"][0]["encoding"]["x"]
    assert (x["type"], x["scale"]["type"]) == ("temporal", "utc")
