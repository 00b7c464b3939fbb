"""The options of `isonomy judge`."""

from __future__ import annotations

from typing import Annotated

import typer

_QUESTIONS = "The questions"
_SERVER = "The server"

Texts = Annotated[
    list[str],
    typer.Option(help="Columns of text to be judged, such as query,document, with commas."),
]
Models = Annotated[
    list[str],
    typer.Option(help="The model's name, as the server has it; several judge side by side."),
]
Out = Annotated[str, typer.Option(help="The table with labels: .csv, .tsv, .parquet or .jsonl.")]
ServerUrl = Annotated[
    str | None,
    typer.Option(
        help="OpenAI-compatible server, such as http://localhost:8000/v1.",
        rich_help_panel=_SERVER,
    ),
]
Ask = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=FILE: a column to fill, and the question in words; may be repeated. "
        "relevance and engagement alone have a wording that ships; both by default.",
        rich_help_panel=_QUESTIONS,
    ),
]
ScoreThreshold = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=NUMBER: ask for a score, and label 1 what has at least this.",
        rich_help_panel=_QUESTIONS,
    ),
]
ScoreScale = Annotated[
    list[str] | None,
    typer.Option(
        help="Of scores, such as 0-10, or NAME=0-10 for one question.",
        show_default="0-4",
        rich_help_panel=_QUESTIONS,
    ),
]
Human = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of people's labels to compare with, or NAME=COLUMN for one question.",
        rich_help_panel=_QUESTIONS,
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=VALUE: a field of the request, such as max_tokens=500; null leaves one out.",
        rich_help_panel=_SERVER,
    ),
]
KeyVariable = Annotated[
    str,
    typer.Option(
        help="Environment variable with the key, which is never written anywhere.",
        rich_help_panel=_SERVER,
    ),
]
Concurrency = Annotated[
    int, typer.Option(min=1, help="Questions at a time.", rich_help_panel=_SERVER)
]
Retries = Annotated[
    int,
    typer.Option(
        min=0, help="Further attempts after an error that may pass.", rich_help_panel=_SERVER
    ),
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, help="Seconds an answer may take.", rich_help_panel=_SERVER),
]
Price = Annotated[
    str | None,
    typer.Option(
        help="IN,OUT: for a million tokens each, to show the cost.", rich_help_panel=_SERVER
    ),
]
Answers = Annotated[
    str | None,
    typer.Option(
        help="Where answers are kept as they come; what is in there is not asked again.",
        show_default="OUT.answers.jsonl",
    ),
]
AskAgain = Annotated[
    bool, typer.Option("--ask-again", help="Also what got an answer that is no label.")
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Show the first question and the cost; send nothing."),
]
