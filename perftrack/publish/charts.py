"""The charts: one Altair specification per kind, bound to a page's own data in the browser.

A specification names its data sets and parameters and holds none, so a site of thousands of series
validates four charts and not thousands. Colours are CSS variables: one drawing serves light, dark and print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

    _Layers = alt.LayerChart | alt.FacetChart  # what layering is declared to give

INK, MUTED, GRID, PAPER, BAD = (f"var(--chart-{name})" for name in ("ink", "muted", "grid", "paper", "bad"))
_HEIGHT = 340
_TWO_LINES = 36  # pixels below the plot, so that what follows stays where it is when the axis changes
_HOURS_BELOW = 5 * 86_400_000  # milliseconds of a time axis with hours


class Spacing(StrEnum):
    """What the x axis counts: commits, evenly spaced, or time."""

    EVEN = "even"
    TIME = "time"


class Scale(StrEnum):
    LINEAR = "linear"
    LOG = "log"


@cache
def chart_specs(*, validate: bool = False) -> Mapping[str, Mapping[str, Any]]:
    """Vega-Lite specifications by name: `trend-even-linear` and so on, `distribution`, and those of other modules.

    `trend-*` read data sets of points (fields x, v, lo, hi, segment, colour, tier, status), one for each
    way to draw them: `points`, those of tier C `hollow`, `failed`, `line`, `bands`, `bars`, the chosen one `held`,
    and its commit `cursor`. Also `breaks` (x, text, align, rise), those of turnmarks, and the parameters x_lo,
    x_hi, y_lo, y_hi, labels, unit, size, outline, stroke. The page decides what is in which: an expression for
    each of thousands of points is what takes a browser long, as the page's policy has Vega interpret them.

    Validating against Altair's schema takes longer than everything else that a build does, and the answer is
    always the same: a test asks for it.
    """
    from altair.utils.schemapi import debug_mode

    from perftrack.publish.kernelcharts import launches_chart, roofline_chart
    from perftrack.publish.parametercharts import facet_chart, parameter_chart
    from perftrack.publish.ratiochart import intervals_chart
    from perftrack.publish.samplechart import distribution_chart
    from perftrack.publish.turnmarks import change_marks, epoch_marks

    with debug_mode(validate):
        x = _x(Spacing.EVEN)
        trend = _plain(_trend([*change_marks(x, _x(Spacing.EVEN, "x0")), *epoch_marks(x)]), validate)
        facet = _plain(facet_chart(x, _y), validate)
        specs = {
            f"{name}-{spacing.value}-{scale.value}": _with_axes(kind, spacing, scale)
            for name, kind in (("trend", trend), ("facet", facet))
            for spacing in Spacing
            for scale in Scale
        }
        specs |= {f"parameter-{s.value}": _plain(parameter_chart(s.value), validate) for s in Scale}
        specs["distribution"] = _plain(distribution_chart(), validate)
        specs["intervals"] = _plain(intervals_chart(), validate)
        specs["launches"] = _plain(launches_chart(), validate)
        specs["roofline"] = _plain(roofline_chart(), validate)
    return specs


def _plain(chart: _Layers, validate: bool) -> Mapping[str, Any]:
    """The specification without the schema's address, which names a site that no page may ask."""
    spec = chart.to_dict(validate=validate)
    spec.pop("$schema", None)
    spec["config"] = _CONFIG
    return spec


def _with_axes(trend: Mapping[str, Any], spacing: Spacing, scale: Scale) -> Mapping[str, Any]:
    """A chart along other axes: every layer has the same ones."""
    xs = {field: _x(spacing, field).to_dict() for field in ("x", "x0")}
    ys = {field: _y(field, scale).to_dict() for field in ("v", "lo")}
    layers = []
    for layer in trend["layer"]:
        encoding = dict(layer["encoding"])
        encoding["x"] = xs.get(encoding["x"].get("field"), encoding["x"])
        field = encoding.get("y", {}).get("field")
        if field in ys:
            encoding["y"] = ys[field]
        layers.append({**layer, "encoding": encoding})
    return {**trend, "layer": layers}


_AXIS = {
    "domainColor": GRID,
    "gridColor": GRID,
    "tickColor": GRID,
    "labelColor": MUTED,
    "labelFontSize": 11,
    "labelPadding": 5,
}
_CONFIG: Mapping[str, Any] = {
    "background": "transparent",
    "aria": False,  # a description of each mark takes long, and the frames of charts have words of their own
    "mark": {"invalid": "show"},  # pages give no value that is none: it is not looked for again in every layer
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": _AXIS,
    "axisX": {"grid": False},
    "axisY": {"domain": False, "ticks": False},
}


def log_axis(label: str, channel: str) -> Mapping[str, Any]:
    """Of an axis that is logarithmic, which ticks have a `label` (an expression), and faint lines for the others.

    Over a decade or more the labels are 1, 2 and 5 of each, over many the decades: where ticks are dropped only
    for want of room, it is the decades that go. Within less than one all may be labelled.
    """
    span = f"(domain('{channel}')[1] / domain('{channel}')[0])"
    leading = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))"
    told = f"{span} < 10 || {leading} == 1 || ({span} < 1e5 && ({leading} == 2 || {leading} == 5))"
    return {
        "labelExpr": f"{told} ? {label} : ''",
        "gridOpacity": {"condition": {"test": told, "value": 1}, "value": 0.4},
    }


def _x(spacing: Spacing, field: str = "x") -> alt.X:
    import altair as alt

    limits: dict[str, Any] = {"domainMin": {"expr": "x_lo"}, "domainMax": {"expr": "x_hi"}, "nice": False}
    if spacing is Spacing.EVEN:
        axis = alt.Axis(
            title=None,
            tickMinStep=1,
            format="d",
            labelExpr="labels[datum.value] || ''",
            labelOverlap="greedy",
            tickCount=9,
            tickOpacity=alt.condition("labels[datum.value]", alt.value(1), alt.value(0)),
            minExtent=_TWO_LINES,
        )
        return alt.X(f"{field}:Q", scale=alt.Scale(zero=False, padding=14, **limits), axis=axis)
    day, hour = "utcFormat(datum.value, '%Y-%m-%d')", "utcFormat(datum.value, '%H:%M UTC')"
    axis = alt.Axis(
        title=None,
        labelExpr=f"x_hi - x_lo < {_HOURS_BELOW} ? [{day}, {hour}] : {day}",
        labelOverlap="greedy",
        tickCount=7,
        minExtent=_TWO_LINES,
    )
    return alt.X(f"{field}:T", scale=alt.Scale(type="utc", padding=14, **limits), axis=axis)


def _y(field: str, scale: Scale) -> alt.Y:
    import altair as alt

    label = "format(datum.value, '~g') + unit"
    given = log_axis(label, "y") if scale is Scale.LOG else {"labelExpr": label}
    axis = alt.Axis(title=None, labelOverlap="greedy", tickCount=6, minExtent=44, **given)
    limits: dict[str, Any] = {"domainMin": {"expr": "y_lo"}, "domainMax": {"expr": "y_hi"}, "nice": False}
    if scale is Scale.LOG:
        return alt.Y(f"{field}:Q", scale=alt.Scale(type="log", padding=14, **limits), axis=axis)
    return alt.Y(f"{field}:Q", scale=alt.Scale(zero=False, padding=14, **limits), axis=axis)


def _trend(turns: Sequence[alt.Chart]) -> _Layers:
    """`turns`: marks of changes, drawn under the points."""
    import altair as alt

    from perftrack.publish.turnmarks import labelled

    x, y = _x(Spacing.EVEN), _y("v", Scale.LINEAR)
    colour = alt.Color("colour:N", scale=None, legend=None)
    segment = alt.Detail("segment:N")
    low, high = _y("lo", Scale.LINEAR), alt.Y2("hi:Q")
    breaks, bands, bars, line, points, hollow, failed, cursor, held = (
        alt.Chart(alt.NamedData(name))
        for name in ("breaks", "bands", "bars", "line", "points", "hollow", "failed", "cursor", "held")
    )
    shape = alt.Shape(
        "tier:N",
        scale=alt.Scale(domain=["A", "B", "C"], range=["circle", "diamond", "triangle-down"]),
        legend=None,
    )
    layers = [
        *turns,
        *labelled(breaks, x, MUTED, [3, 3]),
        bands.mark_area(opacity=0.16, line=False, clip=True).encode(
            x=x, y=low, y2=high, color=colour, detail=segment
        ),
        bars.mark_rule(opacity=0.45, strokeWidth=2, clip=True).encode(x=x, y=low, y2=high, color=colour),
        line.mark_line(strokeWidth=alt.expr("stroke"), strokeJoin="round").encode(
            x=x, y=y, color=colour, detail=segment
        ),
        points.mark_point(
            filled=True,
            stroke=PAPER,
            strokeWidth=alt.expr("outline"),
            size=alt.expr("size"),
            opacity=1,
        ).encode(x=x, y=y, color=colour, shape=shape),
        hollow.mark_point(filled=False, fill=PAPER, strokeWidth=1.5, size=alt.expr("size"), opacity=1).encode(
            x=x, y=y, color=colour, shape=shape
        ),
        failed.mark_point(
            filled=False,
            shape=alt.expr("datum.status == 'failed' ? 'M-.6,-.6L.6,.6M-.6,.6L.6,-.6' : 'M-.7,0L.7,0'"),
            size=90,
            strokeWidth=2,
            color=BAD,
            yOffset=-7,
        ).encode(x=x, y=alt.value("height")),
        cursor.mark_rule(color=MUTED).encode(x=x),
        held.mark_point(filled=False, size=150, strokeWidth=2, color=INK, shape="circle").encode(x=x, y=y),
    ]
    return (
        alt.layer(*layers)
        .add_params(
            alt.param(name="x_lo", value=0),
            alt.param(name="x_hi", value=1),
            alt.param(name="y_lo", value=0),
            alt.param(name="y_hi", value=1),
            alt.param(name="labels", value=[]),
            alt.param(name="unit", value=""),
            *(
                alt.param(name=name, value=value)
                for name, value in (("size", 44), ("outline", 1), ("stroke", 1.5))
            ),
        )
        .properties(
            width="container",
            height=_HEIGHT,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding={"left": 2, "right": 8, "top": 14, "bottom": 2},
        )
    )
