"""Validation metrics: an objective's AUC or nDCG, to watch and to stop early by."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isonomy._core import (
    AnyArray,
    FloatArray,
    GroupWeight,
    Items,
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    WorstLabel,
    check_choice,
    labels_of_packed,
    why_undefined,
)
from isonomy._counting import Ranking
from isonomy._metrics import check_top
from isonomy._pairsums import TopPairs
from isonomy.boosting._callback_arguments import (
    CallbackArguments,
    check_nameless,
    read,
    refuse_group_weights,
)
from isonomy.boosting._content_cache import ContentCache
from isonomy.boosting._derivatives import require_lists
from isonomy.boosting._world import World

_NAMES = {
    LabelAggregation: "label_aggregation",
    LossAggregation: "loss_aggregation",
    WorstLabel: "min",
}


class WatchedAUC:
    """An objective's AUC on validation rows, round after round.

    Parameters
    ----------
    items : Items
        The rows; an error, with the cure, if they have no AUC.
    objective : Objective

    Examples
    --------
    >>> from isonomy._core import Items, WorstLabel
    >>> watched = WatchedAUC(Items.checked([[1, 1], [0, 1], [0, 0]]), WorstLabel())
    >>> watched.name, watched.at(np.array([2.0, 0.0, 1.0]))
    ('auc_min', 0.5)
    """

    def __init__(self, items: Items, objective: Objective) -> None:
        self.name = metric_name(objective)
        self._preferences = items.preferences(objective)
        ratios = self._ratios(np.zeros(len(items)))
        # Whether there is an AUC does not depend on the scores.
        if math.isnan(self._preferences.mix.value(ratios)):
            reason = why_undefined(self._preferences, ratios)
            raise ValueError(
                f"The validation data have no AUC to watch. {reason}. Bring more rows, or others "
                "(in `BoostedRanker` by `eval_set`), with both classes of every label, or watch "
                "another objective."
            )

    def at(self, scores: FloatArray) -> float:
        """The AUC of these scores of the rows; higher is better."""
        return self._preferences.mix.value(self._ratios(scores))

    def _ratios(self, scores: FloatArray) -> FloatArray:
        return Ranking(self._preferences, scores).pair_sums().ratios()


class WatchedNDCG:
    """An objective's nDCG on validation rows: the mix of its ratios' nDCGs.

    Parameters
    ----------
    items : Items
        The rows, with groups; an error, with the cure, if they have no nDCG.
    objective : Objective
    top : int
        Ranks that count.

    Examples
    --------
    >>> from isonomy._core import Items, WorstLabel
    >>> items = Items.checked([[1, 1], [0, 1], [0, 0]], groups=[1, 1, 1])
    >>> watched = WatchedNDCG(items, WorstLabel(), 1)
    >>> watched.name, watched.at(np.array([1.0, 2.0, 0.0]))
    ('ndcg@1_min', 0.0)
    """

    def __init__(self, items: Items, objective: Objective, top: int) -> None:
        self.name = metric_name(objective, top)
        preferences = items.preferences(objective)
        require_lists(preferences.group is not None)
        self._pairs = TopPairs(preferences, top)
        ideal = self._pairs.ideal.sum(axis=0)
        ratios = np.where(ideal > 0, 0.5, np.nan)
        if math.isnan(preferences.mix.value(ratios)):
            raise ValueError(
                "The validation data have no nDCG to watch: a label has no positive, or nothing to "
                "stand above. Bring more rows, or others (in `BoostedRanker` by `eval_set`), or "
                "watch another objective."
            )

    def at(self, scores: FloatArray) -> float:
        """The nDCG of these scores of the rows; higher is better."""
        return self._pairs.preferences.mix.value(self._pairs.at(scores).ndcgs())


def watched_metric(items: Items, objective: Objective, top: int | None) -> WatchedAUC | WatchedNDCG:
    """The objective's AUC or, with `top`, its nDCG there."""
    return WatchedAUC(items, objective) if top is None else WatchedNDCG(items, objective, int(top))


@dataclass(frozen=True)
class _EngineMetric:
    """What both engines' metrics share."""

    objective: Objective
    group_weight: GroupWeight
    top: int | None = None
    _cache: ContentCache[WatchedAUC | WatchedNDCG] = field(
        default_factory=ContentCache, init=False, repr=False, compare=False
    )

    @property
    def __name__(self) -> str:
        """The metric's name in the engine's log."""
        return metric_name(self.objective, self.top)

    def _value(self, given: CallbackArguments) -> float:
        def make() -> WatchedAUC | WatchedNDCG:
            return watched_metric(given.items(self.group_weight), self.objective, self.top)

        return self._cache.recall(given.rows, make).at(given.scores)


@dataclass(frozen=True)
class LightGBMMetric(_EngineMetric):
    """Made by `lightgbm_metric`."""

    def __call__(
        self, a: Any, b: Any, weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        """Name, value, and that higher is better."""
        return self.__name__, self._value(read(a, b, weight, group)), True


@dataclass(frozen=True)
class XGBoostMetric(_EngineMetric):
    """Made by `xgboost_metric`."""

    @staticmethod
    def _read(a: Any, b: Any, sample_weight: Any) -> CallbackArguments:
        given = read(a, b, sample_weight)
        refuse_group_weights(given)
        return given

    def __call__(self, a: Any, b: Any, sample_weight: Any = None) -> tuple[str, float] | float:
        """Name and value for `train` and `cv`; the value alone for XGBoost's wrappers."""
        world = World.found()
        if world is None:
            value = self._value(self._read(a, b, sample_weight))
        else:
            given = world.agreed(lambda: self._read(a, b, sample_weight))
            value = self._value_of_all(world, given)
        return (self.__name__, value) if hasattr(b, "get_label") else value

    def _value_of_all(self, world: World, given: CallbackArguments) -> float:
        """The value of the rows of all workers: exact, and the same number for each."""
        n = given.scores.size
        weighted, grouped = world.any(given.weight is not None), world.any(given.grouped)
        scores, label = world.gathered(given.scores), world.gathered(given.label.astype(np.float64))
        weight = groups = None
        if weighted:
            own = np.ones(n) if given.weight is None else given.weight.astype(np.float64)
            weight = world.gathered(own)
        if grouped:
            groups = _everybodys_groups(world, given, n)
        items = Items.checked(
            labels_of_packed(label),
            sample_weight=weight,
            groups=groups,
            group_weight=self.group_weight,
        )
        return watched_metric(items, self.objective, self.top).at(scores)


def _everybodys_groups(world: World, given: CallbackArguments, n: int) -> AnyArray:
    """The group of each worker's rows; packed ones may lie in several workers."""
    if world.any(given.group_id is not None):
        own = np.zeros(n, np.uint64) if given.group_id is None else given.group_id
        return world.gathered_groups(own)
    numbers = given.group(n).astype(np.float64)
    whose = np.full(n, world.collective.get_rank(), np.float64)
    return np.asarray(world.gathered(whose) * 2.0**32 + world.gathered(numbers))


def lightgbm_metric(
    objective: Objective | None = None,
    *,
    group_weight: GroupWeight = "pairs",
    top: int | None = None,
) -> LightGBMMetric:
    """An objective's AUC as a metric for LightGBM, exact, higher is better.

    It serves `lightgbm.train` and `lightgbm.cv` as ``feval``, and the wrappers' `fit` as
    ``eval_metric``, with labels from `pack_labels`.

    Parameters
    ----------
    objective : objective, optional
        `LabelAggregation()` by default. `WorstLabel()` gives the smallest of the labels' AUCs,
        under the name "auc_min"; `OneLabel(0)` that of one label, "auc_label_0".
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    top : int, optional
        With groups: in place of the AUC the nDCG of the first so many ranks, under a name such as
        "ndcg@10_min". Of an aggregate, the gain of an item is its level; each group with a gain
        counts the same.

    Returns
    -------
    callable
        It raises where the data have no pair to compare, because an engine takes a NaN in the
        first round for the best value of all.

    Examples
    --------
    >>> from isonomy import WorstLabel
    >>> from isonomy.boosting import lightgbm_metric, pack_labels
    >>> packed = pack_labels([[1, 1], [0, 1], [0, 0]])
    >>> lightgbm_metric(WorstLabel())(packed, [2.0, 0.0, 1.0])
    ('auc_min', 0.5, True)
    """
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    check_top("top", top)
    return LightGBMMetric(check_nameless(objective), group_weight, top)


def xgboost_metric(
    objective: Objective | None = None,
    *,
    group_weight: GroupWeight = "pairs",
    top: int | None = None,
) -> XGBoostMetric:
    """An objective's AUC as a metric for XGBoost, exact, higher is better.

    It serves `xgboost.train` and `xgboost.cv` as ``custom_metric``, and `XGBRegressor` as
    ``eval_metric``, with labels from `pack_labels`. Its name begins with "auc", by which XGBoost
    knows that early stopping should maximise it. Inside a communicator of `xgboost.collective` it
    is the AUC (with `top`, the nDCG) of all workers' rows, which XGBoost's own distributed AUC is
    not. Groups of a DMatrix should lie in one worker each; those of `pack_groups` may lie anywhere.

    Parameters
    ----------
    objective, group_weight, top
        As in `lightgbm_metric`.

    Returns
    -------
    callable
        As in `lightgbm_metric`.

    Examples
    --------
    >>> from isonomy import OneLabel
    >>> from isonomy.boosting import pack_labels, xgboost_metric
    >>> metric = xgboost_metric(OneLabel(1))
    >>> metric.__name__, metric(pack_labels([[1, 1], [0, 1], [0, 0]]), [2.0, 0.0, 1.0])
    ('auc_label_1', 0.5)
    """
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    check_top("top", top)
    return XGBoostMetric(check_nameless(objective), group_weight, top)


def metric_name(objective: Objective, top: int | None = None) -> str:
    """What is measured; it begins with 'auc' or 'ndcg', so that XGBoost maximises it."""
    measure = "auc" if top is None else f"ndcg@{top}"
    if isinstance(objective, OneLabel):
        return f"{measure}_label_{objective.label}"
    own = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(objective).__name__).lower()
    return f"{measure}_{_NAMES.get(type(objective), own)}"
