"""What to call a label's AUC, and who wins where two labels disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from isonomy._audit.estimate import Estimate
from isonomy._audit.relations import NEVER_IN_CONFLICT, Relation

LabelVerdict: TypeAlias = Literal["above chance", "not above chance", "backwards", "undefined"]
Verdict: TypeAlias = Literal[
    "balanced", "leaning", "dictated", "not predicted", "undecided", "no conflict"
]

# Every AUC of a constant score.
CONSTANT = 0.5
# An AUC that may be 1/2 and surely is no more than this is as good as chance.
AT_CHANCE = 0.6
# Whoever wins surely more than this share of the conflicts dictates.
DICTATES = 0.9
# A balance is claimed only where nobody can win more than two conflicts out of three.
BALANCED = 2 / 3
# With fewer items on a side (or groups with conflicts) nothing is claimed.
FEWEST_FOR_VERDICT = 10


@dataclass(frozen=True)
class Conflict:
    """The pairs of an item with one label only and an item with the other only.

    Attributes
    ----------
    first, second : str
        The two labels.
    auc : Estimate
        The share of these pairs that the ranking decides for `first`.
    items : tuple of int
        How many rows have `first` and not `second`, and the reverse.
    verdict : {"balanced", "leaning", "dictated", "not predicted", "undecided", "no conflict"}
        In words; see `verdict_of`. "no conflict" where the two cannot disagree.
    winner, loser : str or None
        Who wins more conflicts; None unless the verdict is about a winner.
    relation : {"free", "same", "first implies second", "second implies first", "exclusive", \
"opposite", "apart"}
        How the two go together by what they are; see `relation_of`.
    """

    first: str
    second: str
    auc: Estimate
    items: tuple[int, int]
    verdict: Verdict
    winner: str | None
    loser: str | None
    relation: Relation = "free"

    @property
    def won(self) -> Estimate:
        """The share of conflicts that the winner wins (the first label where there is none)."""
        return mirrored(self.auc) if self.winner == self.second else self.auc


def mirrored(auc: Estimate) -> Estimate:
    """A conflict AUC seen from the other label."""
    return Estimate(1 - auc.value, 1 - auc.high, 1 - auc.low, auc.standard_error)


def verdict_of(won: tuple[float, float], loser: tuple[float, float], units: float) -> Verdict:
    """The verdict on a pair of labels, by the intervals.

    - dictated: the winner wins surely more than 90% of the conflicts.
    - leaning: surely more than half.
    - not predicted: one of these, but the loser's own AUC may be 1/2, so that the ranking
      knows nothing of it that it could have set against the winner. A loser whose AUC is surely
      below 1/2 is known, and ranked against.
    - balanced: nobody wins surely more than half, nor possibly more than two thirds.
    - undecided: the interval is too wide, or fewer than 10 items (or groups) on a side.

    Parameters
    ----------
    won : (float, float)
        Interval of the conflict AUC from the winner's side.
    loser : (float, float)
        Interval of the loser's own AUC.
    units : float
        Items on the smaller side (clusters, groups with conflicts), effectively.

    Examples
    --------
    >>> [verdict_of(won, (0.7, 0.8), 99) for won in ((0.4, 0.6), (0.6, 0.8), (0.92, 1.0))]
    ['balanced', 'leaning', 'dictated']
    >>> verdict_of((0.92, 1.0), (0.45, 0.55), 99), verdict_of((0.92, 1.0), (0.2, 0.3), 99)
    ('not predicted', 'dictated')
    >>> verdict_of((0.1, 0.9), (0.7, 0.8), 99), verdict_of((0.92, 1.0), (0.7, 0.8), 3)
    ('undecided', 'undecided')
    """
    low, high = won
    if units < FEWEST_FOR_VERDICT or low != low:
        return "undecided"
    if low > 0.5:
        if not loser[0] > 0.5 and not loser[1] < 0.5:
            return "not predicted"
        return "dictated" if low > DICTATES else "leaning"
    return "balanced" if high <= BALANCED else "undecided"


def label_verdict_of(low: float, high: float) -> LabelVerdict:
    """The verdict on a label by the interval of its AUC; a constant score has 1/2.

    Examples
    --------
    >>> label_verdict_of(0.6, 0.7), label_verdict_of(0.48, 0.52), label_verdict_of(0.3, 0.4)
    ('above chance', 'not above chance', 'backwards')
    """
    if low != low or high != high:
        return "undefined"
    if low > 0.5:
        return "above chance"
    return "backwards" if high < 0.5 else "not above chance"


def judge_conflict(
    names: tuple[str, str],
    auc: Estimate,
    own: tuple[Estimate, Estimate],
    items: tuple[int, int],
    units: float,
    *,
    relation: Relation = "free",
) -> Conflict:
    """The verdict on two labels, from their conflict AUC and their own AUCs."""
    if relation in NEVER_IN_CONFLICT:
        return Conflict(*names, auc, items, "no conflict", None, None, relation)
    swapped = auc.value < 0.5
    won, loser = (mirrored(auc), own[0]) if swapped else (auc, own[1])
    verdict = verdict_of((won.low, won.high), (loser.low, loser.high), units)
    winner: str | None = None
    beaten: str | None = None
    if verdict in ("leaning", "dictated", "not predicted"):
        winner, beaten = names[::-1] if swapped else names
    return Conflict(*names, auc, items, verdict, winner, beaten, relation)
