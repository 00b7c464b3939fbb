"""Training objectives: callables that an engine asks for gradients and Hessians."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from isonomy._core import FloatArray, GroupWeight, Objective, check_choice
from isonomy._metrics import check_top
from isonomy._pairsums import find_surrogate
from isonomy.boosting._callback_arguments import (
    CallbackArguments,
    check_nameless,
    read,
    refuse_group_weights,
)
from isonomy.boosting._content_cache import ContentCache
from isonomy.boosting._derivatives import BoostingLoss, TopLoss, prepared_loss
from isonomy.boosting._distributed import WorldLoss
from isonomy.boosting._world import World


@dataclass(frozen=True)
class _EngineObjective:
    """What both engines' objectives share."""

    objective: Objective
    surrogate: str
    group_weight: GroupWeight
    top: int | None = None
    _cache: ContentCache[BoostingLoss | TopLoss] = field(
        default_factory=ContentCache, init=False, repr=False, compare=False
    )

    def _derivatives(self, given: CallbackArguments) -> tuple[FloatArray, FloatArray]:
        loss = self._cache.recall(given.rows, lambda: self._prepare(given))
        found = loss.at(given.scores)
        return found.gradient, found.hessian

    def _prepare(self, given: CallbackArguments) -> BoostingLoss | TopLoss:
        preferences = given.items(self.group_weight).preferences(self.objective)
        return prepared_loss(preferences, self.surrogate, given.weight, self.top)


@dataclass(frozen=True)
class LightGBMObjective(_EngineObjective):
    """Made by `lightgbm_objective`."""

    def __call__(
        self, a: Any, b: Any, weight: Any = None, group: Any = None
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian; LightGBM's wrappers count these four parameters."""
        return self._derivatives(read(a, b, weight, group))


@dataclass(frozen=True)
class XGBoostObjective(_EngineObjective):
    """Made by `xgboost_objective`."""

    _worlds: ContentCache[WorldLoss] = field(
        default_factory=ContentCache, init=False, repr=False, compare=False
    )

    def __call__(self, a: Any, b: Any, sample_weight: Any = None) -> tuple[FloatArray, FloatArray]:
        """Gradient and Hessian; XGBoost's wrappers look for the name `sample_weight`."""
        world = World.found()
        if world is not None:
            return self._with_others(world, a, b, sample_weight)
        return self._derivatives(self._read(a, b, sample_weight))

    @staticmethod
    def _read(a: Any, b: Any, sample_weight: Any) -> CallbackArguments:
        given = read(a, b, sample_weight)
        refuse_group_weights(given)
        return given

    def _with_others(
        self, world: World, a: Any, b: Any, sample_weight: Any
    ) -> tuple[FloatArray, FloatArray]:
        """Over the pairs of all workers' rows."""
        given = world.agreed(lambda: self._read(a, b, sample_weight))
        options = (self.objective, self.surrogate, self.group_weight, self.top)
        # Whoever has to prepare needs the others for it.
        if world.any(not self._worlds.holds(given.rows)):
            self._worlds.keep(given.rows, WorldLoss(world, given, *options))
        loss = self._worlds.recall(given.rows, lambda: WorldLoss(world, given, *options))
        found = loss.at(given.scores)
        return found.gradient, found.hessian


def lightgbm_objective(
    objective: Objective | None = None,
    *,
    surrogate: str = "logistic",
    group_weight: GroupWeight = "pairs",
    top: int | None = None,
) -> LightGBMObjective:
    """An objective for LightGBM, over all pairs of rows that it compares.

    It serves `lightgbm.train` and `lightgbm.cv` as ``params["objective"]``, and `LGBMRegressor`
    and `LGBMRanker` as ``objective``, with labels from `pack_labels`. `LGBMClassifier` renumbers
    labels and is refused. `lightgbm.cv` needs ``stratified=False``, and ``folds=GroupKFold(...)``
    where there are groups.

    Parameters
    ----------
    objective : objective, optional
        `LabelAggregation()` by default. `OneLabel` by number only: packed labels have no names.
    surrogate : {"logistic", "sigmoid", "exponential", "square", "hinge", "squared_hinge"}
        What a pair costs by its margin; see `isonomy.surrogates`.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    top : int, optional
        With groups: train for the first so many ranks of each. Every pair is weighed by the change
        of discounted gain that swapping it would make (LambdaRank), for every label; see
        `BoostedRanker`.

    Returns
    -------
    callable
        Gradient and Hessian diagonal are those of `pair_loss` times the sum of the weights. It
        can be copied, pickled and used for any number of data sets.

    Notes
    -----
    Engines divide by the Hessian. The sigmoid's has both signs and the hinge's is 0, so they get
    the logistic's and the squared hinge's in its place. Rounding below 0 becomes 0.

    `WorstLabel` mixes the labels' gradients by a softmax of their losses at the current scores,
    so that the worst label counts most and the tree does not flicker between two that are close.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy.boosting import lightgbm_objective, pack_labels
    >>> gradient, hessian = lightgbm_objective()(pack_labels([[1, 1], [1, 0]]), np.zeros(2))
    >>> gradient, hessian
    (array([-1.,  1.]), array([0.5, 0.5]))
    """
    return LightGBMObjective(*_checked(objective, surrogate, group_weight, top))


def xgboost_objective(
    objective: Objective | None = None,
    *,
    surrogate: str = "logistic",
    group_weight: GroupWeight = "pairs",
    top: int | None = None,
) -> XGBoostObjective:
    """An objective for XGBoost, over all pairs of rows that it compares.

    It serves `xgboost.train` and `xgboost.cv` as ``obj``, and `XGBRegressor` as ``objective``,
    with labels from `pack_labels`. `XGBRanker` refuses all objectives of one's own: use
    `xgboost.train` with a `DMatrix` that has groups, or `BoostedRanker(engine="xgboost")`.

    Inside a communicator of `xgboost.collective` (`xgboost.dask`, Ray Train, processes of your
    own) the pairs are those of all workers' rows. Groups should lie in one worker each, with `top`
    too: each worker then has whole lists, and together they train as one would. Where they come
    from `pack_groups`, a group that lies in two workers is an error for all of them; of ``qid``
    XGBoost keeps no more than sizes, so that there nobody can notice.

    Parameters
    ----------
    objective, surrogate, group_weight, top
        As in `lightgbm_objective`.

    Returns
    -------
    callable
        As in `lightgbm_objective`.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy.boosting import pack_labels, xgboost_objective
    >>> gradient, hessian = xgboost_objective()(pack_labels([[1, 1], [1, 0]]), np.zeros(2))
    >>> gradient, hessian
    (array([-1.,  1.]), array([0.5, 0.5]))
    """
    return XGBoostObjective(*_checked(objective, surrogate, group_weight, top))


def _checked(
    objective: Objective | None, surrogate: str, group_weight: GroupWeight, top: int | None
) -> tuple[Objective, str, GroupWeight, int | None]:
    find_surrogate(surrogate)
    check_choice("group_weight", group_weight, ("pairs", "equal"))
    check_top("top", top)
    return check_nameless(objective), surrogate, group_weight, top
