"""`isonomy fit`: one method, fitted on all rows, as a model file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from sklearn.pipeline import Pipeline

from isonomy._compare import (
    FAMILIES,
    METHODS,
    Method,
    check_family,
    family_methods,
    fit_method,
    seed_of,
)
from isonomy._core import LossAggregation, suggestion
from isonomy._models import save
from isonomy._rankers import TableEncoder
from isonomy.cli._console import Messages
from isonomy.cli._data import LabelledTable, TableOptions, load_table
from isonomy.cli._errors import UserError, check_option
from isonomy.cli._table_files import check_outputs


def fit(
    talk: Messages,
    options: TableOptions,
    *,
    family: str,
    method: str,
    only: str | None,
    mix: str | None,
    out: str,
    seed: int,
) -> None:
    """Fit the method on all rows and save it."""
    check_family_option(family)
    check_method_options(method, METHODS, only=only, mix=mix)
    check_outputs(options.file, {"--out": out})
    data = load_table(options, "fit")
    chosen = find_method(data.label_names, family, method, only=only, mix=mix, seed=seed)
    with talk.while_working():
        save(fit_model(talk, data, chosen, family), out, about=data.about(chosen.name))
    talk.say(f"{chosen.name}, fitted on {data.table.height:,} rows: {out}")


def check_family_option(family: str) -> None:
    """Before any work: the family exists, and what it needs is installed."""
    check_option("--family", family, FAMILIES)
    check_family(family)


def check_method_options(
    kind: str, kinds: Collection[str], *, only: str | None = None, mix: str | None = None
) -> None:
    """Before any work: the method exists, and the options beside it go with it."""
    check_option("--method", kind, kinds)
    if mix is not None and kind != "loss":
        raise UserError("--mix weighs the labels' losses: give it with --method loss only.")
    if (only is None) == (kind == "one-label"):
        raise UserError("--only names the label of --method one-label: give both, or neither.")


def encoder(family: str) -> TableEncoder:
    """What turns the raw table into features for a family."""
    return TableEncoder(impute=not FAMILIES[family].takes_gaps)


def fit_model(talk: Messages, data: LabelledTable, method: Method, family: str) -> Pipeline:
    """The whole model: it takes the raw table."""
    fitted: Pipeline = fit_method(method, encoder(family), data.features, data.items)
    tell_dropped(talk, fitted.steps[0][1])
    return fitted


def tell_dropped(talk: Messages, fitted: TableEncoder) -> None:
    """Say which columns were not learned from."""
    for name, why in fitted.dropped_.items():
        talk.say(f"Column {name!r} is not used: {why}.")


def find_method(
    names: tuple[str, ...],
    family: str,
    kind: str,
    *,
    only: str | None = None,
    mix: str | None = None,
    seed: int = 0,
) -> Method:
    """The method that the options name, for labels of these names."""
    if only is not None and only not in names:
        raise UserError(f"--only: {only!r} is no label.{suggestion(only, names)}")
    # The seed that `compare` gives its rankers, so that both fit the same model.
    seed = seed_of(np.random.default_rng(seed))
    model = check_family(family)
    methods = family_methods(model, [kind], names, "pairs", seed)
    method = methods[names.index(only)] if only is not None else methods[0]
    if mix is None:
        return method
    objective = LossAggregation(parse_mix(mix, names))
    return replace(method, objective=objective, ranker=model.ranker(objective, "pairs", seed))


def parse_mix(text: str, names: tuple[str, ...]) -> list[float]:
    """One number per label, in their order."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"--mix should hold numbers, such as 1,2. Found {text!r}.") from None
    if len(numbers) != len(names):
        raise UserError(
            f"--mix should hold one number for each of the {len(names)} labels "
            f"({', '.join(names)}). Found {len(numbers)}."
        )
    return numbers
