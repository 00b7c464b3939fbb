"""From any classifier's probabilities to the best ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    Objective,
    check_features,
    nothing_to_learn,
)
from isonomy._counting import Ranking
from isonomy._infra import one_blas_thread, warn_user
from isonomy._rankers.base import Ranker
from isonomy._rankers.plugin.calibration import (
    CHANCE,
    Calibration,
    Calibrator,
    Method,
    cross_calibrated,
    fit_calibrator,
    judge_calibration,
)
from isonomy._rankers.plugin.classifiers import check_classifier, input_tags_of, reached_by
from isonomy._rankers.plugin.cross_fitting import (
    LabelUnit,
    fit_labels,
    folds_of,
    label_means,
    out_of_fold,
    sliceable,
    splits_of,
    take_fitted,
)
from isonomy._rankers.plugin.effective_weights import counting, label_shares
from isonomy._rankers.splitting import Index
from isonomy.theory import Space, formula_scores, why_no_formula

# Logarithms and ratios are taken of probabilities no closer to 0 and 1 than this.
EDGE = 1e-15
# Folds are judged until this many rows have been, which is enough to see what matters.
ENOUGH = 10_000
# Scores are computed for so many rows at a time that rows times label patterns is at most this.
CHUNK = 2**20


class PlugInRanker(Ranker):
    """Any classifier's probabilities, put into the objective's Bayes-optimal score.

    With p_k(x) the classifier's P(Y_k = 1 | x) and pi_k the training priors:

    =======================================  ================================================
    objective                                score
    =======================================  ================================================
    loss aggregation, weights a              sum_k alpha_k p_k, alpha_k = a_k / (pi_k (1 - pi_k))
    label aggregation, linear costs          sum_k w_k p_k
    label aggregation, product               sum_k log p_k
    label aggregation, any                   - sum_k log(1 - p_k)
    one label                                p_k
    label aggregation, two labels, or costs  see `isonomy.theory.bayes_scores`
    that meet the scale condition
    =======================================  ================================================

    Weights alpha and w are scaled to sum to 1. A row's score does not depend on the rows
    that are scored with it. `WorstLabel` and uniform costs with three or more labels have
    no such formula and are refused.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, or list of K fitted ones
        One clone is fitted per label that counts, on the rows where the label is observed;
        or one for all labels at once (see `joint`).
    objective : objective, optional
        What a good ranking is; `LabelAggregation()` by default.
    calibrate : bool, "sigmoid" or "isotonic"
        Whether to calibrate each label's probabilities, out of fold. True: "sigmoid",
        which keeps the order within a label. "isotonic" takes any shape, makes ties, and
        needs some thousand rows.
    cv : int, splitter, list of (train, test) row numbers, or None
        Folds that calibrate and judge the probabilities; by group where `fit` is given
        groups. Without `calibrate`, folds are fitted only until 10,000 rows are judged.
        None: do not judge, which saves time inside a `GridSearchCV`.
    prefit : bool
        Whether `estimator` is fitted already. Then `fit` learns only priors and, if asked,
        the calibration: give it rows that the classifier has not seen. `clone`, and thus
        `GridSearchCV`, forgets what an estimator has learned; one that is wrapped in
        scikit-learn's `FrozenEstimator` keeps it, and counts as fitted by itself.
    joint : bool, optional
        Whether to fit one classifier to the table of all labels (forests, neighbours,
        networks). None: only one that takes nothing else (`MultiOutputClassifier`,
        `ClassifierChain`). It needs every label of every row.
    group_weight : {"pairs", "equal"}
        With groups, whether they weigh by their pairs or the same, as in `objective_auc`.
    random_state : int, RandomState or None
        Shuffles the rows before they are dealt into folds; None: in their order.

    Attributes
    ----------
    estimators_ : list
        A fitted classifier per label, None for labels that do not count; or one for all.
    priors_ : ndarray of shape (K,)
        Mean of each label over the rows where it is observed, weighted.
    effective_weights_ : ndarray of shape (K,) or None
        alpha or w, scaled to sum to 1; None where the score is no weighted sum.
    label_weights_ : ndarray of shape (K,) or None
        The weights a of the labels' losses, scaled to sum to 1; of "balanced" the share of each
        label in all pairs. None where the objective is no sum of the labels' losses.
    calibration_ : list of Calibration or None
        How far each label's probabilities (calibrated ones, if asked) are from the label
        on rows that the classifier has not seen: `error`, `slope` and more. None where it
        was not judged.
    label_names_ : tuple of str
        Names of the labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Warns
    -----
    UserWarning
        Where a label's probabilities miss the label by more than chance (p < .001 over all
        labels) and by an expected calibration error of .05, or half the label's variance if
        that is less, beyond chance. One label's own ranking needs no calibration, so that
        it is not judged where a single binary label counts.

    Notes
    -----
    Labels that depend on each other given x do no harm where the score is a weighted sum;
    the other formulas take them as independent. Missing labels: the score is the best one
    for rows whose labels are all observed, if labels go missing at random. Ordinal labels
    serve `LabelAggregation` of the mean or sum with linear costs, where E[Y_k | x] takes
    the place of p_k. Groups: alpha_k counts the pairs inside groups.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> import isonomy as iso
    >>> from isonomy import PlugInRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> Y = X[:, :2] + rng.normal(size=(1000, 2)) > [0.0, 2.0]
    >>> ranker = PlugInRanker(LogisticRegression(), iso.LossAggregation()).fit(X, Y)
    >>> ranker.priors_, ranker.label_weights_, ranker.effective_weights_.round(2)
    (array([0.476, 0.094]), array([0.5, 0.5]), array([0.25, 0.75]))
    >>> bool(ranker.score(X, Y) > 0.7)
    True
    """

    def __init__(
        self,
        estimator: Any,
        objective: Objective | None = None,
        *,
        calibrate: bool | Method = False,
        cv: Any = 5,
        prefit: bool = False,
        joint: bool | None = None,
        group_weight: GroupWeight = "pairs",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.calibrate = calibrate
        self.cv = cv
        self.prefit = prefit
        self.joint = joint
        self.group_weight = group_weight
        self.random_state = random_state

    @one_blas_thread()
    def fit(
        self,
        X: Any,
        y: ArrayLike | Items,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> PlugInRanker:
        """Fit a classifier per label and learn the priors.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
            Whatever the classifier takes.
        y : array-like or data frame of shape (n, K)
            Labels 0 and 1, NaN for 'not observed'; ordinal ones as in the Notes.
        sample_weight : array-like of shape (n,), optional
            Weights >= 0, handed to the classifier if it takes them. Rows of weight 0 are
            left out.
        groups : array-like of shape (n,), optional
            Group (query) of each item; folds keep groups whole.

        Returns
        -------
        PlugInRanker
            Itself.
        """
        self._check_parameters()
        self._check_features(X, reset=True)
        items = self._items(sliceable(X), y, sample_weight, groups)
        self._learn_objective(items)
        self.priors_ = label_means(items)
        if self._is_fitted():
            found = take_fitted(items, self.estimator)
        else:
            found = fit_labels(items, self.estimator, self._counts, self.joint)
        self._steps, self._units = found.steps, [unit.labels for unit in found.units]
        self._fitted = found.classifiers
        self.estimators_ = found.by_label()
        self._calibrate(items, found.units)
        return self

    @one_blas_thread()
    def predict(self, X: Any) -> FloatArray:
        """Scores of the rows of X; higher ranks first."""
        eta = self.expected_labels(X)
        if self.effective_weights_ is None:
            eta = np.clip(eta, EDGE, 1.0 - EDGE)
        scores = np.empty(len(eta))
        chunk = max(CHUNK >> eta.shape[1], 1)
        for start in range(0, len(eta), chunk):
            part = self._space(eta[start : start + chunk])
            found = formula_scores(part, self.objective_, self.effective_weights_)
            scores[start : start + chunk] = found
        return scores

    def expected_labels(self, X: Any) -> FloatArray:
        """E[Y_k | x] of each label, (n, K): the probability of a binary one.

        NaN for labels that do not count.
        """
        check_is_fitted(self)
        self._check_features(X, reset=False)
        n = _num_samples(X)
        reached = np.full((n, self._steps.label.size), np.nan)
        for labels, fitted in zip(self._units, self._fitted, strict=True):
            reached[:, self._steps.of_labels(labels)] = reached_by(fitted, X, labels, self._steps)
        for t, calibrator in enumerate(self._calibrators):
            if calibrator is not None:
                reached[:, t] = calibrator(reached[:, t])
        return self._steps.expected(reached)

    def _check_features(self, X: Any, *, reset: bool) -> None:
        """Note or compare number and names of the columns; the classifier checks the rest."""
        check_features(X)
        if not (isinstance(X, np.ndarray) or sparse.issparse(X)):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=True,
            accept_large_sparse=True,
            allow_nd=True,
            dtype=None,
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        several = isinstance(self.estimator, list | tuple)
        tags.input_tags = input_tags_of(self.estimator if several else [self.estimator])
        return tags

    def _space(self, eta: FloatArray) -> Space:
        # Masses of 1: they cancel, and a row's score has the same rounding in any company.
        return Space(eta, np.ones(len(eta)), None, self.label_names_, self._named)

    def _is_fitted(self) -> bool:
        several = self.estimator if isinstance(self.estimator, list | tuple) else [self.estimator]
        return self.prefit or all(isinstance(one, FrozenEstimator) for one in several)

    def _check_parameters(self) -> None:
        several = isinstance(self.estimator, list | tuple)
        for one in self.estimator if several else [self.estimator]:
            check_classifier(one)
        if several and not (len(self.estimator) and self._is_fitted()):
            raise TypeError(
                "Parameter `estimator` may be a list of fitted classifiers, one per label, with "
                f"`prefit=True`. Found {len(self.estimator)} with prefit={self.prefit!r}. Pass one "
                "classifier to have it fitted to every label."
            )
        if self.calibrate not in (False, True, "sigmoid", "isotonic"):
            raise ValueError(
                "Parameter `calibrate` should be False, True, 'sigmoid' or 'isotonic'. "
                f"Found {self.calibrate!r}."
            )
        number = isinstance(self.cv, int | np.integer) and not isinstance(self.cv, bool)
        splits = hasattr(self.cv, "split") or isinstance(self.cv, list)
        if isinstance(self.cv, str) or not (self.cv is None or splits or (number and self.cv > 1)):
            raise ValueError(
                "Parameter `cv` should be a number of folds >= 2, a splitter with `split`, a list "
                f"of (train, test) row numbers, or None. Found {self.cv!r}."
            )
        if self.calibrate and self.cv is None:
            raise ValueError("Parameter `calibrate` needs folds. Found cv=None; pass cv=5.")

    def _learn_objective(self, items: Items) -> None:
        """Refuse what has no formula or no pairs; find the labels' weights."""
        objective, labels = self._objective(), items.labels
        preferences = items.preferences(objective)
        ratios = Ranking(preferences, np.zeros(len(items))).pair_sums().ratios()
        if math.isnan(preferences.mix.value(ratios)):
            raise nothing_to_learn(preferences, ratios, name="y")
        self.objective_, self.label_names_, self._named = objective, labels.names, labels.named
        self.label_weights_, self.effective_weights_ = label_shares(items, objective)
        self._counts = counting(items, objective, self.effective_weights_)
        if self.effective_weights_ is None:
            labels.require_binary()
            self._check_formula(labels.n_labels)

    def _check_formula(self, n_labels: int) -> None:
        probe = self._space(np.full((1, n_labels), 0.5))
        if formula_scores(probe, self.objective_, None) is None:
            raise ValueError(
                "Parameter `objective` has no optimal score of one row's probabilities: "
                f"{why_no_formula(self.objective_)}. Found {self.objective_!r}. Train it directly, "
                f"such as `LinearRanker({self.objective_!r})`, or use `LabelAggregation()` with "
                "linear costs."
            )

    def _calibrate(self, items: Items, units: Sequence[LabelUnit]) -> None:
        """Judge the probabilities, calibrated first if asked; warn where they are bad."""
        self._calibrators: list[Calibrator | None] = [None] * self._steps.label.size
        self.calibration_: list[Calibration | None] = [None] * items.labels.n_labels
        one = (
            self.effective_weights_ is not None
            and self._steps.of_labels(np.flatnonzero(self._counts).tolist()).size == 1
        )
        if self.cv is None or (one and not self.calibrate):
            return
        truth = self._steps.reached(items.labels.table)
        if items.sample_weight is not None:
            truth[items.sample_weight == 0.0] = np.nan
        for unit, fitted in zip(units, self._fitted, strict=True):
            reached, fold = self._unseen(items, unit, fitted)
            for column, t in enumerate(self._steps.of_labels(unit.labels)):
                k = int(self._steps.label[t])
                if not self._counts[k]:
                    continue
                rows = np.flatnonzero(~np.isnan(reached[:, column]) & ~np.isnan(truth[:, t]))
                p, y = reached[rows, column], truth[rows, t] > 0.5
                found = self._judge(items, t, rows, p, y, fold[rows])
                worst = self.calibration_[k]
                if found is not None and (worst is None or found.excess > worst.excess):
                    self.calibration_[k] = found
        self._warn_miscalibrated()

    def _unseen(self, items: Items, unit: LabelUnit, fitted: Any) -> tuple[FloatArray, Index]:
        """Probabilities of rows that the classifier has not seen, if possible, and their folds."""
        if self._is_fitted():
            n_folds = int(self.cv) if isinstance(self.cv, int | np.integer) else 5
            reached = reached_by(fitted, items.X, unit.labels, self._steps)
            return reached, folds_of(items, n_folds, self.random_state)
        splits = splits_of(items, unit, self.cv, self.random_state)
        enough = None if self.calibrate else ENOUGH
        return out_of_fold(items, self.estimator, unit, self._steps, splits, enough=enough)

    def _judge(
        self, items: Items, t: int, rows: Index, p: FloatArray, y: NDArray[np.bool_], fold: Index
    ) -> Calibration | None:
        """One step's calibration; with `calibrate`, that of calibrators fitted to other folds."""
        weight = None if items.sample_weight is None else items.sample_weight[rows]
        if self.calibrate:
            method: Method = "isotonic" if self.calibrate == "isotonic" else "sigmoid"
            if y.size == 0 or y.all() or not y.any():
                raise ValueError(
                    "Parameter `calibrate` needs two rows of each class, in different folds and "
                    f"groups. Found fewer for label {self.label_names_[self._steps.label[t]]!r}. "
                    "Use calibrate=False, or drop the label."
                )
            self._calibrators[t] = fit_calibrator(method, p, y, weight)
            p = cross_calibrated(method, p, y, weight, fold)
        if y.size == 0:
            return None
        return judge_calibration(p, y, weight, None if items.group is None else items.group[rows])

    def _warn_miscalibrated(self) -> None:
        judged = sum(found is not None for found in self.calibration_)
        for name, found in zip(self.label_names_, self.calibration_, strict=True):
            if found is None or not found.is_bad(CHANCE / judged):
                continue
            cures = {False: "Pass calibrate=True.", "isotonic": "Use another classifier."}
            cure = cures.get(self.calibrate, "Pass calibrate='isotonic'.")
            where = "on the rows given" if self._is_fitted() else "out of fold"
            warn_user(
                f"The probabilities of label {name!r} are miscalibrated {where}: "
                f"{found.describe()}. Labels are weighed against each other by their "
                f"probabilities, so that this changes the ranking. {cure}"
            )
