"""`isonomy fit`: one method, fitted on all rows, as a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from isonomy._compare import (
    KINDS,
    Method,
    check_family,
    family_methods,
    family_ranker,
    fit_preparation,
    fit_ranker,
    preparation,
    seed_of,
)
from isonomy._core import LossAggregation, suggestion
from isonomy._models import save
from isonomy._rankers import TableEncoder
from isonomy.cli._console import Talk
from isonomy.cli._data import Data, TableOptions, load_data
from isonomy.cli._errors import UserError
from isonomy.cli._files import check_outputs


def fit(
    talk: Talk,
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
    check_outputs(options.file, {"--out": out})
    check_family(family)
    data = load_data(options, "fit")
    chosen = find_method(data, family, method, only=only, mix=mix, seed=seed)
    with talk.going():
        save(fit_model(talk, data, chosen, family), out)
    talk.say(f"{chosen.name}, fitted on {data.table.height:,} rows: {out}")


def encoder(family: str) -> TableEncoder:
    """What turns the raw table into features for a family."""
    return TableEncoder(impute=family != "boosted")


def fit_model(talk: Talk, data: Data, method: Method, family: str) -> Pipeline:
    """The whole model: it takes the raw table."""
    given = {"sample_weight": data.weights, "groups": data.groups}
    given = {name: value for name, value in given.items() if value is not None}
    steps = preparation(method, encoder(family))
    X = fit_preparation(steps, data.features, data.labels)
    tell_dropped(talk, steps[0][1])
    return Pipeline([*steps, ("rank", fit_ranker(method.ranker, X, data.labels, given))])


def tell_dropped(talk: Talk, fitted: TableEncoder) -> None:
    """Say which columns were not learned from."""
    for name, why in fitted.dropped_.items():
        talk.say(f"Column {name!r} is not used: {why}.")


def find_method(
    data: Data, family: str, kind: str, *, only: str | None, mix: str | None, seed: int
) -> Method:
    """The method that the options name."""
    if kind not in KINDS:
        raise UserError(
            f"--method should be one of {', '.join(KINDS)}. Found {kind!r}."
            f"{suggestion(kind, list(KINDS))}"
        )
    if mix is not None and kind != "loss":
        raise UserError("--mix weighs the labels' losses: give it with --method loss only.")
    names = tuple(data.labels.columns)
    if (only is None) == (kind == "one-label"):
        raise UserError("--only names the label of --method one-label: give both, or neither.")
    if only is not None and only not in names:
        raise UserError(f"--only: {only!r} is no label.{suggestion(only, names)}")
    # The seed that `compare` gives its rankers, so that both fit the same model.
    seed = seed_of(np.random.default_rng(seed))
    methods = family_methods(family, [kind], names, "pairs", seed)
    method = methods[names.index(only)] if only is not None else methods[0]
    if mix is None:
        return method
    objective = LossAggregation(parse_mix(mix, names))
    ranker: Any = family_ranker(family, objective, "pairs", seed)
    return Method(method.name, method.kind, objective, ranker, method.standardise)


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
