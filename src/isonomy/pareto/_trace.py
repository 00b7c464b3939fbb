"""The attainable front, by sweeping the weights of the labels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core import GroupWeight, Items, as_generator, check_count, check_level, row_count
from isonomy._metrics import DEFAULT_LEVEL, AUCIntervals
from isonomy._rankers import as_features, check_share, given_parts, three_parts
from isonomy._rankers.linear import LinearRanker
from isonomy.pareto._dominance import front
from isonomy.pareto._front import Front
from isonomy.pareto._sweeps import sweep_weights
from isonomy.pareto._weighted_fits import WeightedFit, WeightedFitter, objective_parameter

PARTS = ("training", "validation", "test")

# Of the default ranker: AUCs are then right to about 1e-5, far below their errors.
TOLERANCE = 1e-10


def trace(
    X: Any,
    Y: ArrayLike,
    *,
    ranker: Any = None,
    n_points: int = 21,
    validation_size: float = 0.2,
    test_size: float = 0.2,
    split: Sequence[ArrayLike] | None = None,
    level: float = DEFAULT_LEVEL,
    random_state: int | np.random.Generator | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    group_weight: GroupWeight = "pairs",
) -> Front:
    """What can be had for each label at once: the front of rankers over all weights.

    Fits `LossAggregation(a)` for many weights a on the training rows, each fit started
    from its neighbour, and measures every label's AUC on the test rows.

    Parameters
    ----------
    X : array-like, data frame or CSR matrix of shape (n, d)
        Features.
    Y : array-like or data frame of shape (n, K)
        At least two labels, 0 and 1, NaN for 'not observed'.
    ranker : ranker, optional
        `LinearRanker(tol=1e-10, warm_start=True)` by default. Any estimator with a parameter
        `objective`, `fit` and `predict` will do, also inside a pipeline. Where its
        `warm_start` is True, fits go on from the nearest one.
    n_points : int
        How many weights. Two labels get exactly that many, from the first label alone to
        the second alone; more labels get at most that many.
    validation_size, test_size : float
        Shares of the rows (with `groups`, of the groups) that are held out: the
        validation rows to choose weights by, the test rows to report on.
    split : sequence of three arrays, optional
        Row numbers (or masks) of the training, validation and test parts, in place of a
        random split.
    level : float
        Confidence level of the intervals.
    random_state : int or numpy Generator, optional
        Seed of the split. The same seed gives the same answer.
    sample_weight, groups, group_weight
        As in `auc`. A group is never split between parts. A ranker of one's own keeps its
        own `group_weight` for the training loss.

    Returns
    -------
    Front
        Its methods give the weights that meet a goal.

    Notes
    -----
    Two labels: the longest gap between neighbours, in AUCs of the validation rows, gets
    the next point, so that points lie evenly along the front however skewed the labels.
    More labels: a simplex lattice, which is even in the effective weights a_k / D_k.

    Test rows choose nothing but `on_front`. Goals are met on the validation rows; the
    test rows then tell what the chosen weights give. Only rankings that the ranker can
    express and that some weights prefer are found: a dent in the front stays empty.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy import pareto
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> Y = X + rng.logistic(size=(2000, 2)) > [0, 2]
    >>> found = pareto.trace(X, Y, n_points=5, random_state=0)
    >>> found.weights[[0, -1]]
    array([[1., 0.],
           [0., 1.]])
    >>> bool(found.aucs[0, 0] > found.aucs[-1, 0]), bool(found.aucs[0, 1] < found.aucs[-1, 1])
    (True, True)
    """
    check_level(level)
    items = _checked_items(X, Y, sample_weight, groups, group_weight)
    _check_points(n_points, items.labels.n_labels)
    _check_sizes(validation_size, test_size)
    if split is None:
        rng = as_generator(random_state)
        index: Sequence[Any] = three_parts(items, validation_size, test_size, rng)
    else:
        index = _given_parts(split, items)
    train, validation, test = (items.take(rows) for rows in index)
    if ranker is None:
        ranker = LinearRanker(group_weight=group_weight, tol=TOLERANCE, warm_start=True)
    objective_parameter(ranker)
    fitter = WeightedFitter(ranker, train, validation, test, level)
    return _front(items, fitter, sweep_weights(fitter, n_points))


def _front(items: Items, fitter: WeightedFitter, fits: list[WeightedFit]) -> Front:
    intervals = _test_intervals(fitter, fits)
    aucs = np.array([found.estimate for found in intervals])
    coef = [getattr(fit.ranker, "coef_", None) for fit in fits]
    return Front(
        names=fitter.names,
        weights=np.array([fit.weights for fit in fits]),
        effective=np.array([fit.effective for fit in fits]),
        aucs=aucs,
        low=np.array([found.low for found in intervals]),
        high=np.array([found.high for found in intervals]),
        on_front=front(aucs),
        validation_aucs=np.array([fit.aucs for fit in fits]),
        coef=None if any(row is None for row in coef) else np.array(coef, np.float64),
        _items=items,
        _fitter=fitter,
        _fits=tuple(fits),
    )


def _test_intervals(fitter: WeightedFitter, fits: list[WeightedFit]) -> list[AUCIntervals]:
    """The intervals of each fit; what the first one warns of holds for all."""
    first, *others = fits
    found = [fitter.test_intervals(first.ranker)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found += [fitter.test_intervals(fit.ranker) for fit in others]
    return found


def _checked_items(
    X: Any,
    Y: ArrayLike,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    group_weight: GroupWeight,
) -> Items:
    items = Items.checked(
        Y,
        X=as_features(X, any_shape=True),
        sample_weight=sample_weight,
        groups=groups,
        group_weight=group_weight,
    )
    items.labels.require_binary()
    if items.labels.n_labels < 2:
        raise ValueError(
            "Parameter `Y` should hold at least two labels, between which there is a choice. "
            "Found one."
        )
    return items


def _check_points(n_points: int, n_labels: int) -> None:
    check_count("n_points", n_points)
    if n_points < n_labels:
        raise ValueError(
            f"Parameter `n_points` should be at least {n_labels}: each label alone is a point. "
            f"Found {n_points}."
        )


def _check_sizes(validation_size: float, test_size: float) -> None:
    """Two shares of the rows that leave something to train on."""
    check_share("validation_size", validation_size)
    check_share("test_size", test_size)
    if validation_size + test_size >= 1:
        raise ValueError(
            "Parameters `validation_size` and `test_size` should leave rows to train on. Found "
            f"{validation_size:g} and {test_size:g}, which sum to {validation_size + test_size:g}."
        )


def _given_parts(split: Sequence[ArrayLike], items: Items) -> Sequence[Any]:
    n_parts = None if isinstance(split, str) else row_count(split)
    if n_parts != len(PARTS):
        raise ValueError(
            "Parameter `split` should hold the row numbers of three parts: training, validation "
            f"and test. Found {type(split).__name__ if n_parts is None else n_parts}."
        )
    return given_parts(split, PARTS, items, parameter="split")
