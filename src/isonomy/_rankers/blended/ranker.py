"""A ranker that blends the classifiers of the labels."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    Objective,
    OneLabel,
    WorstLabel,
    check_count,
    check_features,
)
from isonomy._infra import one_blas_thread
from isonomy._rankers.base import Ranker
from isonomy._rankers.blended.funnel import funnel_parents
from isonomy._rankers.blended.label_models import LabelModels, OneClassifier, logits
from isonomy._rankers.blended.mixing import mixing_shares
from isonomy._rankers.blended.weights import Floors, blend_weights
from isonomy._rankers.items_to_fit import as_features
from isonomy._rankers.plugin import check_classifier, input_tags_of

# What may be added up; of equals the first.
SCALES = ("logit", "probability")


class BlendRanker(Ranker):
    """One classifier per label; the score is a weighted sum of their logits or probabilities.

    The weights are >= 0 and found on rows that the classifiers have not seen: first those of
    `blend`, then, one after the other, whatever raises the objective's AUC itself; the smallest
    of several AUCs as it is to be expected on new rows. Where there are several kinds of
    classifiers, those of a label are mixed first, by the shares of the least log loss.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, or a list of them
        A copy of each is fitted to each label.
    objective : objective, optional
        What the blend is good for; `WorstLabel()` by default.
    at_least : dict of int to float, optional
        AUCs that labels, by their number, should keep on new rows. The weights then give the
        other labels the largest mean AUC, and the objective is left aside.
    funnel : bool
        Whether a label that implies another (no purchase without a click) is learned from the
        items that have the other one: P(buy | click) in place of P(buy).
    cv : int
        Folds that the classifiers leave out in turn.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    random_state : int, numpy Generator or None
        Shuffles the rows before they are dealt into folds; None: in their order.

    Attributes
    ----------
    estimators_ : list
        The fitted classifiers, one per label; of several kinds first those of the first. None
        for those without weight.
    scale_ : {"logit", "probability"}
        What is added up, whichever served better. Sums of probabilities are the best rankings
        where these are right; sums of logits forgive more.
    coef_ : ndarray of shape (K,) or (kinds x K,)
        The weights, in the order of `estimators_`.
    label_names_ : tuple of str
        Names of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> Y = X[:, :2] + rng.logistic(size=(1000, 2)) > [0.0, 2.0]
    >>> ranker = iso.BlendRanker(LogisticRegression()).fit(X, Y)
    >>> bool(np.ptp(iso.label_aucs(Y, ranker.predict(X))) < 0.05)
    True
    """

    def __init__(
        self,
        estimator: Any,
        objective: Objective | None = None,
        *,
        at_least: dict[int, float] | None = None,
        funnel: bool = False,
        cv: int = 3,
        group_weight: GroupWeight = "pairs",
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.at_least = at_least
        self.funnel = funnel
        self.cv = cv
        self.group_weight = group_weight
        self.random_state = random_state

    @one_blas_thread()
    def fit(
        self,
        X: Any,
        y: ArrayLike | Items,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> BlendRanker:
        """Fit the classifiers, then the weights.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
            Whatever the classifier takes.
        y : array-like or data frame of shape (n, K)
            Labels 0 and 1, NaN for 'not observed'.
        sample_weight : array-like of shape (n,), optional
            Weights >= 0.
        groups : array-like of shape (n,), optional
            Only pairs inside a group count; folds keep groups whole.

        Returns
        -------
        BlendRanker
            Itself.
        """
        kinds = self._kinds()
        if not kinds:
            raise ValueError(
                "Parameter `estimator` should be a classifier such as `LogisticRegression()`, or a "
                "list of them. Found an empty list."
            )
        for each in kinds:
            check_classifier(each)
        check_count("cv", self.cv, least=2)
        check_features(X)
        validate_data(self, X, skip_check_array=True)
        items = self._items(as_features(X, any_shape=True), y, sample_weight, groups)
        items.labels.require_binary()
        rng = None if self.random_state is None else np.random.default_rng(self.random_state)
        models = [
            LabelModels.fit(
                items,
                OneClassifier(each),
                n_folds=int(self.cv),
                # All kinds leave out the same rows.
                rng=rng if number == len(kinds) - 1 else deepcopy(rng),
                parents=funnel_parents(items) if self.funnel else None,
                only=self.only(items),
            )
            for number, each in enumerate(kinds)
        ]
        return self.take(LabelModels.joined(models), items)

    def only(self, items: Items) -> int | None:
        """The only label whose classifier it needs; None: those of all labels."""
        objective = self._objective()
        # Whoever has made promises needs the classifiers of the labels that keep them.
        if self.at_least is not None or not isinstance(objective, OneLabel):
            return None
        return objective.column(items.labels)

    def take(self, models: LabelModels, items: Items) -> BlendRanker:
        """Blend classifiers that are fitted already; `items` are the rows that they were given."""
        if models.rows is not None:
            items = replace(items, X=None).take(models.rows)
        floors = None if self.at_least is None else Floors(self.at_least)
        if floors is not None:
            floors.check(items.labels.n_labels)
        alone, best = self.only(items), np.nan
        for scale in SCALES if alone is None else SCALES[:1]:
            columns = on_scale(models.logits, scale)
            shares = mixing_shares(models, items, columns, scale)
            weights, value = np.eye(shares.shape[1])[alone or 0], 0.0
            if alone is None:
                mixed = (columns.reshape(len(columns), *shares.shape) * shares).sum(axis=1)
                weights, value = blend_weights(mixed, items, self._objective(), floors)
            # No value is defined where a label has one class: then the first scale it is.
            if scale == SCALES[0] or value > best:
                best, self.scale_, self.coef_ = value, scale, (shares * weights).ravel()
        self.estimators_ = [
            fitted if weight > 0 else None
            for fitted, weight in zip(models.classifiers, self.coef_, strict=True)
        ]
        self.label_names_ = items.labels.names
        return self

    @one_blas_thread()
    def predict(self, X: Any) -> FloatArray:
        """Scores of the rows of X; higher ranks first."""
        check_is_fitted(self)
        check_features(X)
        used = [each for each in self.estimators_ if each is not None]
        if not used:
            # No classifier tells anything of rows that it has not seen.
            return np.zeros(_num_samples(X))
        columns = on_scale(logits(used, X), self.scale_)
        return np.asarray(columns @ self.coef_[self.coef_ > 0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = input_tags_of(self._kinds())
        return tags

    def _kinds(self) -> list[Any]:
        return (
            list(self.estimator) if isinstance(self.estimator, list | tuple) else [self.estimator]
        )

    def _objective(self) -> Objective:
        return WorstLabel() if self.objective is None else self.objective


def on_scale(columns: FloatArray, scale: str) -> FloatArray:
    """Logits, or the probabilities that they stand for."""
    return columns if scale == "logit" else np.asarray(expit(columns))
