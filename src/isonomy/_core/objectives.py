"""What a good ranking is: labels become Preferences here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from isonomy._core.codes import Codes, narrow, number_close
from isonomy._core.costs import Costs, LevelCosts, Table, as_costs, cost_terms
from isonomy._core.label_weights import (
    LabelWeights,
    as_summable_weights,
    as_weights_or_names,
    label_column,
    weights_for,
)
from isonomy._core.labels import Labels
from isonomy._core.mixes import Mean, Mix, Pooled, Worst
from isonomy._core.preferences import Preferences
from isonomy._core.validation import FloatArray, check_choice

How: TypeAlias = "Literal['mean', 'sum', 'product', 'any'] | Callable[[FloatArray], ArrayLike]"


class Objective(Protocol):
    """Anything that turns labels into Preferences.

    Examples
    --------
    An objective of one's own: items with two or more positive labels above the rest.

    >>> import isonomy as iso
    >>> import numpy as np
    >>> class AtLeastTwo:
    ...     def preferences(self, labels):
    ...         hit = np.nansum(labels.patterns, axis=1) >= 2
    ...         return iso.Preferences(labels.codes, above=hit, below=~hit, mix=iso.Pooled())
    >>> Y = [[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    >>> iso.objective_auc(Y, [0.4, 0.5, 0.2, 0.9], AtLeastTwo())
    0.75
    """

    def preferences(self, labels: Labels) -> Preferences: ...


def check_objective(objective: object, name: str = "objective") -> None:
    """An objective is an object (not a class or a name) with a method `preferences`."""
    if not hasattr(objective, "preferences") or isinstance(objective, type):
        raise TypeError(
            f"Parameter `{name}` should be an objective such as `LabelAggregation()`. "
            f"Found {objective!r}."
        )


@dataclass(frozen=True)
class LossAggregation:
    """Loss aggregation: add up the labels' AUCs.

    LoA(f) = sum_k a_k AUC_k(f) / sum_k a_k

    Equal weights are not equal power: a label's pull on the ranking is
    a_k / (pi_k (1 - pi_k)), so a skewed label can become a dictator.

    Parameters
    ----------
    weights : sequence of float, dict, "balanced" or None
        a_k, one number >= 0 per label, in their order, or a dict of the labels' names (where they
        come as a data frame) or column numbers. None: 1 each. "balanced": each label weighs as
        many pairs as it has, so that the pairs of all labels are pooled. With complete
        labels it ranks all scorers as linear-cost label aggregation does.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> f = [3, 5, 4, 1, 3, 2, 6, 3]
    >>> iso.objective_auc(Y, f, iso.LossAggregation())
    0.84375

    By name, the second label twice as much as the first:

    >>> import polars as pl
    >>> named = pl.DataFrame(Y, schema=["visit", "buy"], orient="row")
    >>> iso.objective_auc(named, f, iso.LossAggregation({"visit": 1, "buy": 2}))
    0.875
    """

    weights: LabelWeights | Literal["balanced"] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, ("balanced",))
        else:
            object.__setattr__(self, "weights", as_weights_or_names(self.weights))

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self.weights)))

    def preferences(self, labels: Labels) -> Preferences:
        """One term per label."""
        mix = Pooled() if isinstance(self.weights, str) else Mean(weights_for(self.weights, labels))
        return label_preferences(labels, mix)


@dataclass(frozen=True)
class WorstLabel:
    """The label that the ranking serves worst: min_k AUC_k(f).

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> iso.objective_auc(Y, [3, 5, 4, 1, 3, 2, 6, 3], iso.WorstLabel())
    0.75
    """

    def preferences(self, labels: Labels) -> Preferences:
        """One term per label."""
        return label_preferences(labels, Worst())


@dataclass(frozen=True)
class OneLabel:
    """One label's AUC; the others are ignored.

    Parameters
    ----------
    label : int or str
        Its column's number, or its name where the labels come as a data frame.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0]]
    >>> iso.objective_auc(Y, [3, 5, 4, 1], iso.OneLabel(1))
    1.0
    """

    label: int | str

    def preferences(self, labels: Labels) -> Preferences:
        """The label's own term."""
        return label_preferences(labels.one(self.column(labels)), Mean((1.0,)))

    def column(self, labels: Labels) -> int:
        """Number of the label's column."""
        return label_column(self.label, labels, "label")


@dataclass(frozen=True)
class LabelAggregation:
    """Label aggregation: aggregate the labels first, then rank by the aggregate.

    LaA(f) = E[c(Y, Y') H(f(X) - f(X')) | Y > Y'] / E[c(Y, Y') | Y > Y']

    with Y the aggregated label and c the cost of ranking a pair the wrong way round.

    Parameters
    ----------
    how : {"mean", "sum", "product", "any"} or callable
        The aggregate. "mean" is that of the observed labels, in units of the sum: it
        equals "sum" where all are observed. "product" and "any" use the observed
        labels; "sum" refuses missing ones. A callable takes the distinct label rows, a
        float array (rows, K) with NaN for missing, and returns one level per row (NaN:
        that row joins no pair).
    weights : sequence of float or dict, optional
        One number >= 0 per label, for "mean" and "sum": in their order, or by name as in
        `LossAggregation`.
    costs : {"linear", "uniform"}, array or callable
        "linear": the difference of the levels. "uniform": 1. An array is indexed by
        integer levels [high, low]; only its entries with high > low are used. A
        callable takes two levels, (high, low).

    Notes
    -----
    With complete labels, linear costs and the sum, every scorer has

        LaA - 1/2 = sum_k pi_k (1 - pi_k) (AUC_k - 1/2) / v,   v = E[(Y - Y')+]

    so no label gains power from being skewed. A row with no observed label joins no pair.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> f = [3, 5, 4, 1, 3, 2, 6, 3]
    >>> round(iso.objective_auc(Y, f, iso.LabelAggregation()), 6)
    0.958333
    >>> round(iso.objective_auc(Y, f, iso.LabelAggregation(costs="uniform")), 6)
    0.95
    >>> round(iso.objective_auc(Y, f, iso.LabelAggregation("product")), 6)
    0.916667
    """

    how: How = "mean"
    _: KW_ONLY
    weights: LabelWeights | None = None
    costs: Costs = "linear"

    def __post_init__(self) -> None:
        if not callable(self.how):
            check_choice("how", self.how, ("mean", "sum", "product", "any"))
        if self.weights is not None and self.how not in ("mean", "sum"):
            raise ValueError(
                f"Parameter `weights` serves `how` = 'mean' and 'sum' only. Found how={self.how!r}."
            )
        object.__setattr__(self, "weights", as_summable_weights(self.weights))
        object.__setattr__(self, "costs", as_costs(self.costs))

    def __hash__(self) -> int:
        return hash((type(self), self.how, _hashable(self.weights), self.costs))

    def preferences(self, labels: Labels) -> Preferences:
        """Terms between the levels of the aggregate."""
        labels = self._tallied(labels)
        # Patterns that no item has make no levels, and a user's function need not know them.
        occurs = labels.occurs
        found = self.levels(replace(labels, patterns=labels.patterns[occurs]))
        levels = np.full(occurs.size, found[0])
        levels[occurs] = found
        return level_preferences(levels, labels.codes, self.costs)

    def _tallied(self, labels: Labels) -> Labels:
        """The labels, or where it matters only how many there are, others as many."""
        if self.weights is not None or callable(self.how):
            return labels
        found = labels.tallied()
        # That a label is missing is to be said of the right one.
        lacks = self.how == "sum" and bool(np.isnan(found.patterns).any())
        return labels if lacks else found

    def levels(self, labels: Labels) -> FloatArray:
        """The aggregate of each label pattern; NaN where it joins no pair."""
        patterns = labels.patterns
        if callable(self.how):
            return _called_levels(self.how, patterns)
        if self.how in ("mean", "sum"):
            return self._weighted_levels(labels)
        observed = ~np.isnan(patterns)
        if self.how == "product":
            levels = np.where(observed, patterns, 1.0).prod(axis=1)
        else:
            levels = (np.where(observed, patterns, 0.0) > 0).any(axis=1).astype(np.float64)
        return np.where(observed.any(axis=1), levels, np.nan)

    def _weighted_levels(self, labels: Labels) -> FloatArray:
        patterns = labels.patterns
        weights = np.asarray(weights_for(self.weights, labels))
        observed = ~np.isnan(patterns)
        complete = observed[:, weights > 0].all(axis=1)
        if self.how == "sum" and not complete.all():
            column = np.flatnonzero(np.isnan(patterns).any(axis=0) & (weights > 0))[0]
            raise ValueError(
                f"Parameter `how` = 'sum' needs every label of every item. Found missing values "
                f"in label {labels.names[column]!r}. Use how='mean', which takes the mean of the "
                "observed labels."
            )
        total = np.where(observed, patterns, 0.0) @ weights
        share = observed @ weights / weights.sum()
        share[complete] = 1.0
        levels = np.divide(total, share, out=np.full_like(total, np.nan), where=share > 0)
        if labels.n_labels > 1:
            # Uniform costs would otherwise count 0.1 + 0.2 and 0.3 as two levels.
            rounding = 4 * labels.n_labels * np.finfo(np.float64).eps
            codes, distinct = number_close(levels, relative=rounding)
            levels = distinct[codes]
        return np.asarray(levels)


def _hashable(weights: Any) -> Any:
    return frozenset(weights.items()) if isinstance(weights, dict) else weights


@dataclass(frozen=True)
class SoftLabel:
    """The mean label as a probability: the pair loss that gets the order right.

    AUC(f) = E[ybar (1 - ybar') H(f(X) - f(X'))] / E[ybar (1 - ybar')],   ybar = sum_k w_k Y_k

    over pairs of different items: one bipartite comparison in which an item stands above
    others by its mean label and below them by the rest. As a metric it orders all scorers
    as linear-cost label aggregation with the same weights does ("rarity": as loss
    aggregation), on another scale. As a training loss it differs: with the logistic,
    exponential, square or squared hinge surrogate and a model that can fit anything, its
    minimiser is in the order of sum_k w_k eta_k, which is that of the best scorer. The
    pair losses of the two aggregations do not promise that.

    Parameters
    ----------
    weights : sequence of float, dict, "rarity" or None
        One number >= 0 per label, or a dict as in `LossAggregation`; they are scaled to sum
        to 1. None: 1 each, which serves `LabelAggregation()`. "rarity":
        1 / (pi_k (1 - pi_k)) with pi_k the share of positives among the items at hand,
        weighted and over all groups, which serves `LossAggregation()`; a label of one class
        orders nothing and has weight 0.

    Notes
    -----
    Where labels are missing, ybar is the mean of the observed ones; an item without any
    (of positive weight) joins no pair. With counts, the items that a row stands for meet
    each other and tie. Intervals take weights by rarity as given, not as estimated.

    With groups that weigh by their pairs, None still serves `LabelAggregation()`; "rarity" serves
    `LossAggregation()` exactly only where a label is as rare in every group.

    Examples
    --------
    >>> import isonomy as iso
    >>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> round(iso.objective_auc(Y, [3, 5, 4, 1, 3, 2, 6, 3], iso.SoftLabel()), 6)
    0.866667
    """

    weights: LabelWeights | Literal["rarity"] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.weights, str):
            check_choice("weights", self.weights, ("rarity",))
        else:
            object.__setattr__(self, "weights", as_weights_or_names(self.weights))

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self.weights)))

    def preferences(self, labels: Labels) -> Preferences:
        """One term: each pattern on both sides, by the shares of its labels."""
        labels.require_binary()
        if self.weights is None:
            labels = labels.tallied()
        weights = self.label_weights(labels)
        # Sums before shares: those of equal weights are whole numbers, equal where they should be.
        up, low = labels.positive @ weights, labels.negative @ weights
        mass = up + low
        sides = np.divide([up, low], mass, out=np.zeros((2, mass.size)), where=mass > 0)
        distinct, codes = np.unique(sides[0] + 1j * sides[1], return_inverse=True)
        return Preferences(
            narrow(codes, distinct.size)[labels.codes],
            above=distinct.real,
            below=distinct.imag,
            mix=Pooled(),
        )

    def label_weights(self, labels: Labels) -> FloatArray:
        """w_k up to a factor; all 0 where "rarity" finds no label of two classes."""
        if not isinstance(self.weights, str):
            weights = np.asarray(weights_for(self.weights, labels))
            return np.asarray(np.ldexp(weights, -int(np.frexp(weights.max())[1])))
        positive, negative = labels.class_weights
        total, both = positive + negative, (positive > 0) & (negative > 0)
        nothing = np.zeros(total.size)
        return np.asarray(
            np.divide(total, positive, out=nothing.copy(), where=both)
            * np.divide(total, negative, out=nothing, where=both)
        )

    def fixed(self, labels: Labels) -> SoftLabel:
        """The same with the weights that these labels give, for some of them at a time."""
        weights = self.label_weights(labels)
        return SoftLabel(weights.tolist()) if weights.any() else self


def level_preferences(levels: FloatArray, codes: Codes, costs: Costs) -> Preferences:
    """Items of higher levels above others, given the level of each pattern (NaN: joins no pair)."""
    if isinstance(costs, str):
        largest = np.nanmax(np.abs(levels), initial=0.0)
        # A power of two changes no ratio; now no difference of levels overflows or vanishes.
        scaled = np.ldexp(levels, -int(np.frexp(largest)[1]) - 1)
        return Preferences.of_levels(codes, LevelCosts(scaled, costs == "linear"))
    distinct, index = np.unique(levels, return_inverse=True)
    above, below = cost_terms(distinct[~np.isnan(distinct)], costs)
    if np.isnan(distinct).any():
        above, below = _with_empty_row(above), _with_empty_row(below)
    # A gather, where the patterns are not in the order of their levels already.
    if not np.array_equal(index, np.arange(index.size)):
        codes = narrow(index, distinct.size)[codes]
    return Preferences(codes, above, below, Pooled())


def label_preferences(labels: Labels, mix: Mix) -> Preferences:
    """One term per label: its positives above its negatives."""
    labels.require_binary()
    if labels.words is not None:
        return Preferences.of_words(labels.words, mix, labels.names)
    return Preferences(
        labels.codes,
        above=labels.positive,
        below=labels.negative,
        mix=mix,
        names=labels.names,
    )


def _called_levels(how: Callable[[FloatArray], ArrayLike], patterns: FloatArray) -> FloatArray:
    levels = np.asarray(how(patterns))
    if levels.shape != patterns.shape[:1] or levels.dtype.kind not in "biuf":
        raise ValueError(
            f"Parameter `how` should return one number for each of the {len(patterns)} rows it is "
            f"given. Found shape {levels.shape} and dtype {levels.dtype}."
        )
    if np.isinf(levels).any():
        raise ValueError("Parameter `how` should return finite levels, or NaN. Found infinity.")
    return levels.astype(np.float64)


def _with_empty_row(table: Table) -> Table:
    return np.vstack([table, np.zeros((1, table.shape[1]))])
