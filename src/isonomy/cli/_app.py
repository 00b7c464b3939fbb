"""Every command of `isonomy`: parse and delegate."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from isonomy.cli import _options as o
from isonomy.cli._errors import report_error

app = typer.Typer(
    help="One ranking from several binary labels, and a check that no label dictates it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.command(rich_help_panel="Start here")
def demo(
    report: Annotated[str, typer.Option(help="Where to write the page.")] = "isonomy-demo.html",
    quiet: o.Quiet = False,
) -> None:
    """Compare ways to rank an embedded search log, and write the report."""
    from isonomy.cli._console import Messages
    from isonomy.cli._demo import demo as run

    run(Messages(quiet=quiet), report)


@app.command(rich_help_panel="Start here")
def compare(
    file: o.File,
    labels: o.Labels = None,
    positive: o.Positive = None,
    threshold: o.Threshold = None,
    group: o.Group = None,
    weight: o.Weight = None,
    features: o.Features = None,
    exclude: o.Exclude = None,
    separator: o.Separator = None,
    family: o.Family = "linear",
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated.")] = 3,
    report: Annotated[str | None, typer.Option(help="Write a page to look at (HTML).")] = None,
    pictures: Annotated[
        str | None, typer.Option(help="Folder for PNG and SVG of every picture.")
    ] = None,
    json: o.Json = None,
    out: o.ModelOut = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Which way of ranking serves all labels? Trained and measured on your data.

    --out saves the recommended method, fitted on all rows.
    """
    from isonomy.cli._compare import compare as run
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions

    options = TableOptions(
        file,
        labels,
        positive,
        threshold,
        group,
        weight,
        features,
        exclude,
        separator,
    )
    run(
        Messages(quiet=quiet),
        options,
        family=family,
        folds=folds,
        repeats=repeats,
        report=report,
        pictures=pictures,
        json_path=json,
        out=out,
        seed=seed,
    )


@app.command(rich_help_panel="Start here")
def audit(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Tables (CSV, TSV, Parquet, JSON lines, also gzipped; 'part-*.parquet', folders; "
            "- for standard input), or sketches, which are merged."
        ),
    ],
    score: Annotated[
        str | None,
        typer.Option(help="Column with the score that you rank by; a sketch has its own."),
    ] = None,
    labels: o.Labels = None,
    positive: o.Positive = None,
    threshold: o.Threshold = None,
    group: o.Group = None,
    weight: o.Weight = None,
    count: o.Count = None,
    cluster: o.Cluster = None,
    separator: o.Separator = None,
    by: Annotated[
        str | None, typer.Option(help="Column of segments, such as country: the same for each.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="JSON of an earlier audit: what has moved since?")
    ] = None,
    fail_on_dictator: Annotated[
        bool, typer.Option("--fail-on-dictator", help="Exit with 1 where a label dictates.")
    ] = False,
    json: o.Json = None,
    quiet: o.Quiet = False,
) -> None:
    """Does one label dictate a ranking that you have?"""
    from isonomy.cli._audit import audit as run
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions

    options = TableOptions(
        files[0],
        labels,
        positive,
        threshold,
        group,
        weight,
        count=count,
        cluster=cluster,
        separator=separator,
    )
    code = run(
        Messages(quiet=quiet),
        files,
        options,
        score=score,
        by=by,
        baseline=baseline,
        fail_on_dictator=fail_on_dictator,
        json_path=json,
    )
    raise typer.Exit(code)


@app.command(rich_help_panel="More")
def sketch(
    files: o.Files,
    score: Annotated[str, typer.Option(help="Column with the score that you rank by.")],
    out: Annotated[str, typer.Option(help="Where to write it, such as monday.sketch.")],
    labels: o.Labels = None,
    positive: o.Positive = None,
    threshold: o.Threshold = None,
    count: o.Count = None,
    separator: o.Separator = None,
    max_bytes: Annotated[int, typer.Option(min=1, help="What the file may take.")] = 1_000_000,
    quiet: o.Quiet = False,
) -> None:
    """What `audit` needs of any number of rows, in a small file; see `audit a.sketch b.sketch`."""
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions
    from isonomy.cli._sketch import sketch as run

    options = TableOptions(files[0], labels, positive, threshold, count=count, separator=separator)
    run(Messages(quiet=quiet), files, options, score=score, out=out, max_bytes=max_bytes)


@app.command(rich_help_panel="Models")
def fit(
    file: o.File,
    method: Annotated[
        str,
        typer.Option(
            help="mean, product, loss, balanced, worst, plug-in or one-label.",
            rich_help_panel="The model",
        ),
    ],
    out: Annotated[str, typer.Option(help="Save the model here, such as model.isonomy.")],
    labels: o.Labels = None,
    positive: o.Positive = None,
    threshold: o.Threshold = None,
    group: o.Group = None,
    weight: o.Weight = None,
    features: o.Features = None,
    exclude: o.Exclude = None,
    separator: o.Separator = None,
    family: o.Family = "linear",
    mix: o.Mix = None,
    only: Annotated[
        str | None,
        typer.Option(help="With --method one-label: which.", rich_help_panel="The model"),
    ] = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Fit one method on all rows and save the model.

    The model file holds all that turns a raw table into scores: see `rank`.
    """
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions
    from isonomy.cli._fit import fit as run

    options = TableOptions(
        file,
        labels,
        positive,
        threshold,
        group,
        weight,
        features,
        exclude,
        separator,
    )
    run(
        Messages(quiet=quiet),
        options,
        family=family,
        method=method,
        only=only,
        mix=mix,
        out=out,
        seed=seed,
    )


@app.command(rich_help_panel="Models")
def rank(
    files: o.Files,
    model: Annotated[str, typer.Option(help="A model that Isonomy saved.")],
    out: Annotated[
        str,
        typer.Option(help="Where to write: .csv, .tsv, .parquet, .jsonl; - for standard output."),
    ],
    score_name: Annotated[str, typer.Option(help="Name of the new column.")] = "score",
    separator: o.Separator = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(help="Type that the model file may hold besides the known ones."),
    ] = None,
    quiet: o.Quiet = False,
) -> None:
    """Give every row of a table its score: all columns and their order kept, one added."""
    from isonomy.cli._console import Messages
    from isonomy.cli._rank import rank as run

    run(
        Messages(quiet=quiet),
        files,
        model=model,
        out=out,
        score_name=score_name,
        separator=separator,
        trusted=trust or [],
    )


@app.command(rich_help_panel="Models")
def blend(
    file: o.File,
    scores: Annotated[
        list[str], typer.Option(help="Columns with a score each, separated by commas.")
    ],
    labels: o.Labels = None,
    positive: o.Positive = None,
    threshold: o.Threshold = None,
    group: o.Group = None,
    weight: o.Weight = None,
    separator: o.Separator = None,
    method: Annotated[
        str,
        typer.Option(help="mean, product, loss, balanced or worst.", rich_help_panel="The model"),
    ] = "mean",
    mix: o.Mix = None,
    json: o.Json = None,
    out: o.ModelOut = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """The best non-negative mix of scores that you have, one model per label, say."""
    from isonomy.cli._blend import blend as run
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions

    options = TableOptions(file, labels, positive, threshold, group, weight, separator=separator)
    run(
        Messages(quiet=quiet),
        options,
        scores=scores,
        method=method,
        mix=mix,
        json_path=json,
        out=out,
        seed=seed,
    )


@app.command(rich_help_panel="More")
def fetch(
    name: Annotated[str, typer.Argument(help="bank, mslr or helpsteer.")],
    quiet: o.Quiet = False,
) -> None:
    """Download a public data set from its owner, and print where it lies."""
    from isonomy.cli._console import Messages
    from isonomy.cli._fetch import fetch as run

    run(Messages(quiet=quiet), name)


@app.command(rich_help_panel="More")
def version() -> None:
    """Print the version."""
    from isonomy import __version__

    typer.echo(__version__)


def run() -> int:
    """Run the command that the program's arguments name; the exit code."""
    try:
        # Alone, typer would tell mistakes in a box; without arguments it shows the help.
        code = app(standalone_mode=len(sys.argv) == 1)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 (every error ends here, polars' panics too)
        code = report_error(error)
    return code or 0
