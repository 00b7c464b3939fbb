"""Terms that metrics count beside those of objectives: where two labels disagree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isonomy._core.labels import Labels
from isonomy._core.mixes import Mean
from isonomy._core.objectives import Objective
from isonomy._core.preferences import Preferences
from isonomy._core.side_words import SideWords


@dataclass(frozen=True)
class ConflictPairs:
    """One term per pair of labels k < l: items with k and not l above those with l and not k.

    Parameters
    ----------
    start, stop : int, int or None
        Which of the pairs, row by row of the upper triangle. All, unless told.
    """

    start: int = 0
    stop: int | None = None

    def preferences(self, labels: Labels) -> Preferences:
        """One term per pair."""
        labels.require_binary()
        if labels.n_labels < 2:
            raise ValueError(
                f"Parameter `{labels.parameter}` should hold at least two labels, whose conflicts "
                "are counted. Found one."
            )
        every = np.triu_indices(labels.n_labels, k=1)
        first, second = (side[self.start : self.stop] for side in every)
        pairs = zip(first, second, strict=True)
        names = [f"{labels.names[k]} against {labels.names[j]}" for k, j in pairs]
        mix = Mean((1.0,) * first.size)
        if labels.words is not None:
            return Preferences.of_words(labels.words.conflicts(first, second), mix, names)
        yes, no = labels.positive, labels.negative
        return Preferences(
            labels.codes,
            above=yes[:, first] & no[:, second],
            below=no[:, first] & yes[:, second],
            mix=mix,
            names=names,
        )


@dataclass(frozen=True)
class SideBySide:
    """The terms of several objectives one after another, to be counted in one pass.

    Their mix is their mean. The objectives should know items by the labels' own patterns,
    as those of single labels and `ConflictPairs` do.

    Examples
    --------
    >>> from isonomy._core import ConflictPairs, Labels, LossAggregation, SideBySide
    >>> both = SideBySide((LossAggregation(), ConflictPairs()))
    >>> both.preferences(Labels.from_table([[1, 0], [0, 1]])).names
    ['0', '1', '0 against 1']
    """

    objectives: tuple[Objective, ...]

    def preferences(self, labels: Labels) -> Preferences:
        """The terms of the first objective, then those of the next."""
        parts = [objective.preferences(labels) for objective in self.objectives]
        names = [name for part in parts for name in part.names or ()]
        mix = Mean((1.0,) * sum(part.n_terms for part in parts))
        words = [part.row_terms for part in parts if part.row_terms is not None]
        if len(words) == len(parts):
            return Preferences.of_words(SideWords.joined(words), mix, names)
        return Preferences(
            labels.codes,
            np.hstack([part.above for part in parts]),
            np.hstack([part.below for part in parts]),
            mix,
            names=names,
        )
