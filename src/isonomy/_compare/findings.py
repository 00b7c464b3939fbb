"""What a comparison has found, as its sentences ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isonomy._audit import AT_CHANCE, CONSTANT
from isonomy._compare.methods import CHANCE
from isonomy._compare.verdicts import severity

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison, MethodResult


def serves(found: Comparison) -> bool:
    """Whether there is a method to take: nobody takes what is no better than a constant score."""
    return found.decision.above_chance or found.goal.kind == "promises"


def more_rows_would_tell(found: Comparison) -> bool:
    """Whether more rows might show a ranking that serves all labels."""
    goal, structure = found.methods[found.decision.index].goal, found.structure
    if serves(found) or float(goal.low) > CONSTANT:
        return False
    if float(goal.mean) > AT_CHANCE:
        return True
    # Of labels that are against each other, and of splits without a spread, more is not hoped.
    against = structure.exclusive or structure.opposed
    return not against and float(goal.high) > AT_CHANCE


def worth(found: Comparison) -> NDArray[np.bool_]:
    """Which labels the goal cares for."""
    if found.goal.kind != "values":
        return np.ones(len(found.names), dtype=bool)
    return np.asarray(found.goal.weights > 0)


def compared(found: Comparison) -> list[MethodResult]:
    """The methods that were measured, without the constant score."""
    return [found.methods[m] for m in ranked(found)]


def ranked(found: Comparison) -> list[int]:
    """Their places in the table."""
    every = enumerate(found.methods)
    return [m for m, each in every if each.failed is None and each.kind != CHANCE.key]


def worst_verdict(found: Comparison, method: int) -> str:
    """The worst word that a method has earned, over labels that some method predicts."""
    own = found.methods[method]
    words = ("balanced", "undecided", "leaning", "dictated")
    return words[severity(own.verdicts, own.conflicts.mean, predicted_labels(found))]


def predicted_labels(found: Comparison) -> NDArray[np.bool_]:
    """Which labels some method surely serves better than a constant score."""
    return np.isin(np.arange(len(found.names)), found.structure.predicted)
