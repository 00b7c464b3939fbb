"""`python -m paper [NAME ...] [--quick | --force | --render-only]`: all of them, or those named.

Results that are there are not computed again unless `--force` says so. `--quick` computes a small
part of each afresh and compares it with the committed results, which it leaves alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from importlib import import_module
from typing import Any

from rich.console import Console

from paper import beyond
from paper._pages import Page, publish
from paper._provenance import provenance, sentence
from paper._results import Result, differences, load, save
from paper._trials import spent, unfinished

# In the order of the paper.
NAMES = (
    "table_bayes_optimal",
    "figure_partial_orders",
    "figure_pi2_sweep",
    "table_bank",
    "figure_bank_sweep",
    "figure_helpsteer",
    "table_mslr",
    "example_pareto",
    "theorem_auc_gap",
    "example_dictatorship",
    "figure_pareto_fronts",
    "figure_pi2_sweep_aucs",
    "table_synthetic_training",
    # Beyond the paper.
    "beyond_surrogates",
)


def script(name: str) -> Any:
    """The module of a table or figure."""
    return import_module(f"paper.{name}")


def make(name: str, *, force: bool, render_only: bool) -> str:
    """Compute a result where that is needed, and render it; says what was done."""
    found = None if force else load(name)
    if found is None and render_only:
        return "no result to render"
    done = "rendered"
    if found is None:
        if force:
            unfinished(name).unlink(missing_ok=True)
        made, begun = provenance(), time.monotonic() - spent(name)
        result = script(name).run()
        seconds = round(time.monotonic() - begun, 1)
        save(replace(result, made={**made, "seconds": seconds}))
        unfinished(name).unlink(missing_ok=True)
        found = load(name)
        done = "computed and rendered"
    publish(name, rendered(name, found))
    return done


def rendered(name: str, result: Result) -> Page:
    """A result's page, with what computed it at its foot."""
    page = script(name).render(result)
    return replace(page, text=f"{page.text.rstrip()}\n\n{sentence(result.made)}")


def check(name: str) -> list[str]:
    """What differs between the committed result and a small part of it computed afresh."""
    module, committed = script(name), load(name)
    if committed is None:
        return ["there is no committed result"]
    fresh = module.run(quick=True)
    old, new = (committed.trials, fresh.trials) if fresh.trials else (committed.rows, fresh.rows)
    return differences(old, new, module.KEYS, module.TOLERANCE)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="compare a part with what is committed")
    how.add_argument("--force", action="store_true", help="compute again what is there")
    how.add_argument("--render-only", action="store_true", help="compute nothing")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no {unknown[0]!r}; there are {', '.join(NAMES)}")
    console, failed = Console(), False
    names = chosen.names or NAMES
    for turn, name in enumerate(names, 1):
        begun = time.monotonic()
        with console.status(f"{turn}/{len(names)} {name} ..."):
            try:
                if chosen.quick:
                    wrong = check(name)
                    outcome = "[red]differs[/]" if wrong else "[green]as committed[/]"
                else:
                    wrong = []
                    outcome = make(name, force=chosen.force, render_only=chosen.render_only)
            except FileNotFoundError as error:
                wrong, outcome = [str(error)], "[yellow]data not here[/]"
            except Exception as error:  # noqa: BLE001 - one bad script does not lose the others.
                wrong, outcome = [f"{type(error).__name__}: {error}"], "[red]failed[/]"
        failed |= bool(wrong) and "not here" not in outcome
        console.print(
            f"{turn:2}/{len(names)} {name:26} {time.monotonic() - begun:6.1f} s  {outcome}"
        )
        for line in wrong[:10]:
            console.print(f"      {line}", markup=False, highlight=False)
    if not chosen.quick:
        publish("beyond", beyond.render())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
