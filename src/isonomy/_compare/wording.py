"""A comparison in words: what to take, what it costs, what else to know."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from isonomy._compare.result import Comparison

# More pairs of labels than these nobody reads about; the table of a report has them.
MOST_PAIRS = 6


def summary(found: Comparison) -> str:
    """What to take and why, then what else to know, one sentence or two a line."""
    how = f"{found.n_splits} splits"
    if found.n_repeats:
        times = "once" if found.n_repeats == 1 else f"{found.n_repeats} times"
        how += f", each row held out {times}"
    lines = [f"Take {found.recommended!r}.", found.reason]
    lines += [*_price(found), *_standing(found)]
    lines += [f"Note: {note}" for note in found.notes]
    lines += [
        f"{method.name!r} could not be compared. {method.failed}"
        for method in found.methods
        if method.failed is not None
    ]
    lines += [
        f"{method.name!r} warned. {note}"
        for method in found.methods
        if method.failed is None
        for note in method.notes
    ]
    lines.append(
        f"Measured on {found.n_rows:,} rows ({how}) with the {found.family} family; intervals of "
        f"{found.level:.0%} allow for the rows that splits share."
    )
    return "\n".join(lines)


def _price(found: Comparison) -> list[str]:
    """What the recommended method leaves of the best that each label can have."""
    if len(found.names) == 1:
        return []
    own = found[found.recommended].aucs.mean
    reached = np.array([method.aucs.mean for method in found.methods if method.failed is None])
    parts = [
        f"{name!r} {own[k]:.3f} of {reached[:, k].max():.3f}" for k, name in enumerate(found.names)
    ]
    return [f"What it gives each label, of the best that any method gives: {', '.join(parts)}."]


def _standing(found: Comparison) -> list[str]:
    """Who wins conflicts under the recommended method."""
    best = found[found.recommended]
    lines = []
    for k, j in combinations(range(len(found.names)), 2):
        won = float(best.conflicts.mean[k, j])
        if np.isnan(won):
            continue
        winner, loser = (k, j) if won >= 0.5 else (j, k)
        share = best.conflicts.mean[winner, loser]
        lines.append(
            f"Where {found.names[k]!r} and {found.names[j]!r} disagree, it sides with "
            f"{found.names[winner]!r} in {share:.0%} of the pairs ({best.verdicts[k][j]})."
        )
    return lines if len(lines) <= MOST_PAIRS else []
