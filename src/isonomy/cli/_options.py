"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

_TABLE = "The table"
_MODEL = "The model"
_GOAL = "The goal"
GATES = "Gates for a build server"

File = Annotated[
    str,
    typer.Argument(help="CSV, TSV, Parquet or JSON lines, also gzipped; - reads standard input."),
]
Files = Annotated[
    list[str],
    typer.Argument(
        help="Tables: CSV, TSV, Parquet or JSON lines, also gzipped; 'part-*.parquet', folders and "
        "partitioned data sets; - reads standard input."
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        help="Columns of 0/1, true/false or yes/no, separated by commas; may be repeated. "
        "Empty values are 'not observed'.",
        rich_help_panel=_TABLE,
    ),
]
Positive = Annotated[
    list[str] | None,
    typer.Option(
        help="COLUMN=VALUE: a label that is 1 where the column has this value.",
        rich_help_panel=_TABLE,
    ),
]
Threshold = Annotated[
    list[str] | None,
    typer.Option(
        help="COLUMN=NUMBER: a label that is 1 where the column is at least this.",
        rich_help_panel=_TABLE,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        help="Column, such as a query id: only rows of one group are compared.",
        rich_help_panel=_TABLE,
    ),
]
Weight = Annotated[
    str | None, typer.Option(help="Column with each row's weight.", rich_help_panel=_TABLE)
]
Count = Annotated[
    str | None,
    typer.Option(
        help="Column with the number of items that a row stands for, as COUNT(*) gives it.",
        rich_help_panel=_TABLE,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Column, such as a user id: rows of one cluster vary together, in all intervals.",
        rich_help_panel=_TABLE,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(help="Between fields of a CSV file; guessed by default.", rich_help_panel=_TABLE),
]
Features = Annotated[
    list[str] | None,
    typer.Option(help="Columns to learn from; all others by default.", rich_help_panel=_TABLE),
]
Exclude = Annotated[
    list[str] | None, typer.Option(help="Columns not to learn from.", rich_help_panel=_TABLE)
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns of text to learn from by their words; text of many kinds is left out "
        "otherwise.",
        rich_help_panel=_TABLE,
    ),
]
Family = Annotated[
    str,
    typer.Option(
        help="linear, boosted or neural. A blend mixes the classifiers of several, with commas.",
        rich_help_panel=_MODEL,
    ),
]
Families = Annotated[
    str,
    typer.Option(
        "--family",
        help="linear, boosted or neural, or several with commas. auto: linear and, where it is "
        "installed, boosted.",
        rich_help_panel=_MODEL,
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        help="Only these methods, by what `fit --method` calls them, such as mean,worst,blend; "
        "all that apply by default.",
        rich_help_panel=_MODEL,
    ),
]
Tune = Annotated[
    bool,
    typer.Option(
        "--tune/--no-tune",
        help="Whether methods find their settings inside the training rows.",
        rich_help_panel=_MODEL,
    ),
]
Goal = Annotated[
    str,
    typer.Option(
        help="What to be best at: min, the smallest AUC of the labels, or mean.",
        rich_help_panel=_GOAL,
    ),
]
Value = Annotated[
    list[str] | None,
    typer.Option(
        help="LABEL=NUMBER, such as click=1,buy=30: what the labels' AUCs are worth, in place of "
        "--goal.",
        rich_help_panel=_GOAL,
    ),
]
AtLeast = Annotated[
    list[str] | None,
    typer.Option(
        help="LABEL=AUC, such as relevance=0.75: a promise; the other labels get the best mean "
        "AUC that keeps it.",
        rich_help_panel=_GOAL,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        help="Column of times: train on what came before, test on what came next.",
        rich_help_panel=_TABLE,
    ),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Fits at a time; all cores by default.")]
Mix = Annotated[
    str | None,
    typer.Option(
        help="With --method loss or soft: the weight of each label, such as 1,2; with soft also "
        "'rarity', which serves equal losses.",
        rich_help_panel=_MODEL,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same answer.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing on the way; changes no result.")
]
Json = Annotated[
    str | None, typer.Option("--json", help="Write the numbers as JSON; - for standard output.")
]
Report = Annotated[str | None, typer.Option(help="Write a page to look at (HTML).")]
Trust = Annotated[
    list[str] | None,
    typer.Option(help="Type that the model file may hold besides the known ones."),
]
ModelOut = Annotated[
    str | None, typer.Option("--out", help="Save the model here, such as model.isonomy.")
]
