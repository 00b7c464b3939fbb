"""The pictures, as altair charts whose data comes last: records in, one grammar out."""

from __future__ import annotations

from typing import Any, TypeAlias

import altair as alt

from isonomy._infra import short_names
from isonomy._render.report.records import MOST_COLOURED, PageRecords, Records

# A chart of altair's, whose type changes with every call on it.
Picture: TypeAlias = Any

# Okabe and Ito's colours, which people with any colour vision can tell apart.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#8C6BB1", "#777777"]
RECOMMENDED = "#D55E00"
GREY = "#9aa0a6"
# Of the row of a chart that lists methods.
STEP = 30
# Pairs of labels that fit beside each other.
MOST_PAIRS = 6
# Letters of a label's name that its column on the map has room for, and on a square.
LONGEST_ON_MAP, LONGEST_ON_SQUARE = 16, 13
# Labels of all the squares beside each other.
MOST_BESIDE = 36
# What is written on a coloured cell can be read if it is white on blue from here on, else dark.
DARK_BLUE, DARK_INK = 0.92, "#222222"
TOP = "10%"


def specifications(records: PageRecords) -> dict[str, dict[str, Any]]:
    """Every picture as Vega-Lite has it, by name.

    Altair would check each against a schema, several times, for a third of the time that a page
    takes; tests do that.
    """
    with alt.utils.schemapi.debug_mode(False):
        return {name: chart.to_dict(validate=False) for name, chart in charts(records).items()}


def charts(records: PageRecords) -> dict[str, Picture]:
    """Every picture that this comparison allows, by name."""
    found = {"aucs": aucs_chart(records.aucs)}
    if len(records.labels) > 1:
        found["weights"] = weights_chart(records.labels)
    if records.lines:
        found["tradeoff"] = tradeoff_chart(records.lines[0])
    if records.conflicts:
        found["conflicts"] = conflicts_chart(records.conflicts)
    tops = [each for each in records.tops if each["top"] == TOP]
    if tops:
        found["top"] = top_chart(tops)
    if records.curves:
        found["roc"] = roc_chart(records.curves)
    return found


def weights_chart(records: Records) -> Picture:
    """The pull that equal loss weights secretly give each label."""
    base = alt.Chart(alt.Data(values=records)).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=_names()),
    )
    bars = base.mark_bar(height=16, color=COLOURS[0]).encode(
        x=alt.X("share:Q", title="share of the pull", axis=_percent()),
        tooltip=_tooltip(
            {"name": "label"}, {"prior": "positive", "share": "share of the pull"}, ".2%"
        ),
    )
    text = base.mark_text(align="left", dx=5).encode(
        x="share:Q", text=alt.Text("share:Q", format=".2~p")
    )
    # On the right there is room for the text of the longest bar.
    padding = {"left": 5, "top": 5, "right": 36, "bottom": 5}
    return _wide((bars + text).properties(height=STEP * len(records), padding=padding))


def aucs_chart(records: Records) -> Picture:
    """Each label's AUC under each method: with its interval, or as a map of many labels."""
    if _count(records, "label") > MOST_COLOURED:
        return aucs_map(records)
    base = alt.Chart(alt.Data(values=records)).encode(
        y=alt.Y("method:N", sort=None, title=None, axis=_names()),
        yOffset=alt.YOffset("label:N", sort=None),
        color=_label_colour(),
        tooltip=_auc_tooltip(),
    )
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X(
            "low:Q",
            title="AUC on held-out rows",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(tickCount=8, labelOverlap="greedy", labelSeparation=6),
        ),
        x2="high:Q",
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="auc:Q")
    methods, labels = _count(records, "method"), _count(records, "label")
    layers = alt.layer(bars, dots, _chance_line())
    return _wide(layers.properties(height=methods * max(36, 12 * labels)))


def aucs_map(records: Records) -> Picture:
    """A row per method, a column per label, the smallest AUC first."""
    # Cut here: a drawing cuts the end, which may be all that tells names apart.
    short = short_names([*dict.fromkeys(each["label"] for each in records)], LONGEST_ON_MAP)
    records = [{**each, "label": short[each["label"]]} for each in records]
    base = alt.Chart(alt.Data(values=[*_smallest(records), *records])).encode(
        x=alt.X(
            "label:N",
            sort=None,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=140, ticks=False, domain=False),
        ),
        y=alt.Y("method:N", sort=None, title=None, axis=_names()),
        tooltip=_auc_tooltip(),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "auc:Q",
            title="AUC",
            scale=alt.Scale(domain=[0.3, 0.5, 1], range=["#D55E00", "#f2f2f2", "#0072B2"]),
            legend=alt.Legend(format=".1f", orient="bottom", gradientLength=160),
        )
    )
    text = base.mark_text(fontSize=10).encode(
        text=alt.Text("auc:Q", format=".2f"),
        color=_ink("auc"),
    )
    return _wide(alt.layer(cells, text).properties(height=24 * _count(records, "method")))


def _smallest(records: Records) -> Records:
    """Each method's smallest AUC, as a label of its own."""
    by_method: dict[str, dict[str, Any]] = {}
    for each in records:
        lowest = by_method.get(each["method"])
        if each["auc"] is not None and (lowest is None or each["auc"] < lowest["auc"]):
            by_method[each["method"]] = each
    return [{**each, "label": "Min"} for each in by_method.values()]


def _auc_tooltip() -> list[alt.Tooltip]:
    return _tooltip(
        {"whole": "method", "name": "label"}, {"auc": "AUC", "low": "from", "high": "to"}, ".4f"
    )


def _chance_line() -> Picture:
    """What a constant score has."""
    return (
        alt.Chart(alt.Data(values=[{"chance": 0.5}]))
        .mark_rule(strokeDash=[4, 4], color=GREY)
        .encode(x="chance:Q")
    )


def tradeoff_chart(line: dict[str, Any]) -> Picture:
    """What moving weight from one label to the other does to both AUCs.

    Its data sets have names, so that the page's slider can change them.
    """
    scale = alt.Scale(zero=False, nice=True, padding=12)
    axis = alt.Axis(tickCount=6, labelOverlap="greedy", labelSeparation=6)
    x = alt.X("x:Q", title=None, scale=scale, axis=axis)
    y = alt.Y("y:Q", title=None, scale=scale, axis=axis)
    path = (
        alt.Chart(alt.NamedData("line"))
        .mark_line(color=GREY, strokeWidth=2)
        .encode(x=x, y=y, order="order:Q")
    )
    points = (
        alt.Chart(alt.NamedData("line"))
        .mark_point(filled=True, size=22, color=GREY, opacity=0.9)
        .encode(x=x, y=y, opacity=alt.condition("datum.front", alt.value(1), alt.value(0.35)))
    )
    methods = (
        alt.Chart(alt.NamedData("methods"))
        .mark_point(filled=True, size=90, opacity=0.95)
        .encode(
            x=x,
            y=y,
            color=alt.condition("datum.recommended", alt.value(RECOMMENDED), alt.value(COLOURS[0])),
            shape=alt.condition("datum.recommended", alt.value("diamond"), alt.value("circle")),
            tooltip=_tooltip(
                {"whole": "method"}, {"x": "AUC, first label", "y": "AUC, second label"}, ".4f"
            ),
        )
    )
    sides: list[tuple[str, Any, int]] = [("!datum.left", "left", 9), ("datum.left", "right", -9)]
    names = [
        alt.Chart(alt.NamedData("methods"))
        .transform_filter(where)
        .mark_text(align=align, dx=dx, dy=1, fontSize=11)
        .encode(x=x, y=y, text="text:N")
        for where, align, dx in sides
    ]
    chosen = (
        alt.Chart(alt.NamedData("chosen"))
        .mark_point(size=240, strokeWidth=3, color=COLOURS[2], filled=False)
        .encode(x=x, y=y)
    )
    below = (
        alt.Chart(alt.NamedData("axes"))
        .mark_text(fontWeight="bold", baseline="top")
        .encode(
            x=alt.value(alt.expr("width / 2")), y=alt.value(alt.expr("height + 26")), text="x:N"
        )
    )
    left = (
        alt.Chart(alt.NamedData("axes"))
        .mark_text(fontWeight="bold", baseline="bottom", align="left")
        .encode(x=alt.value(0), y=alt.value(-8), text="y:N")
    )
    chart = alt.layer(path, points, methods, *names, chosen, below, left).properties(height=360)
    chart.datasets = {
        "line": line["points"],
        "methods": line["methods"],
        "axes": line["axes"],
        "chosen": [line["points"][line["start"]]],
    }
    return _wide(chart)


def conflicts_chart(records: Records) -> Picture:
    """Who wins where labels disagree: a row per method, a column per pair of labels.

    Where there are too many pairs for that, a square per method, the winner in its rows.
    """
    tooltip = _tooltip(
        {"whole": "method", "first": "label", "second": "against", "verdict": "verdict"},
        {"won": "conflicts won", "low": "from", "high": "to"},
        ".1%",
    )
    if squares(_count(records, "pair")):
        placed, axis = _on_squares(records), alt.Axis(ticks=False, domain=False)
        base = alt.Chart().encode(
            x=alt.X("column:N", sort=None, title=None, axis=axis),
            y=alt.Y("row:N", sort=None, title=None, axis=axis),
            tooltip=tooltip,
        )
        method = alt.Facet("method:N", title=None, sort=alt.EncodingSortField("order", op="min"))
        return (
            alt.layer(*_cells(base, ".0f"), data=alt.Data(values=placed))
            .transform_calculate(percent="100 * datum.won")
            .properties(width=alt.Step(26), height=alt.Step(26))
            .facet(facet=method, columns=max(MOST_BESIDE // _count(placed, "row"), 1))
            # Each has its columns' names beneath it, also where they stand one below the other.
            .resolve_axis(x="independent")
        )
    few = _count(records, "pair") <= 3
    above = alt.Axis(orient="top", labelAngle=0 if few else -30, labelLimit=220)
    base = alt.Chart(alt.Data(values=records)).encode(
        x=alt.X("pair:N", sort=None, title=None, axis=above),
        y=alt.Y("method:N", sort=None, title=None, axis=_names()),
        tooltip=tooltip,
    )
    return _wide(
        alt.layer(*_cells(base, ".0%")).properties(height=STEP * _count(records, "method"))
    )


def _on_squares(records: Records) -> Records:
    """With names that have room; a drawing would cut the end, which may tell them apart."""
    names = dict.fromkeys(each[side] for each in records for side in ("first", "second"))
    short = short_names([*names], LONGEST_ON_SQUARE)
    return [
        {**each, "row": short[each["first"]], "column": short[each["second"]]} for each in records
    ]


def squares(n_pairs: int) -> bool:
    """Whether there are too many pairs of labels for a column each."""
    return n_pairs > MOST_PAIRS


def _cells(base: Picture, form: str) -> tuple[Picture, Picture]:
    """Coloured cells, and the shares in them."""
    cells = base.mark_rect().encode(
        color=alt.Color(
            "won:Q",
            title="share won",
            scale=alt.Scale(domain=[0, 0.5, 1], range=["#D55E00", "#f2f2f2", "#0072B2"]),
            legend=alt.Legend(format=".0%", orient="bottom", gradientLength=160),
        )
    )
    text = base.mark_text(fontSize=12).encode(
        text=alt.Text("won:Q" if "%" in form else "percent:Q", format=form),
        color=_ink("won"),
    )
    return cells, text


def _ink(field: str) -> Any:
    """Of the number on a cell that is coloured by this field."""
    return alt.condition(f"datum.{field} > {DARK_BLUE}", alt.value("white"), alt.value(DARK_INK))


def top_chart(records: Records) -> Picture:
    """What the top of the list holds, beside the share in the whole list."""
    base = alt.Chart().encode(
        y=alt.Y("method:N", sort=None, title=None, axis=_names()),
        tooltip=_tooltip(
            {"whole": "method", "name": "label"},
            {"share": "in the top", "low": "from", "high": "to", "prior": "in the whole"},
            ".1%",
        ),
    )
    bars = base.mark_bar(height=12).encode(
        x=alt.X("share:Q", title=f"share of positives in the top {TOP}", axis=_percent()),
        color=alt.condition("datum.recommended", alt.value(RECOMMENDED), alt.value(COLOURS[4])),
    )
    rules = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q")
    priors = base.mark_tick(thickness=2, height=22, color=GREY).encode(x="prior:Q")
    layers = alt.layer(bars, rules, priors, data=alt.Data(values=records))
    many = _count(records, "label") > MOST_COLOURED
    sized = layers.properties(width=170 if many else 240, height=alt.Step(24))
    return _per_label(sized, 3 if many else 2).resolve_scale(x="independent")


def roc_chart(records: Records) -> Picture:
    """ROC curves per label: the recommended method above the others."""
    looks = (("!datum.recommended", GREY, 1.4, 0.5), ("datum.recommended", RECOMMENDED, 2.2, 1.0))
    lines = [
        alt.Chart()
        .transform_filter(which)
        .mark_line(strokeWidth=width, color=colour, opacity=opacity)
        .encode(
            x=alt.X("x:Q", title="share of negatives passed"),
            y=alt.Y("y:Q", title="share of positives found"),
            detail="method:N",
            order=alt.Order("x:Q"),
            tooltip=[alt.Tooltip("method:N")],
        )
        for which, colour, width, opacity in looks
    ]
    layers = alt.layer(*lines, data=alt.Data(values=records))
    if _count(records, "label") > MOST_COLOURED:
        return _per_label(layers.properties(width=165, height=150), 4)
    return _per_label(layers.properties(width=240, height=220), 2)


def _tooltip(names: dict[str, str], numbers: dict[str, str], form: str) -> list[alt.Tooltip]:
    """Fields and their titles; numbers in one format."""
    texts = [alt.Tooltip(f"{field}:N", title=title) for field, title in names.items()]
    return texts + [
        alt.Tooltip(f"{field}:Q", title=title, format=form) for field, title in numbers.items()
    ]


def _per_label(layers: Picture, columns: int) -> Picture:
    """A chart for each label, in the labels' order."""
    label = alt.Facet("label:N", title=None, sort=alt.EncodingSortField("k", op="min"))
    return layers.facet(facet=label, columns=columns)


def _label_colour() -> alt.Color:
    return alt.Color(
        "label:N",
        sort=None,
        title=None,
        scale=alt.Scale(range=COLOURS),
        legend=alt.Legend(orient="top", symbolType="circle", labelLimit=260, columns=2),
    )


def _names() -> alt.Axis:
    return alt.Axis(ticks=False, domain=False)


def _percent() -> alt.Axis:
    # As many digits as keep ticks apart: 0.5% beside 1%.
    return alt.Axis(format="~%", tickCount=4, labelOverlap="greedy", labelSeparation=6)


def _count(records: Records, field: str) -> int:
    return len({each[field] for each in records})


def _wide(chart: Picture) -> Picture:
    return chart.properties(
        width="container", autosize=alt.AutoSizeParams(type="fit-x", contains="padding")
    )
