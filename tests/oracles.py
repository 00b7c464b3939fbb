"""Slow, obviously right versions of what the package computes: every pair, exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import isonomy as iso

Cost = Callable[[int, int], Any]
Rows = list[list[Fraction | None]]


def rows_of(Y: np.ndarray) -> Rows:
    """Labels as fractions, None where not observed."""
    table = np.asarray(Y)
    table = table[:, None] if table.ndim == 1 else table
    return [
        [None if value != value else Fraction(value) for value in row] for row in table.tolist()
    ]


def right_order(high: float, low: float) -> Fraction:
    """The step function of the difference of two scores."""
    return Fraction(1) if high > low else Fraction(1, 2) if high == low else Fraction(0)


def ratio(
    cost: Cost,
    scores: Sequence[float],
    weight: Sequence[float] | None = None,
    groups: Sequence[Any] | None = None,
    group_weight: str = "pairs",
) -> Fraction | None:
    """N / D over all pairs of different items (in each group); None where there are none."""
    n = len(scores)
    weights = [Fraction(1)] * n if weight is None else [Fraction(w) for w in weight]
    where = [0] * n if groups is None else list(groups)
    sums: dict[Any, list[Fraction]] = {}
    for i in range(n):
        for j in range(n):
            if i != j and where[i] == where[j]:
                pair = weights[i] * weights[j] * cost(i, j)
                total = sums.setdefault(where[i], [Fraction(0), Fraction(0)])
                total[0] += pair * right_order(scores[i], scores[j])
                total[1] += pair
    parts = [(right, total) for right, total in sums.values() if total > 0]
    if not parts:
        return None
    if group_weight == "equal":
        return sum((right / total for right, total in parts), Fraction(0)) / len(parts)
    return sum(right for right, _ in parts) / sum(total for _, total in parts)


def label_cost(rows: Rows, k: int) -> Cost:
    """1 where the first item has label k and the second has not."""
    return lambda i, j: int(rows[i][k] == 1 and rows[j][k] == 0)


def conflict_cost(rows: Rows, k: int, other: int) -> Cost:
    """1 where the first item has k and not the other label, and the second the reverse."""
    return lambda i, j: int(
        rows[i][k] == 1 and rows[i][other] == 0 and rows[j][k] == 0 and rows[j][other] == 1
    )


def level_cost(levels: Sequence[Fraction | None], costs: Callable[[Any, Any], Any]) -> Cost:
    """The cost of two levels where the first is the higher."""

    def cost(i: int, j: int) -> Any:
        high, low = levels[i], levels[j]
        return 0 if high is None or low is None or high <= low else Fraction(costs(high, low))

    return cost


def weighted_mean_levels(rows: Rows, weights: Sequence[float] | None = None) -> list[Any]:
    """The weighted mean of the observed labels, in units of the weighted sum of all."""
    levels: list[Any] = []
    for row in rows:
        a = [Fraction(1)] * len(row) if weights is None else [Fraction(w) for w in weights]
        seen = [k for k, value in enumerate(row) if value is not None and a[k] > 0]
        mass = sum(a[k] for k in seen)
        levels.append(sum(a[k] * row[k] for k in seen) * sum(a) / mass if seen else None)
    return levels


def soft_cost(rows: Rows, weights: Sequence[float | Fraction] | None = None) -> Cost:
    """The mean label of the first item times what the second's lacks of 1."""
    a = [Fraction(1)] * len(rows[0]) if weights is None else [Fraction(w) for w in weights]
    total = sum(a)
    means = [None if x is None else x / total for x in weighted_mean_levels(rows, a)]
    return lambda i, j: 0 if None in (means[i], means[j]) else means[i] * (1 - means[j])


def rarity(rows: Rows, weight: Sequence[float] | None = None) -> list[Fraction]:
    """1 / (pi (1 - pi)) of each label; 0 for those of one class."""
    w = [Fraction(1)] * len(rows) if weight is None else [Fraction(x) for x in weight]
    found = []
    for k in range(len(rows[0])):
        parts = [
            sum((a for a, row in zip(w, rows, strict=True) if row[k] == value), Fraction(0))
            for value in (1, 0)
        ]
        found.append(sum(parts) ** 2 / (parts[0] * parts[1]) if all(parts) else Fraction(0))
    return found


def product_levels(rows: Rows) -> list[Any]:
    """The product of the observed labels."""
    seen = [[value for value in row if value is not None] for row in rows]
    return [math.prod(values) if values else None for values in seen]


def any_levels(rows: Rows) -> list[Any]:
    """Whether an observed label is positive."""
    seen = [[value for value in row if value is not None] for row in rows]
    return [Fraction(int(any(v > 0 for v in values))) if values else None for values in seen]


def linear(high: Any, low: Any) -> Any:
    """Linear costs."""
    return high - low


def uniform(high: Any, low: Any) -> Any:  # noqa: ARG001 -- a cost takes both
    """Uniform costs."""
    return 1


def cost_table(size: int) -> list[list[int]]:
    """A cost array with different entries below the diagonal and rubbish elsewhere."""
    return [[1 + 3 * i + 2 * j if i > j else 7 for j in range(size)] for i in range(size)]


def steep(high: float, low: float) -> float:
    """A cost callable that is exact in floats for small whole levels."""
    return float((high - low) ** 2 + high)


@dataclass(frozen=True)
class Case:
    """An objective, and what its AUC means pair by pair.

    `costs` gives the cost of each ratio, `mix` makes one number of them; None where
    undefined. `complete` marks objectives that refuse missing labels, `two_sided` those in
    which an item stands on both sides of a term: no ranking is perfect, and an item of weight
    2, which does not meet itself, is not two items.
    """

    name: str
    objective: Callable[[int], Any]
    costs: Callable[[Rows], list[Cost]]
    mix: Callable[[list[Fraction]], Fraction]
    ordinal: bool = False
    complete: bool = False
    one_term: bool = False
    two_sided: bool = False

    def value(self, Y: np.ndarray, scores: Sequence[float], **options: Any) -> float:
        """The objective's AUC; NaN where a needed ratio has no pairs."""
        ratios = [ratio(cost, scores, **options) for cost in self.costs(rows_of(Y))]
        return math.nan if None in ratios else float(self.mix(ratios))


def _first(ratios: list[Fraction]) -> Fraction:
    return ratios[0]


def _mean(ratios: list[Fraction]) -> Fraction:
    return sum(ratios) / len(ratios)


def _ramp(ratios: list[Fraction]) -> Fraction:
    weights = ramp(len(ratios))
    return sum(Fraction(a) * r for a, r in zip(weights, ratios, strict=True)) / Fraction(
        sum(weights)
    )


def ramp(K: int) -> list[float]:
    """Weights 1, 1.5, 2, ..."""
    return [1.0 + 0.5 * k for k in range(K)]


def _label_costs(rows: Rows) -> list[Cost]:
    return [label_cost(rows, k) for k in range(len(rows[0]))]


def _pooled_labels(rows: Rows) -> list[Cost]:
    costs = _label_costs(rows)
    return [lambda i, j: sum(cost(i, j) for cost in costs)]


def _levels(aggregate: Callable[[Rows], list[Any]], costs: Any) -> Callable[[Rows], list[Cost]]:
    return lambda rows: [level_cost(aggregate(rows), costs)]


def _ramp_levels(rows: Rows) -> list[Any]:
    return weighted_mean_levels(rows, ramp(len(rows[0])))


def _own_levels(rows: Rows) -> list[Any]:
    return [None if row[0] is None else 2 * row[0] + (row[-1] or 0) for row in rows]


def own_aggregate(Y: np.ndarray) -> np.ndarray:
    """Twice the first label plus the last, where the first is observed."""
    return 2 * Y[:, 0] + np.nan_to_num(Y[:, -1])


# Every property of objectives runs over this list.
OBJECTIVES = [
    Case("loa", lambda _: iso.LossAggregation(), _label_costs, _mean),
    Case("loa-weights", lambda K: iso.LossAggregation(ramp(K)), _label_costs, _ramp),
    Case("loa-balanced", lambda _: iso.LossAggregation("balanced"), _pooled_labels, _first),
    Case("worst", lambda _: iso.WorstLabel(), _label_costs, min),
    Case("one", lambda K: iso.OneLabel(K - 1), lambda r: _label_costs(r)[-1:], _first),
    Case(
        "laa-mean",
        lambda _: iso.LabelAggregation(),
        _levels(weighted_mean_levels, linear),
        _first,
        ordinal=True,
    ),
    Case(
        "laa-sum",
        lambda _: iso.LabelAggregation("sum"),
        _levels(weighted_mean_levels, linear),
        _first,
        ordinal=True,
        complete=True,
    ),
    Case(
        "laa-weights",
        lambda K: iso.LabelAggregation(weights=ramp(K)),
        _levels(_ramp_levels, linear),
        _first,
        ordinal=True,
    ),
    Case(
        "laa-uniform",
        lambda _: iso.LabelAggregation(costs="uniform"),
        _levels(weighted_mean_levels, uniform),
        _first,
        ordinal=True,
    ),
    Case(
        "laa-table",
        lambda K: iso.LabelAggregation("sum", costs=cost_table(4 * K + 1)),
        _levels(weighted_mean_levels, lambda i, j: cost_table(int(i) + 1)[int(i)][int(j)]),
        _first,
        ordinal=True,
        complete=True,
    ),
    Case(
        "laa-callable",
        lambda _: iso.LabelAggregation("sum", costs=steep),
        _levels(weighted_mean_levels, steep),
        _first,
        ordinal=True,
        complete=True,
    ),
    Case(
        "laa-product",
        lambda _: iso.LabelAggregation("product"),
        _levels(product_levels, linear),
        _first,
        ordinal=True,
    ),
    Case(
        "laa-any",
        lambda _: iso.LabelAggregation("any"),
        _levels(any_levels, linear),
        _first,
        ordinal=True,
    ),
    Case(
        "laa-own",
        lambda _: iso.LabelAggregation(own_aggregate, costs="uniform"),
        _levels(_own_levels, uniform),
        _first,
        ordinal=True,
    ),
    Case("soft", lambda _: iso.SoftLabel(), lambda rows: [soft_cost(rows)], _first, two_sided=True),
    Case(
        "soft-weights",
        lambda K: iso.SoftLabel(ramp(K)),
        lambda rows: [soft_cost(rows, ramp(len(rows[0])))],
        _first,
        two_sided=True,
    ),
]


ONE_SIDED = [case for case in OBJECTIVES if not case.two_sided]


def order_table(scores: np.ndarray) -> np.ndarray:
    """The step function of every difference of two scores."""
    return np.where(scores[:, None] > scores, 1.0, np.where(scores[:, None] == scores, 0.5, 0.0))


def cost_matrix(cost: Cost, n: int) -> np.ndarray:
    """A cost as a table over all pairs of items, of which none meets itself."""
    return np.array([[float(cost(i, j)) if i != j else 0.0 for j in range(n)] for i in range(n)])


def class_influence(
    y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    """DeLong's placement values, centred and scaled: their squares sum to the variance.

    For m positives with weights w, V the weighted share of the negatives that each
    outranks, and A the AUC: w (V - A) / sum w, times sqrt(m' / (m' - 1)) with
    m' = (sum w)^2 / sum w^2; likewise for the negatives. Missing labels have none.
    """
    w = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    right = order_table(scores)
    psi = np.zeros(len(y))
    area = (w[y == 1] @ right[y == 1][:, y == 0] @ w[y == 0]) / (w[y == 1].sum() * w[y == 0].sum())
    for mine, other, order in ((1, 0, right), (0, 1, right.T)):
        a, b = w[y == mine], w[y == other]
        placement = order[y == mine][:, y == other] @ b / b.sum()
        size = a.sum() ** 2 / (a**2).sum()
        psi[y == mine] = a * (placement - area) / a.sum() * math.sqrt(size / (size - 1))
    return psi


def pooled_influence(
    cost: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    """Influence of each item on sum N / sum D, both of them sums over items."""
    w = np.ones(len(scores)) if weight is None else np.asarray(weight, float)
    pairs = w[:, None] * w * cost
    right = pairs * order_table(scores)
    area = right.sum() / pairs.sum()
    both = right.sum(0) + right.sum(1) - area * (pairs.sum(0) + pairs.sum(1))
    size = w.sum() ** 2 / (w**2).sum()
    return both / pairs.sum() * math.sqrt(size / (size - 1))


def group_influence(
    cost: np.ndarray,
    scores: np.ndarray,
    groups: np.ndarray,
    weight: np.ndarray | None = None,
    group_weight: str = "pairs",
) -> np.ndarray:
    """Influence of each group on sum N / sum D."""
    w = np.ones(len(scores)) if weight is None else np.asarray(weight, float)
    pairs = w[:, None] * w * cost * (groups[:, None] == groups)
    right = pairs * order_table(scores)
    parts = [groups == g for g in np.unique(groups)]
    N = np.array([right[part].sum() for part in parts])
    D = np.array([pairs[part].sum() for part in parts])
    if group_weight == "equal":
        N, D = np.divide(N, D, out=np.zeros_like(N), where=D > 0), (D > 0).astype(float)
    size = (D > 0).sum()
    return (N - N.sum() / D.sum() * D) / D.sum() * math.sqrt(size / (size - 1))


def delong_paired(y: np.ndarray, scores: Sequence[np.ndarray]) -> np.ndarray:
    """DeLong, DeLong and Clarke-Pearson (1988), as printed: S10 / m + S01 / n."""
    order = [order_table(s)[y == 1][:, y == 0] for s in scores]
    S10 = np.cov([table.mean(axis=1) for table in order])
    S01 = np.cov([table.mean(axis=0) for table in order])
    return np.atleast_2d(S10 / (y == 1).sum() + S01 / (y == 0).sum())
