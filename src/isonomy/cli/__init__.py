"""The `isonomy` command: parse and delegate."""

from __future__ import annotations

import typer
from rich.console import Console

app = typer.Typer(
    help="One ranking from several binary labels, and a check that no label dictates it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def demo() -> None:
    """Rank an embedded search log in four ways and show who dictates."""
    from isonomy.cli.demo import render_demo, run_demo

    console = Console()
    with Console(stderr=True).status("Fitting and measuring (the first run also compiles) ..."):
        found = run_demo()
    console.print(render_demo(found))


@app.command()
def version() -> None:
    """Print the version."""
    from isonomy import __version__

    typer.echo(__version__)


def main() -> None:
    """Entry point of the console script."""
    app()
