"""A second page, beyond the paper: other methods on the same data, and its open question."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import altair as alt

from paper._errors import PAIRED
from paper._pages import COLOURS, INK, Page, data, signed, table, with_error
from paper._results import RESULTS, Row, load

# The paper's two, then ours.
METHODS = {
    "LaA": "label aggregation",
    "LoA": "loss aggregation",
    "balanced": "loss aggregation, balanced",
    "worst": "worst label",
    "plug-in LaA": "plug-in, label aggregation",
    "plug-in LoA": "plug-in, loss aggregation",
    "boosted LaA": "boosted, label aggregation",
    "boosted LoA": "boosted, loss aggregation",
    "boosted worst": "boosted, worst label",
}
# What the results of each script are grouped by, and which of them to leave out.
SETTINGS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "table_bank": ("bank, {recipe} recipe, 90%", {"training": ("Adam",)}),
    "table_mslr": (
        "MSLR, {direction}, {model}",
        {"pairs": ("within queries",), "training": ("MLP by query",)},
    ),
    "figure_helpsteer": ("HelpSteer, coherence and {second}", {}),
    "table_synthetic_training": (
        "synthetic, π₂ = {pi_2}",
        {"training": ("true probabilities",), "angle": ("right",)},
    ),
}
MODELS = {"MLP": "MLP", "linear": "linear and others", "plug-in": "linear and others"}


def chosen(objectives: Collection[str]) -> Iterator[tuple[str, Row]]:
    """The rows of some objectives, each with the name of its data set and condition."""
    for name, (title, without) in SETTINGS.items():
        result = load(name, RESULTS)
        for row in result.rows if result is not None else ():
            left_out = any(row.get(key) in values for key, values in without.items())
            if row["objective"] in objectives and not left_out:
                model = MODELS.get(row.get("training", ""), "linear and others")
                yield title.format(**row, model=model), row


def settings() -> dict[str, list[Row]]:
    """Rows of the methods for every data set and condition there is a result for."""
    found: dict[str, list[Row]] = {}
    for setting, row in chosen(METHODS):
        found.setdefault(setting, []).append(row)
    return found


def leads() -> Iterator[Row]:
    """How much larger the smallest AUC is by 'worst' than by each aggregation, trial by trial."""
    pairs = {PAIRED.format("worst", other): other for other in ("LaA", "LoA")}
    for setting, row in chosen(pairs):
        yield {
            "setting": setting,
            "other": pairs[row["objective"]],
            "lead": row["min_auc"],
            "lead_se": row["min_auc_se"],
        }


def answer(found: list[Row]) -> str:
    """The open question, answered in one sentence for each of the two aggregations."""
    sentences = []
    for other, name in (("LaA", "label"), ("LoA", "loss")):
        rows = [row for row in found if row["other"] == other]
        clear = [row for row in rows if row["lead_se"] is not None]
        up = sum(row["lead"] > 2 * row["lead_se"] for row in clear)
        down = sum(row["lead"] < -2 * row["lead_se"] for row in clear)
        ahead = sum(row["lead"] > 0 for row in rows)
        sentences.append(
            f"Against {name} aggregation it has the larger smallest AUC in {ahead} of {len(rows)} "
            f"settings; by more than two standard errors it is better in {up} and worse in {down}"
        )
    return ". ".join(sentences) + "."


def render() -> Page:
    found = list(leads())
    sections = []
    for setting, rows in settings().items():
        lines = sorted(rows, key=lambda row: -row["min_auc"])
        columns = {
            "method": lambda r: METHODS[r["objective"]],
            "min AUC": with_error("min_auc"),
            "diff AUC": with_error("diff_auc"),
            "trials": "trials",
        }
        sections.append(f"### {setting[0].upper()}{setting[1:]}\n\n{table(lines, columns)}")
    by_setting: dict[str, Row] = {}
    for row in found:
        cell = signed("lead")(row)
        by_setting.setdefault(row["setting"], {"setting": row["setting"]})[row["other"]] = cell
    columns = {"setting": "setting", "lead over label aggregation": "LaA"}
    columns["lead over loss aggregation"] = "LoA"
    text = f"""
The paper leaves open 'how well directly maximizing the minimum per-label AUC would perform'.
`WorstLabel` does that: it minimises the largest of the labels' losses. This page answers for the
paper's data (or what stands in for them: see the page of each), on held-out rows.

**{answer(found)}**

How much larger its smallest AUC is, trial by trial (mean ± standard error, corrected where trials
share rows: bank and HelpSteer; by query: MSLR; plain where trials are fresh draws: synthetic):

{table(list(by_setting.values()), columns)}

Keep in mind: the smallest AUC is what `WorstLabel` is trained for, so it should win;
that it does not always shows the price of a surrogate loss and of few rows. Where one label is easy
and the other hard, all of its advantage is bought from the easy label. And a smallest AUC says
nothing about who wins conflicts.

## All methods, the best first

Loss aggregation 'balanced' weighs labels by their pairs, the plug-in puts logistic regressions into
the best scorer of each aggregation, boosted trees minimise the loss over all pairs.

{(chr(10) * 2).join(sections)}
"""
    return Page("Beyond the paper", text, drawn(found))


def drawn(found: list[Row]) -> alt.LayerChart:
    """The lead of 'worst' in the smallest AUC, setting by setting."""
    names = {"LaA": "over label aggregation", "LoA": "over loss aggregation"}
    rows = [
        {
            "setting": row["setting"].replace("π₂", "prior of label 2"),
            "who": names[row["other"]],
            "lead": row["lead"],
            "low": row["lead"] - 2 * (row["lead_se"] or 0),
            "high": row["lead"] + 2 * (row["lead_se"] or 0),
        }
        for row in found
    ]
    order = list(dict.fromkeys(row["setting"] for row in rows))
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("setting:N", title=None, sort=order, axis=alt.Axis(labelLimit=320, grid=True)),
        yOffset=alt.YOffset("who:N"),
        color=alt.Color(
            "who:N",
            title="worst label's lead",
            scale=alt.Scale(domain=list(names.values()), range=[COLOURS[name] for name in names]),
        ),
    )
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("lead:Q", title="lead in the smallest AUC; bars: two standard errors")
    )
    bars = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    zero = alt.Chart(data([{"x": 0}])).mark_rule(strokeDash=[4, 4], color=INK).encode(x="x:Q")
    title = "Maximising the smallest AUC itself: right of the line it helps"
    return (zero + bars + dots).properties(width=380, height=alt.Step(13), title=title)
