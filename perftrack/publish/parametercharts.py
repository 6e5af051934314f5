"""The charts of a benchmark's cases side by side: by commit, one chart a value of a parameter, and along one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from perftrack.publish.charts import MUTED, PAPER, Scale, log_axis

if TYPE_CHECKING:
    import altair as alt

_PADDING = {"left": 2, "right": 8, "top": 6, "bottom": 2}


def facet_chart(x: alt.X, y: Callable[[str, Scale], alt.Y]) -> alt.LayerChart | alt.FacetChart:
    """Data set `points` (x, v, lo, hi, segment, colour, shape); those of `trend-*` but for the cursor."""
    import altair as alt

    value, low, high = y("v", Scale.LINEAR), y("lo", Scale.LINEAR), alt.Y2("hi:Q")
    colour, segment = alt.Color("colour:N", scale=None, legend=None), alt.Detail("segment:N")
    base = alt.Chart(alt.NamedData("points")).transform_filter(
        "datum.x >= x_lo && datum.x <= x_hi && isValid(datum.v)"
    )
    layers = (
        base.transform_filter("isValid(datum.lo)")
        .mark_area(opacity=0.14, line=False, clip=True)
        .encode(x=x, y=low, y2=high, color=colour, detail=segment),
        base.mark_line(strokeWidth=1.2, strokeJoin="round", clip=True).encode(
            x=x, y=value, color=colour, detail=segment
        ),
        base.mark_point(
            filled=True,
            stroke=PAPER,
            strokeWidth=alt.expr("size < 20 ? 0 : 0.8"),
            size=alt.expr("size"),
            clip=True,
        ).encode(x=x, y=value, color=colour, shape=alt.Shape("shape:N", scale=None, legend=None)),
    )
    given: dict[str, Any] = {"x_lo": 0, "x_hi": 1, "y_lo": 0, "y_hi": 1, "labels": [], "unit": "", "size": 26}
    return (
        alt.layer(*layers)
        .add_params(*(alt.param(name=name, value=first) for name, first in given.items()))
        .properties(
            width="container",
            height=150,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding=_PADDING,
        )
    )


def parameter_chart(scale: str) -> alt.LayerChart | alt.FacetChart:
    """Data set `points` (x, v, lo, hi, line, colour, shape), x the parameter; both axes `linear` or `log`.

    Parameters: ticks, the values of the parameter, and unit.
    """
    import altair as alt

    log = scale == Scale.LOG
    limits: dict[str, Any] = {"type": "log"} if log else {"zero": False}
    x = alt.X(
        "x:Q",
        scale=alt.Scale(nice=False, padding=16, **limits),
        axis=alt.Axis(
            title=None,
            values=alt.ExprRef("ticks"),
            labelExpr="format(datum.value, '.6~g')",
            labelOverlap="greedy",
        ),
    )
    label = "format(datum.value, '~g') + unit"
    shown = log_axis(label, "y") if log else {"labelExpr": label}
    axis = alt.Axis(title=None, labelOverlap="greedy", tickCount=6, minExtent=44, **shown)
    ys = {
        field: alt.Y(f"{field}:Q", scale=alt.Scale(nice=False, padding=14, **limits), axis=axis)
        for field in ("v", "lo")
    }
    colour = alt.Color("colour:N", scale=None, legend=None)
    base = alt.Chart(alt.NamedData("points")).transform_filter("isValid(datum.v)")
    return (
        alt.layer(
            base.mark_line(strokeWidth=1.2, color=MUTED).encode(
                x=x, y=ys["v"], color=colour, detail=alt.Detail("line:N"), order=alt.Order("x:Q")
            ),
            base.transform_filter("isValid(datum.lo)")
            .mark_rule(strokeWidth=2, opacity=0.5)
            .encode(x=x, y=ys["lo"], y2=alt.Y2("hi:Q"), color=colour),
            base.mark_point(filled=True, opacity=1, stroke=PAPER, strokeWidth=1, size=64).encode(
                x=x, y=ys["v"], color=colour, shape=alt.Shape("shape:N", scale=None, legend=None)
            ),
        )
        .add_params(alt.param(name="unit", value=""), alt.param(name="ticks", value=[]))
        .properties(
            width="container",
            height=260,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding=_PADDING,
        )
    )
