"""The chart of a run's samples by process, and of the values on both sides of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perftrack.publish.charts import INK

if TYPE_CHECKING:
    import altair as alt


def distribution_chart() -> alt.LayerChart | alt.FacetChart:
    """Data sets `samples`, `windows` (process, v) and `summary` (v, lo, hi); parameter unit."""
    import altair as alt

    axis = alt.Axis(
        title=None, labelExpr="format(datum.value, '~g') + unit", tickCount=6, labelOverlap="greedy", grid=True
    )
    scale = alt.Scale(zero=False, nice=False, padding=10)
    x = alt.X("v:Q", scale=scale, axis=axis)
    rows = alt.Y("process:N", sort=None, axis=alt.Axis(title=None, domain=False, ticks=False))
    summary = alt.Chart(alt.NamedData("summary"))
    return (
        alt.layer(
            summary.transform_filter("isValid(datum.lo)")
            .mark_rect(color=INK, opacity=0.08)
            .encode(x=alt.X("lo:Q", scale=scale, axis=axis), x2=alt.X2("hi:Q")),
            summary.mark_rule(color=INK, strokeWidth=1.5).encode(x=x),
            alt.Chart(alt.NamedData("samples"))
            .mark_tick(color="var(--accent)", opacity=0.6, thickness=1.5, bandSize=16)
            .encode(x=x, y=rows),
            alt.Chart(alt.NamedData("windows"))
            .mark_point(filled=False, color=INK, strokeWidth=1.5, size=48, shape="diamond")
            .encode(x=x, y=rows),
        )
        .add_params(alt.param(name="unit", value=""))
        .properties(
            width="container", height={"step": 28}, autosize=alt.AutoSizeParams(type="fit-x", contains="padding")
        )
    )
