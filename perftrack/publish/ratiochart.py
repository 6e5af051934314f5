"""The chart of the compare page: by how much each case changed, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perftrack.publish.charts import INK, MUTED, PAPER, log_axis

if TYPE_CHECKING:
    import altair as alt

BETTER, WORSE = "var(--better)", "var(--worse)"


def intervals_chart() -> alt.LayerChart | alt.FacetChart:
    """Data set `ratios` (name, ratio, lo, hi, worse), drawn in its order; parameters room and unit.

    `ratio` is candidate over baseline, lo and hi the ends of its interval; `room`: pixels for a name.
    """
    import altair as alt

    x = alt.X(
        "ratio:Q",
        scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(
            title="candidate / baseline",
            titleColor=MUTED,
            titleFontWeight="normal",
            labelOverlap="greedy",
            labelSeparation=8,
            tickCount=7,
            grid=True,
            **log_axis("'×' + format(datum.value, '~r')", "x"),
        ),
    )
    y = alt.Y(
        "name:N",
        sort=None,
        axis=alt.Axis(title=None, domain=False, ticks=False, labelLimit=alt.expr("room"), labelColor=INK),
    )
    colour = alt.condition("datum.worse", alt.value(WORSE), alt.value(BETTER))
    base = alt.Chart(alt.NamedData("ratios"))
    return (
        alt.layer(
            base.transform_aggregate(n="count()")
            .transform_calculate(one="1")
            .mark_rule(color=INK, strokeWidth=1)
            .encode(x=alt.X("one:Q", scale=alt.Scale(type="log", nice=False, padding=14))),
            base.mark_rule(strokeWidth=2.5, opacity=0.55).encode(
                x=alt.X("lo:Q", scale=alt.Scale(type="log", nice=False, padding=14)),
                x2=alt.X2("hi:Q"),
                y=y,
                color=colour,
            ),
            base.mark_point(
                filled=True,
                stroke=PAPER,
                strokeWidth=1,
                size=90,
                shape=alt.expr("datum.worse ? 'triangle-up' : 'triangle-down'"),
            ).encode(x=x, y=y, color=colour),
        )
        .add_params(alt.param(name="room", value=260), alt.param(name="unit", value=""))
        .properties(
            width="container",
            height={"step": 20},
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
            padding={"left": 2, "right": 8, "top": 6, "bottom": 2},
        )
    )
