"""Every command of `isonomy`: parse and delegate."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from isonomy.cli import _judge_options as j
from isonomy.cli import _options as o
from isonomy.cli._errors import report_error, tell
from isonomy.cli._exit_codes import EXIT_INTERRUPTED
from isonomy.cli._interrupts import SAID

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(asked: bool) -> None:
    if asked:
        from isonomy import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def isonomy(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """One ranking from several binary labels, and a check that no label dictates it."""


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
    text: o.Text = None,
    separator: o.Separator = None,
    time_column: o.TimeColumn = None,
    goal: o.Goal = "min",
    value: o.Value = None,
    at_least: o.AtLeast = None,
    family: o.Families = "auto",
    methods: o.Methods = None,
    tune: o.Tune = True,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="How often it is repeated; by the rows by default.")
    ] = None,
    report: o.Report = None,
    pictures: Annotated[
        str | None, typer.Option(help="Folder for PNG and SVG of every picture.")
    ] = None,
    json: o.Json = None,
    out: o.ModelOut = None,
    seed: o.Seed = 0,
    jobs: o.Jobs = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also list the features that were used.")
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Which way of ranking serves all labels? Trained and measured on your data.

    --out saves the recommended method, fitted on all rows.
    """
    from isonomy.cli._compare import CompareOptions
    from isonomy.cli._compare import compare as run
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions
    from isonomy.cli._fit import GoalOptions

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
        time_column=time_column,
        text=text,
    )
    chosen = CompareOptions(
        goal=GoalOptions(goal, value or [], at_least or []),
        family=family,
        methods=methods or [],
        tune=tune,
        folds=folds,
        repeats=repeats,
        seed=seed,
        jobs=jobs,
    )
    run(
        Messages(quiet=quiet),
        options,
        chosen,
        report=report,
        pictures=pictures,
        json_path=json,
        out=out,
        verbose=verbose,
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
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="With --group: ranks of each group that nDCG looks at.", show_default="10"
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="JSON of an earlier audit: what has moved since?")
    ] = None,
    fail_on_dictator: Annotated[
        bool,
        typer.Option(
            "--fail-on-dictator",
            help="Exit with 1 where a label dictates (in all rows, not in a segment).",
            rich_help_panel=o.GATES,
        ),
    ] = False,
    fail_on_drift: Annotated[
        bool,
        typer.Option(
            "--fail-on-drift",
            help="Exit with 1 where any number moved beyond chance since the --baseline.",
            rich_help_panel=o.GATES,
        ),
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            help="LABEL=AUC, such as relevance=0.70, also several with commas; may be repeated. "
            "Exit with 1 where the label's AUC (the estimate, not its interval) is below.",
            rich_help_panel=o.GATES,
        ),
    ] = None,
    max_gap: Annotated[
        float | None,
        typer.Option(
            help="Exit with 1 where the largest AUC is more than this above the smallest "
            "(estimates).",
            rich_help_panel=o.GATES,
        ),
    ] = None,
    report: o.Report = None,
    json: o.Json = None,
    quiet: o.Quiet = False,
) -> None:
    """Does one label dictate a ranking that you have, and is each label served?"""
    from isonomy.cli._audit import Gates
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
        top=top,
        baseline=baseline,
        gates=Gates(fail_on_dictator, fail_on_drift, fail_under, max_gap),
        report=report,
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
    max_bytes: Annotated[
        int, typer.Option(min=1, max=2**40 - 1, help="What the file may take.")
    ] = 1_000_000,
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
            help="mean, product, loss, balanced, soft, worst, plug-in, blend, blend-mean, funnel, "
            "lambdarank or one-label; with --value also values and blend-values, with --at-least "
            "promise.",
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
    text: o.Text = None,
    separator: o.Separator = None,
    goal: o.Goal = "min",
    value: o.Value = None,
    at_least: o.AtLeast = None,
    family: o.Family = "linear",
    tune: o.Tune = True,
    mix: o.Mix = None,
    only: Annotated[
        str | None,
        typer.Option(help="With --method one-label: which.", rich_help_panel="The model"),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --family boosted and --group: train for the first ranks of each group.",
            rich_help_panel="The model",
        ),
    ] = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Fit one method on all rows and save the model.

    The model file holds all that turns a raw table into scores: see `rank`.
    """
    from isonomy.cli._console import Messages
    from isonomy.cli._data import TableOptions
    from isonomy.cli._fit import GoalOptions
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
        text=text,
    )
    run(
        Messages(quiet=quiet),
        options,
        family=family,
        tune=tune,
        method=method,
        goal=GoalOptions(goal, value or [], at_least or []),
        only=only,
        mix=mix,
        top=top,
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
    sort: Annotated[
        bool,
        typer.Option(
            "--sort",
            help="Best first, with a column of ranks. Rows wait on the disk (TMPDIR), as large as "
            "the table; in memory they take 32 bytes each.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Only so many, the best first, with ranks; in little memory."),
    ] = None,
    score_name: Annotated[str, typer.Option(help="Name of the new column.")] = "score",
    rank_name: Annotated[
        str | None,
        typer.Option(
            help="Name of the column of ranks, 'rank' with --sort and --top; without them it adds "
            "the column and keeps the rows' order. 1 is the best; equal scores share a rank."
        ),
    ] = None,
    separator: o.Separator = None,
    trust: o.Trust = None,
    quiet: o.Quiet = False,
) -> None:
    """Give every row of a table its score: all columns kept, and one or two added."""
    from isonomy.cli._console import Messages
    from isonomy.cli._rank import rank as run

    run(
        Messages(quiet=quiet),
        files,
        model=model,
        out=out,
        score_name=score_name,
        sort=sort,
        n_best=top,
        rank_name=rank_name,
        separator=separator,
        trusted=trust or [],
    )


@app.command(rich_help_panel="Models")
def show(
    model: Annotated[str, typer.Argument(help="A model that Isonomy saved.")],
    json: o.Json = None,
    trust: o.Trust = None,
    quiet: o.Quiet = False,
) -> None:
    """What a model is, from which data, and what its features count for."""
    from isonomy.cli._console import Messages
    from isonomy.cli._show import show as run

    run(Messages(quiet=quiet), model, trusted=trust or [], json_path=json)


@app.command(rich_help_panel="Models")
def export(
    model: Annotated[str, typer.Argument(help="A model that Isonomy saved.")],
    out: Annotated[
        str | None, typer.Option(help="Where to write the ONNX model (with --sql, the SQL).")
    ] = None,
    sql: Annotated[
        bool,
        typer.Option(
            "--sql", help="A linear or blended model's score as a SQL expression, printed."
        ),
    ] = False,
    trust: o.Trust = None,
    quiet: o.Quiet = False,
) -> None:
    """A model for other programs: ONNX, or a SQL expression."""
    from isonomy.cli._console import Messages
    from isonomy.cli._export import export as run

    run(Messages(quiet=quiet), model, out=out, sql=sql, trusted=trust or [])


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
        typer.Option(
            help="mean, product, loss, balanced, soft or worst.", rich_help_panel="The model"
        ),
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
def judge(
    file: o.File,
    text: j.Texts,
    model: j.Models,
    out: j.Out,
    endpoint: j.ServerUrl = None,
    ask: j.Ask = None,
    threshold: j.ScoreThreshold = None,
    scale: j.ScoreScale = None,
    human: j.Human = None,
    param: j.Params = None,
    key_variable: j.KeyVariable = "OPENAI_API_KEY",
    concurrency: j.Concurrency = 8,
    retries: j.Retries = 5,
    timeout: j.Timeout = 60.0,
    price: j.Price = None,
    answers: j.Answers = None,
    ask_again: j.AskAgain = False,
    dry_run: j.DryRun = False,
    json: o.Json = None,
    separator: o.Separator = None,
    quiet: o.Quiet = False,
) -> None:
    """Labels from a language model: one column of 0, 1 and missing per question.

    A killed run goes on where it was: run the same command again.
    """
    from isonomy.cli._console import Messages
    from isonomy.cli._judge import Outputs, ServerOptions
    from isonomy.cli._judge import judge as run
    from isonomy.cli._judge_questions import AskOptions

    code = run(
        Messages(quiet=quiet),
        file,
        text=text,
        separator=separator,
        asking=AskOptions(ask or [], model, threshold or [], scale or [], human or [], param or []),
        server=ServerOptions(endpoint, key_variable, concurrency, retries, timeout, price),
        outputs=Outputs(out, answers, json),
        ask_again=ask_again,
        dry_run=dry_run,
    )
    raise typer.Exit(code)


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
    _print_version(True)


def run() -> int:
    """Run the command that the program's arguments name; the exit code."""
    for stream, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:
            # Closed by whoever started this.
            setattr(sys, stream, open(os.devnull, mode))  # noqa: PTH123, SIM115
    for each in (sys.stdout, sys.stderr):
        if isinstance(each, io.TextIOWrapper):
            # What it has no letter for, such as é in ASCII, is spelt \xe9.
            each.reconfigure(errors="backslashreplace")
    try:
        # Alone, typer would tell mistakes in a box; without arguments it shows the help.
        code = app(standalone_mode=len(sys.argv) == 1, prog_name="isonomy")
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 (every error ends here, polars' panics too)
        code = report_error(error)
    else:
        # The parser has swallowed it, and says nothing.
        if code == EXIT_INTERRUPTED:
            tell(SAID)
    return code or 0
