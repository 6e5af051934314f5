"""Chart specifications: one per kind, without data, the same in every build."""

import json
from importlib import resources
from importlib.resources.abc import Traversable

import pytest

from perftrack.publish.charts import chart_specs
from perftrack.publish.specifications import SOURCES

SPECS = chart_specs()
TRENDS = [name for name in SPECS if name.startswith("trend-")]


def test_there_is_one_specification_per_kind() -> None:
    assert sorted(SPECS) == [
        "distribution",
        "facet-even-linear",
        "facet-even-log",
        "facet-time-linear",
        "facet-time-log",
        "intervals",
        "launches",
        "parameter-linear",
        "parameter-log",
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
    assert '"values": [' not in text


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


@pytest.mark.parametrize("name", TRENDS)
def test_changes_and_accepted_ones_are_drawn_under_the_points(name: str) -> None:
    own = [layer.get("data", {}).get("name") for layer in SPECS[name]["layer"]]
    assert own[:5] == ["changes", "changes", "changes", "epochs", "epochs"]
    band = SPECS[name]["layer"][0]["encoding"]
    assert (band["x"]["field"], band["x2"]["field"]) == ("x0", "x1")
    assert band["x"]["scale"] == SPECS[name]["layer"][1]["encoding"]["x"]["scale"]


def test_every_source_of_a_specification_counts_for_whether_it_is_made_again() -> None:
    folder = resources.files("perftrack.publish")
    makers = {f.name.removesuffix(".py") for f in folder.iterdir() if "import altair" in _text(f)}
    assert makers == set(SOURCES)


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8") if file.name.endswith(".py") else ""


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        (n, "log")
        for n in ("trend-even-log", "trend-time-log", "facet-even-log", "facet-time-log", "parameter-log")
    ],
)
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
