"""Rankings for some labels only, made of those for each of them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import logit

from isonomy._compare.splits import blocks_left
from isonomy._compare.statistics import Resampling, SplitMean, jackknifed
from isonomy._compare.trials import Trials
from isonomy._core import FloatArray, Items, LossAggregation, OneLabel
from isonomy._metrics import ratios_of


class SummedRankings:
    """Sums of what rankers of single labels gave on test rows: nothing is chosen there."""

    def __init__(self, items: Items, trials: Trials, resampling: Resampling) -> None:
        self.resampling = resampling
        self.tests = [replace(items, X=None).take(split.test) for split in trials.splits]
        # By family and label, the place of each test row of each split.
        self.places: dict[str, dict[int, list[FloatArray]]] = {}
        for method, attempts in zip(trials.methods, trials.attempts, strict=True):
            objective, worked = method.objective, all(each.failed is None for each in attempts)
            if isinstance(objective, OneLabel) and method.family is not None and worked:
                found = [attempt.value.places for attempt in attempts]
                of_family = self.places.setdefault(method.family.key, {})
                of_family[objective.column(items.labels)] = found

    def __call__(self, labels: Sequence[int]) -> list[tuple[str, SplitMean]]:
        """A ranking for these labels of each family that has one for each of them."""
        found = []
        for key, places in self.places.items():
            if all(k in places for k in labels):
                aucs = self._aucs([places[k] for k in labels])[:, list(labels)]
                name = "each alone, added up" + (f", {key}" if len(self.places) > 1 else "")
                found.append((name, self.resampling.estimate(aucs, (0.0, 1.0))))
        return found

    def _aucs(self, places: list[list[FloatArray]]) -> FloatArray:
        """AUCs of all labels on every split, (S, K), or what tells how sure they are on one."""
        summed = [np.sum(logit(each), axis=0) for each in zip(*places, strict=True)]
        scored = [test.scored(each) for test, each in zip(self.tests, summed, strict=True)]
        aucs = [_label_aucs(each) for each in scored]
        if len(scored) > 1:
            return np.array(aucs)
        left = blocks_left(scored[0])
        return jackknifed(aucs[0], [_label_aucs(scored[0].take(rows)) for rows in left])


def _label_aucs(items: Items) -> FloatArray:
    return ratios_of(items, LossAggregation())[1]
