"""The attainable front, by sweeping the weights of the labels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from isonomy._core import (
    GroupWeight,
    Labels,
    as_generator,
    as_groups,
    as_label_table,
    as_weight,
    check_choice,
    check_count,
    check_level,
)
from isonomy._infra import progress
from isonomy._metrics import AUCIntervals
from isonomy._rankers.linear import LinearRanker
from isonomy.pareto._design import shares, simplex_design, widest_gap
from isonomy.pareto._dominance import front
from isonomy.pareto._front import Front
from isonomy.pareto._split import Rows, as_split, check_sizes, random_split
from isonomy.pareto._weighted_fits import Problem, Trial, objective_parameter, require_pairs

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
    level: float = 0.95,
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
        Its methods give the weights that meet a wish.

    Notes
    -----
    Two labels: the longest gap between neighbours, in AUCs of the validation rows, gets
    the next point, so that points lie evenly along the front however skewed the labels.
    More labels: a simplex lattice, which is even in the effective weights a_k / D_k.

    Test rows choose nothing but `on_front`. Wishes are met on the validation rows; the
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
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    labels, rows = _checked_rows(X, Y, sample_weight, groups)
    _check_points(n_points, labels.n_labels)
    sizes = check_sizes(validation_size, test_size)
    if split is None:
        index = random_split(labels.codes, rows.groups, sizes, as_generator(random_state))
    else:
        index = as_split(split, len(labels), rows.groups)
    train, validation, test = (rows.take(part) for part in index)
    pairs = require_pairs(train, labels.names, "training")
    require_pairs(validation, labels.names, "validation")
    require_pairs(test, labels.names, "test")
    if ranker is None:
        ranker = LinearRanker(group_weight=group_weight, tol=TOLERANCE, warm_start=True)
    objective_parameter(ranker)
    problem = Problem(
        ranker, rows, train, validation, test, labels.names, pairs, level, group_weight
    )
    sweep = _sweep_line if labels.n_labels == 2 else _sweep_simplex
    return _front(problem, sweep(problem, n_points))


def _sweep_line(problem: Problem, n_points: int) -> list[Trial]:
    """Both labels alone, then always a point in the middle of the widest gap."""
    line = [problem.trial(np.array([1.0, 0.0]), [])]
    line.append(problem.trial(np.array([0.0, 1.0]), line))
    for _ in progress(range(n_points - 2), n_points - 2, "Tracing the front"):
        positions = np.array([trial.position for trial in line])
        gap = widest_gap(positions[:, 1], np.array([trial.aucs for trial in line]), n_points)
        middle = (positions[gap] + positions[gap + 1]) / 2
        line.insert(gap + 1, problem.trial(middle, line))
    return line


def _sweep_simplex(problem: Problem, n_points: int) -> list[Trial]:
    design = simplex_design(len(problem.names), n_points)
    trials: list[Trial] = []
    for position in progress(design, len(design), "Tracing the front"):
        trials.append(problem.trial(position, trials))
    return trials


def _front(problem: Problem, trials: list[Trial]) -> Front:
    judged = _judged(problem, trials)
    aucs = np.array([found.estimate for found in judged])
    coef = [getattr(trial.ranker, "coef_", None) for trial in trials]
    return Front(
        names=problem.names,
        weights=np.array([trial.weights for trial in trials]),
        effective=shares(np.array([trial.position for trial in trials])),
        aucs=aucs,
        low=np.array([found.low for found in judged]),
        high=np.array([found.high for found in judged]),
        on_front=front(aucs),
        validation_aucs=np.array([trial.aucs for trial in trials]),
        coef=None if any(row is None for row in coef) else np.array(coef, np.float64),
        _problem=problem,
        _trials=tuple(trials),
    )


def _judged(problem: Problem, trials: list[Trial]) -> list[AUCIntervals]:
    """The intervals of each trial; what the first one warns of holds for all."""
    first, *others = trials
    judged = [problem.judge(first.ranker)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged += [problem.judge(trial.ranker) for trial in others]
    return judged


def _checked_rows(
    X: Any, Y: ArrayLike, sample_weight: ArrayLike | None, groups: ArrayLike | None
) -> tuple[Labels, Rows]:
    labels = Labels.from_table(Y)
    labels.require_binary()
    if labels.n_labels < 2:
        raise ValueError(
            "Parameter `Y` should hold at least two labels, between which there is a choice. "
            "Found one."
        )
    X = np.asarray(X) if isinstance(X, list | tuple) else X
    X = X.tocsr() if sparse.issparse(X) else X
    n = len(labels)
    if getattr(X, "shape", (None,))[0] != n:
        raise ValueError(
            "Parameters `X` and `Y` should have the same number of rows. "
            f"Found X of shape {getattr(X, 'shape', None)} and {n} rows of labels."
        )
    table, _ = as_label_table(Y)
    return labels, Rows(X, table, as_weight(sample_weight, n), as_groups(groups, n))


def _check_points(n_points: int, n_labels: int) -> None:
    check_count("n_points", n_points)
    if n_points < n_labels:
        raise ValueError(
            f"Parameter `n_points` should be at least {n_labels}: each label alone is a point. "
            f"Found {n_points}."
        )
