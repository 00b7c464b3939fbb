"""`isonomy fit`: one method, fitted on all rows, as a model file."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from sklearn.pipeline import Pipeline

from isonomy._compare import (
    FAMILIES,
    METHODS,
    FitSettings,
    Goal,
    Method,
    check_families,
    family_encoder,
    family_methods,
    fit_method,
    seed_of,
    unused_columns,
)
from isonomy._core import LossAggregation, SoftLabel, suggestion
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
    tune: bool,
    method: str,
    only: str | None,
    mix: str | None,
    top: int | None,
    out: str,
    seed: int,
) -> None:
    """Fit the method on all rows and save it."""
    check_family_option(family)
    check_method_options(method, METHODS, only=only, mix=mix)
    check_top_option(top, family, method, options)
    entry = METHODS[method]
    if entry.needs_groups and options.group is None:
        raise UserError(f"--method {method} learns the order inside groups: give --group too.")
    if entry.baseline_of not in (None, family):
        raise UserError(f"--method {method} needs --family {entry.baseline_of}.")
    check_outputs([options.file], {"--out": out})
    data = load_table(options, "fit")
    chosen = find_method(
        data.label_names, family, method, only=only, mix=mix, seed=seed, text=data.roles.text
    )
    if top is not None:
        chosen.ranker.set_params(top=top)
    with talk.while_working():
        fitted = fit_model(talk, data, chosen, tune=tune, seed=seed)
        save(fitted, out, about=data.about(chosen.name))
    talk.say(f"{chosen.name}, fitted on {data.table.height:,} rows: {out}")


def check_family_option(family: str) -> None:
    """Before any work: the family exists, and what it needs is installed."""
    check_option("--family", family, FAMILIES)
    check_families(family)


def check_method_options(
    kind: str, kinds: Collection[str], *, only: str | None = None, mix: str | None = None
) -> None:
    """Before any work: the method exists, and the options beside it go with it."""
    check_option("--method", kind, kinds)
    if mix is not None and kind not in ("loss", "soft"):
        raise UserError(
            "--mix weighs the labels' losses, or the labels of a soft one: give it with --method "
            "loss or soft only."
        )
    if (only is None) == (kind == "one-label"):
        raise UserError("--only names the label of --method one-label: give both, or neither.")


def check_top_option(top: int | None, family: str, method: str, options: TableOptions) -> None:
    """Before any work: there are boosted trees to train for the top, and lists to have one."""
    if top is None:
        return
    if family != "boosted" or METHODS[method].learns != "pairs":
        raise UserError(
            "--top trains boosted trees on pairs: give it with --family boosted, and a --method "
            "that is not made of classifiers, such as worst."
        )
    if options.group is None:
        raise UserError(
            "--top is about the first ranks of each group, such as a query. Name its column with "
            "--group, or leave --top out."
        )


def fit_model(
    talk: Messages, data: LabelledTable, method: Method, *, tune: bool, seed: int
) -> Pipeline:
    """The whole model: it takes the raw table."""
    settings = FitSettings(Goal("min", data.label_names), tune, _ranker_seed(seed))
    fitted: Pipeline = fit_method(method, data.features, data.items, settings)
    tell_dropped(talk, fitted.steps[0][1])
    return fitted


def tell_dropped(talk: Messages, fitted: TableEncoder) -> None:
    """Say which columns were not learned from."""
    for text in unused_columns(fitted, lambda name: f"--text {shlex.quote(name)}"):
        talk.say(text)


def find_method(
    names: tuple[str, ...],
    family: str,
    kind: str,
    *,
    only: str | None = None,
    mix: str | None = None,
    seed: int = 0,
    text: tuple[str, ...] = (),
) -> Method:
    """The method that the options name, for labels of these names."""
    if only is not None and only not in names:
        raise UserError(f"--only: {only!r} is no label.{suggestion(only, names)}")
    seed = _ranker_seed(seed)
    families = check_families(family)
    methods = family_methods(families, [METHODS[kind]], names, "pairs", seed)
    method = methods[names.index(only)] if only is not None else methods[0]
    method = replace(method, prepare=family_encoder(families[0], text))
    if mix is None:
        return method
    objective = mixed_objective(kind, mix, names)
    ranker = families[0].ranker(objective, "pairs", seed)
    return replace(method, objective=objective, ranker=ranker)


def mixed_objective(kind: str, mix: str, names: tuple[str, ...]) -> LossAggregation | SoftLabel:
    """The objective of --method loss or soft with these weights."""
    if kind == "soft":
        return SoftLabel("rarity" if mix == "rarity" else parse_mix(mix, names))
    return LossAggregation(parse_mix(mix, names))


def _ranker_seed(seed: int) -> int:
    """The seed that `compare` gives its rankers, so that both fit the same model."""
    return seed_of(np.random.default_rng(seed))


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
