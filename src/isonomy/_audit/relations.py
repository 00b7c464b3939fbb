"""How two labels go together by what they are: funnels, labels that exclude each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scipy import special

Relation: TypeAlias = Literal[
    "free", "same", "first implies second", "second implies first", "exclusive", "opposite", "apart"
]

# How often labels that have nothing to do with each other may leave out a combination that is
# taken for impossible.
CHANCE = 1e-3
# With these two labels cannot disagree, whatever rows are added.
NEVER_IN_CONFLICT = ("same", "first implies second", "second implies first")


@dataclass(frozen=True)
class Together:
    """How many rows, of those in which both labels are observed, have which of them.

    Attributes
    ----------
    first, second : int
        Rows with the one only.
    both, neither : int
        Rows with both, with none.
    """

    first: int
    second: int
    both: int
    neither: int


def relation_of(rows: Together, chance: float = CHANCE) -> Relation:
    """What the rows say of two labels; "free" where every combination may occur.

    A combination that is not there is taken for impossible where labels that have nothing to do
    with each other would leave it out less often than by `chance`.

    - same: each row has both or none.
    - first implies second, second implies first: a funnel, such as purchase and click. Of more
      rows it is said that they will bring no conflict, and labels that only go together leave
      conflicts out of few rows: chance has to be as small for labels that are half-way to it.
    - exclusive: no row has both; opposite: each row has exactly one.
    - apart: no row has both labels observed.

    Examples
    --------
    >>> relation_of(Together(first=900, second=0, both=100, neither=4000))
    'second implies first'
    >>> relation_of(Together(first=900, second=100, both=0, neither=4000))
    'exclusive'
    >>> relation_of(Together(first=3, second=2, both=0, neither=400))
    'free'
    >>> relation_of(Together(first=190, second=0, both=10, neither=200))
    'free'
    """
    n = rows.first + rows.second + rows.both + rows.neither
    if n == 0:
        return "apart"
    a, b = rows.first + rows.both, rows.second + rows.both
    if rows.first == rows.second == 0:
        return "same" if rarer_than_chance(n, a, a, chance) else "free"
    if rows.both == rows.neither == 0:
        return "opposite" if rarer_than_chance(n, a, a, chance) else "free"
    if rows.second == 0:
        return "second implies first" if rarer_than_chance(n, b, half_way(a, n), chance) else "free"
    if rows.first == 0:
        return "first implies second" if rarer_than_chance(n, a, half_way(b, n), chance) else "free"
    if rows.both == 0:
        return "exclusive" if rarer_than_chance(n, b, n - a, chance) else "free"
    return "free"


def half_way(inside: int, n: int) -> int:
    """With half of the other rows inside, too."""
    return inside + (n - inside) // 2


def rarer_than_chance(n: int, k: int, inside: int, chance: float) -> bool:
    """Whether k of n rows, drawn at random, would all be `inside` less often than by `chance`."""
    return _log_choose(inside, k) - _log_choose(n, k) < math.log(chance)


def _log_choose(n: int, k: int) -> float:
    return float(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def best_smaller_auc(first: float, second: float) -> float:
    """The most that the smaller of two AUCs can be where no row has both labels.

    Of the negatives of one label, its share u that has the other stands above its positives as
    often as the other label wins: A_1 <= 1 - (1 - c) u, A_2 <= 1 - c v, whatever the conflict
    AUC c is. The best c makes both equal.

    Parameters
    ----------
    first, second : float
        Shares of positives of the two labels.

    Examples
    --------
    >>> best_smaller_auc(0.5, 0.5), round(best_smaller_auc(0.1, 0.1), 3)
    (0.5, 0.944)
    """
    u, v = second / (1 - first), first / (1 - second)
    return 1 - u * v / (u + v)
