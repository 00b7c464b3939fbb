"""What all rankers share."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from isonomy._core import (
    FloatArray,
    Items,
    LabelAggregation,
    Objective,
    Preferences,
    check_same_index,
    nothing_to_learn,
)
from isonomy._metrics import objective_auc
from isonomy._pairsums import PreferenceLoss
from isonomy.surrogates import Surrogate


class Ranker(BaseEstimator):  # type: ignore[misc]
    """Base of the rankers: scores by `predict`, judged by the objective's own AUC.

    A ranker has the parameter `objective` (None: `LabelAggregation()`), `fit(X, y,
    sample_weight=None, groups=None)` and `predict(X)`, which returns one score per row.
    """

    objective: Objective | None

    def predict(self, X: Any) -> FloatArray:
        """Scores of the rows of X; higher ranks first."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> FloatArray:
        """The same as `predict`: what scikit-learn's scorers ask for first."""
        return self.predict(X)

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> float:
        """The objective's AUC of the scores of X."""
        check_same_index(X=X, y=y, sample_weight=sample_weight, groups=groups)
        return objective_auc(
            y,
            self.predict(X),
            self._objective(),
            sample_weight=sample_weight,
            groups=groups,
            group_weight=getattr(self, "group_weight", "pairs"),
        )

    def _objective(self) -> Objective:
        return LabelAggregation() if self.objective is None else self.objective

    def _items(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, groups: ArrayLike | None
    ) -> Items:
        """The checked rows to learn from; `Items` as `y` bring their own weights and groups."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. Pass "
                "the labels to learn from, one column each."
            )
        return Items.checked(
            y,
            name="y",
            X=X,
            sample_weight=sample_weight,
            groups=groups,
            group_weight=getattr(self, "group_weight", "pairs"),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags


def trainable_loss(preferences: Preferences, surrogate: Surrogate) -> PreferenceLoss:
    """The loss of these preferences; an error, with the cure, where there is nothing to learn."""
    loss = PreferenceLoss(preferences, surrogate)
    if not loss.defined:
        raise nothing_to_learn(preferences, loss.ratio_pairs, name="y")
    return loss
