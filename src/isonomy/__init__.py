"""Isonomy: one ranking from several binary labels, and a check that no label dictates it.

An objective says what a good ranking is, a metric how good one is:

>>> import isonomy as iso
>>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
>>> score = [3, 5, 4, 1, 3, 2, 6, 3]
>>> iso.label_aucs(Y, score)
array([0.75  , 0.9375])
>>> iso.objective_auc(Y, score, iso.LossAggregation())
0.84375
>>> round(iso.objective_auc(Y, score, iso.LabelAggregation()), 4)
0.9583

Where the two labels disagree, who wins?

>>> iso.conflict_aucs(Y, score)
array([[ nan, 0.25],
       [0.75,  nan]])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isonomy import boosting as boosting
    from isonomy import datasets as datasets
    from isonomy import pareto as pareto
    from isonomy import surrogates as surrogates
    from isonomy import theory as theory
    from isonomy import torch as torch
    from isonomy._audit import Audit as Audit
    from isonomy._audit import audit as audit
    from isonomy._compare._compare import compare as compare
    from isonomy._compare._comparison import Comparison as Comparison
    from isonomy._intervals import AUCIntervals as AUCIntervals
    from isonomy._intervals import ScoreComparison as ScoreComparison
    from isonomy._intervals import auc_intervals as auc_intervals
    from isonomy._intervals import compare_scores as compare_scores
    from isonomy._intervals import conflict_intervals as conflict_intervals
    from isonomy._labels import Labels as Labels
    from isonomy._losses import PairLossResult as PairLossResult
    from isonomy._losses import pair_loss as pair_loss
    from isonomy._metrics import auc as auc
    from isonomy._metrics import conflict_aucs as conflict_aucs
    from isonomy._metrics import label_aucs as label_aucs
    from isonomy._metrics import multipartite_auc as multipartite_auc
    from isonomy._metrics import objective_auc as objective_auc
    from isonomy._metrics import scorer as scorer
    from isonomy._objectives import LabelAggregation as LabelAggregation
    from isonomy._objectives import LossAggregation as LossAggregation
    from isonomy._objectives import Objective as Objective
    from isonomy._objectives import OneLabel as OneLabel
    from isonomy._objectives import WorstLabel as WorstLabel
    from isonomy._preferences import Mean as Mean
    from isonomy._preferences import Pooled as Pooled
    from isonomy._preferences import Preferences as Preferences
    from isonomy._preferences import Worst as Worst
    from isonomy._rankers._blend import blend as blend
    from isonomy._rankers._boosted import BoostedRanker as BoostedRanker
    from isonomy._rankers._calibration import Calibration as Calibration
    from isonomy._rankers._linear import LinearRanker as LinearRanker
    from isonomy._rankers._neural import NeuralRanker as NeuralRanker
    from isonomy._rankers._plugin import PlugInRanker as PlugInRanker
    from isonomy._saving._files import load as load
    from isonomy._saving._files import save as save

__version__ = "0.1.0"

# Where each public name lives. Names resolve at first use (PEP 562), so that
# `import isonomy` and `isonomy --help` load neither numpy nor numba.
_HOMES = {
    "AUCIntervals": "_intervals",
    "Audit": "_audit",
    "BoostedRanker": "_rankers._boosted",
    "Calibration": "_rankers._calibration",
    "Comparison": "_compare._comparison",
    "LabelAggregation": "_objectives",
    "Labels": "_labels",
    "LinearRanker": "_rankers._linear",
    "LossAggregation": "_objectives",
    "Mean": "_preferences",
    "NeuralRanker": "_rankers._neural",
    "Objective": "_objectives",
    "OneLabel": "_objectives",
    "PairLossResult": "_losses",
    "PlugInRanker": "_rankers._plugin",
    "Pooled": "_preferences",
    "Preferences": "_preferences",
    "ScoreComparison": "_intervals",
    "Worst": "_preferences",
    "WorstLabel": "_objectives",
    "auc": "_metrics",
    "auc_intervals": "_intervals",
    "audit": "_audit",
    "blend": "_rankers._blend",
    "compare": "_compare._compare",
    "compare_scores": "_intervals",
    "conflict_aucs": "_metrics",
    "conflict_intervals": "_intervals",
    "label_aucs": "_metrics",
    "load": "_saving._files",
    "multipartite_auc": "_metrics",
    "objective_auc": "_metrics",
    "pair_loss": "_losses",
    "save": "_saving._files",
    "scorer": "_metrics",
}
_NAMESPACES = ("boosting", "datasets", "pareto", "surrogates", "theory", "torch")

__all__ = [*_HOMES, *_NAMESPACES]


def __getattr__(name: str) -> object:
    if name in _NAMESPACES:
        return import_module(f"isonomy.{name}")
    if name in _HOMES:
        value = getattr(import_module(f"isonomy.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'isonomy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
