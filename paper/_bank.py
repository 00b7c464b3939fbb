"""The bank's customers, resampled to a share of mortgages: what a table and a figure share."""

from __future__ import annotations

from functools import cache

import numpy as np

from isonomy.datasets import Loaded, load_bank
from paper._methods import Fit, aucs, standardised
from paper._results import Row

RECIPES = {
    "literal": "the seven columns of numbers",
    "closest": "those and `y`, each as sign(x) log(1 + |x|); found by search",
}
NAMES = ("mortgage", "loan")
TRIALS = 25


@cache
def bank(recipe: str) -> Loaded:
    return load_bank(recipe=recipe)


def split(recipe: str, share: float, seed: int) -> tuple[np.ndarray, ...]:
    """X and Y for training and testing: all customers with or without a mortgage, whichever keeps
    more of them, as many of the others as the share wants, one fifth of all held out.
    """
    rng = np.random.default_rng([seed, round(1000 * share)])
    has = bank(recipe).Y[:, 0] == 1
    yes, no = np.flatnonzero(has), np.flatnonzero(~has)
    if share >= has.mean():
        no = rng.choice(no, round(len(yes) * (1 - share) / share), replace=False)
    else:
        yes = rng.choice(yes, round(len(no) * share / (1 - share)), replace=False)
    rows = rng.permutation(np.concatenate([yes, no]))
    test, train = np.split(rows, [len(rows) // 5])
    X, Y = bank(recipe).X, bank(recipe).Y
    return (*standardised(X[train], X[test]), Y[train], Y[test])


def evaluated(method: Fit, parts: tuple[np.ndarray, ...]) -> Row:
    """The labels' AUCs on the held-out customers."""
    X, X_test, Y, Y_test = parts
    return aucs(Y_test, method(X, Y)(X_test), NAMES)
