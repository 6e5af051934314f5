"""What the trend chart marks beside its points: changes, with the commits that can have made them, and epochs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perftrack.publish.charts import INK, PAPER

if TYPE_CHECKING:
    import altair as alt


def change_marks(x: alt.X, start: alt.X) -> Sequence[alt.Chart]:
    """Data set `changes` (x, x0, x1, colour, band, dash, filled, up): a band over the range, a mark at x.

    `x` is the likeliest commit, `band` the opacity, `dash` solid, dashed or dotted; `start` is the axis for x0.
    """
    import altair as alt

    base = alt.Chart(alt.NamedData("changes"))
    likeliest = base.transform_filter("datum.x >= x_lo && datum.x <= x_hi")
    colour = alt.Color("colour:N", scale=None, legend=None)
    return [
        base.transform_filter("datum.x1 >= x_lo && datum.x0 <= x_hi")
        .mark_rect(opacity=alt.expr("datum.band"), clip=True)
        .encode(x=start, x2=alt.X2("x1:Q"), color=colour),
        likeliest.mark_rule(
            strokeWidth=1.5,
            strokeDash=alt.expr("datum.dash == 'solid' ? [1, 0] : datum.dash == 'dashed' ? [5, 3] : [1.5, 3]"),
        ).encode(x=x, color=colour),
        likeliest.mark_point(
            filled=False,
            opacity=1,
            size=80,
            strokeWidth=1.5,
            fill=alt.expr(f"datum.filled ? datum.colour : '{PAPER}'"),
            shape=alt.expr("datum.up ? 'triangle-up' : 'triangle-down'"),
        ).encode(x=x, y=alt.value(-2), color=colour),
    ]


def epoch_marks(x: alt.X) -> Sequence[alt.Chart]:
    """Data set `epochs` (x, text, align, rise): where history begins anew, and why."""
    import altair as alt

    base = alt.Chart(alt.NamedData("epochs")).transform_filter("datum.x >= x_lo && datum.x <= x_hi")
    return labelled(base, x, INK, [2, 2])


def labelled(base: alt.Chart, x: alt.X, colour: str, dash: Sequence[float]) -> Sequence[alt.Chart]:
    """Rules with a `text` above the plot, where no value is, `rise` pixels up: the page stacks what would meet.

    `align`: to which side of its rule a text stands.
    """
    import altair as alt

    top = alt.value(alt.expr("-datum.rise"))
    return [
        base.mark_rule(color=colour, strokeDash=list(dash), strokeWidth=1).encode(
            x=x, y=top, y2=alt.value("height")
        ),
        base.mark_text(
            baseline="top",
            dx=alt.expr("datum.align == 'right' ? -5 : 5"),
            align=alt.expr("datum.align"),
            fontSize=11,
            color=colour,
        ).encode(x=x, y=top, text="text:N"),
    ]
