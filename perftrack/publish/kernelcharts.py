"""The charts of the kernels page: a quantity of each launch by commit, and the roofline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perftrack.publish.charts import INK, MUTED, PAPER, log_axis

if TYPE_CHECKING:
    import altair as alt


def launches_chart() -> alt.LayerChart | alt.FacetChart:
    """Data set `points` (x, v, launch, colour) with a line a launch; parameters labels, unit, cursor, zero."""
    import altair as alt

    x = alt.X(
        "x:Q",
        scale=alt.Scale(zero=False, nice=False, padding=14),
        axis=alt.Axis(
            title=None,
            tickMinStep=1,
            tickCount=5,
            format="d",
            labelExpr="labels[datum.value] || ''",
            labelOverlap="greedy",
            tickOpacity=alt.condition("labels[datum.value]", alt.value(1), alt.value(0)),
        ),
    )
    y = alt.Y(
        "v:Q",
        scale=alt.Scale(zero=False, padding=12),
        axis=alt.Axis(
            title=None,
            labelExpr="format(datum.value, '~g') + unit",
            labelOverlap="greedy",
            tickCount=4,
            minExtent=58,  # those beside one another have their commits at the same places
        ),
    )
    colour = alt.Color("colour:N", scale=None, legend=None)
    base = alt.Chart(alt.NamedData("points")).transform_filter("isValid(datum.v)")
    return (
        alt.layer(
            base.mark_line(strokeWidth=1.5, strokeJoin="round").encode(
                x=x, y=y, color=colour, detail=alt.Detail("launch:N")
            ),
            base.mark_point(filled=True, stroke=PAPER, strokeWidth=1, size=46).encode(
                x=x,
                y=y,
                color=colour,
                shape=alt.Shape("launch:N", legend=None),
            ),
        )
        .add_params(alt.param(name="labels", value=[]), alt.param(name="unit", value=""))
        .properties(
            width="container",
            height=150,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding={"left": 2, "right": 8, "top": 6, "bottom": 2},
        )
    )


def roofline_chart() -> alt.LayerChart | alt.FacetChart:
    """Data sets `roof` (x, y, k, text), k the drawing order, and `launches` (x, y, launch, colour, newest).

    x is in flop/byte, y in flop/s.
    """
    import altair as alt

    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", nice=False, padding=16),
        axis=alt.Axis(
            title="flop/byte",
            titleColor=MUTED,
            titleFontWeight="normal",
            tickCount=6,
            **log_axis("format(datum.value, '~s')", "x"),
        ),
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log", nice=False, padding=16),
        axis=alt.Axis(
            title=None,
            labelOverlap="greedy",
            tickCount=5,
            minExtent=64,
            **log_axis("format(datum.value / 1e12, '~g') + ' Tflop/s'", "y"),
        ),
    )
    roof = alt.Chart(alt.NamedData("roof"))
    launches = alt.Chart(alt.NamedData("launches")).transform_filter("isValid(datum.x) && isValid(datum.y)")
    return (
        alt.layer(
            roof.mark_line(color=INK, strokeWidth=1.5).encode(x=x, y=y, order=alt.Order("k:Q")),
            roof.transform_filter("datum.text != ''")
            .mark_text(
                color=MUTED,
                fontSize=11,
                # Below the slope, which rises from where its own text begins, and above the flat part.
                baseline=alt.expr("datum.k == 0 ? 'middle' : 'bottom'"),
                dx=alt.expr("datum.k == 0 ? 14 : 0"),
                dy=alt.expr("datum.k == 0 ? 4 : -5"),
                align=alt.expr("datum.k == 0 ? 'left' : 'right'"),
            )
            .encode(x=x, y=y, text="text:N"),
            launches.mark_point(
                filled=True,
                stroke=PAPER,
                strokeWidth=1,
                size=alt.expr("datum.newest ? 110 : 40"),
                opacity=alt.expr("datum.newest ? 1 : 0.5"),
            ).encode(
                x=x,
                y=y,
                color=alt.Color("colour:N", scale=None, legend=None),
                shape=alt.Shape("launch:N", legend=None),
            ),
        )
        .add_params(alt.param(name="unit", value=""))
        .properties(
            width="container",
            height=300,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding={"left": 2, "right": 8, "top": 10, "bottom": 2},
        )
    )
