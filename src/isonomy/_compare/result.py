"""What a comparison finds: plain arrays, rendered elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from isonomy._audit import Verdict
from isonomy._compare import json_format, view, wording
from isonomy._compare.fitting import FitSettings, fit_method, preparation, without_centring
from isonomy._compare.goals import Goal
from isonomy._compare.methods import CHANCE, Method
from isonomy._compare.recommend import PairedTests, Recommendation
from isonomy._compare.statistics import SplitMean
from isonomy._compare.structure import LabelStructure
from isonomy._compare.suspect_features import SuspectFeature
from isonomy._compare.tradeoffs import TradeOff
from isonomy._core import FloatArray, Items, check_same_index, suggestion

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What one method gave on rows that it had not seen.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        The key of its method, such as "mean" or "blend"; "own" for a ranker of the user's,
        "chance" for a constant score.
    family : str or None
        What it is made of, such as "linear"; None for a ranker of the user's.
    meaning : str
        What this kind of method does, in a few words.
    failed : str or None
        Why it could not be compared; then all numbers are NaN.
    notes : tuple of str
        What it warned of.
    aucs : SplitMean of shape (K,)
        AUC of each label: mean over the splits, with its interval.
    ndcgs : SplitMean of shape (K,)
        With groups: nDCG of each label in the first ten of each group; otherwise NaN.
    diff, min : SplitMean of shape ()
        Largest of these means less the smallest, and the smallest, with their intervals.
    goal : SplitMean of shape ()
        What the recommendation goes by, with its interval.
    conflicts : SplitMean of shape (K, K)
        Conflict AUCs, as in `conflict_aucs`.
    top_conflicts : SplitMean of shape (K, K)
        With groups: the same of the pairs with an item in the first ten of a group; otherwise NaN.
    conflicts_pooled : ndarray of shape (K, K)
        The same over all conflicts of one repeat at once.
    relative : SplitMean of shape (K, K)
        Conflict AUCs less those of label aggregation on the same splits.
    verdicts : tuple of tuples, (K, K)
        "balanced", "leaning", "dictated", "not predicted" or "undecided" for each pair of
        labels, by the interval in `conflicts`; None on the diagonal.
    effective : ndarray of shape (K,)
        The labels' effective weights: each one's share in the pull on the ranking; NaN where
        the objective has none.
    """

    name: str
    kind: str
    family: str | None
    meaning: str
    failed: str | None
    notes: tuple[str, ...]
    aucs: SplitMean
    ndcgs: SplitMean
    diff: SplitMean
    min: SplitMean
    goal: SplitMean
    conflicts: SplitMean
    top_conflicts: SplitMean
    conflicts_pooled: FloatArray
    relative: SplitMean
    verdicts: tuple[tuple[Verdict | None, ...], ...]
    effective: FloatArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods measured on the same splits, and which to take; made by `compare`.

    Attributes
    ----------
    names : tuple of str
        The labels.
    methods : tuple of MethodResult
        In the order of the table: by the goal, those that failed last; a constant score,
        'chance', among them.
    goal : Goal
        What the recommended method is to be best at.
    recommended : str
        The name of the method to take.
    best : ranker or None
        That method, tuned on and fitted to all rows; None for a ranker of the user's that could
        not be fitted to all of them.
    decision : Recommendation
        How the choice came about, and how sure it is.
    structure : LabelStructure
        Which labels imply, exclude or oppose each other, and which one ranking can serve.
    features : tuple of str
        The columns that were learned from; their numbers where they have no names.
    importances : tuple of (str, float)
        How much each of them counts in `best`, largest first; empty where that cannot be told.
    suspects : tuple of SuspectFeature
        Features that alone nearly order a label: perhaps it has leaked into them.
    notes : tuple of str
        What else to know.
    tests : PairedTests
        Paired tests between the methods, in the order of `methods`.
    tradeoffs : tuple of TradeOff
        What moving weight between labels does on the first split; empty where not asked for.
    family : str
        Model families.
    tuned : bool
        Whether the methods found their settings inside the training rows.
    level : float
        Confidence level of the intervals.
    priors, missing : ndarray of shape (K,)
        Share of positives among the observed labels, and of labels not observed.
    n_rows, n_features : int
        Size of the data.
    n_splits, n_repeats : int
        How many splits, and how often each row was tested (0 for splits of one's own).
    grouped, weighted : bool
        Whether there were groups and weights.
    seed : int or None
        `random_state` where it was a number.
    fold : ndarray of int, shape (n,)
        The split that tested each row in the first repeat; -1 for none.
    scores : ndarray of shape (M, n)
        Where each row stands among the test rows of its split, from 0 (last) to 1; NaN where
        it was not tested. The order inside a split is the ranking's own, ties included.
    split_aucs : ndarray of shape (M, S, K)
        AUCs of every split, by method in the order of `methods`.
    split_conflicts : ndarray of shape (M, S, K, K)
        Conflict AUCs of every split.
    split_ndcgs : ndarray of shape (M, S, K)
        nDCG@10 of every split; NaN without groups.
    split_top_conflicts : ndarray of shape (M, S, K, K)
        Conflict AUCs in the first ten of the groups of every split; NaN without groups.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> Y = X + rng.logistic(size=(300, 2)) > [0, 1]
    >>> found = iso.compare(X, Y, family="linear", repeats=1, methods=["mean"], random_state=0)
    >>> isinstance(found.recommended, str), found.to_frame().shape[0]
    (True, 2)
    >>> found.best.predict(X[:3]).shape
    (3,)
    """

    names: tuple[str, ...]
    methods: tuple[MethodResult, ...]
    goal: Goal
    recommended: str
    best: Any = field(repr=False)
    decision: Recommendation
    structure: LabelStructure
    features: tuple[str, ...]
    importances: tuple[tuple[str, float], ...]
    suspects: tuple[SuspectFeature, ...]
    notes: tuple[str, ...]
    tests: PairedTests
    tradeoffs: tuple[TradeOff, ...]
    family: str
    tuned: bool
    level: float
    priors: FloatArray
    missing: FloatArray
    n_rows: int
    n_features: int
    n_splits: int
    n_repeats: int
    grouped: bool
    weighted: bool
    seed: int | None
    fold: NDArray[np.int64]
    scores: FloatArray
    split_aucs: FloatArray
    split_conflicts: FloatArray
    split_ndcgs: FloatArray
    split_top_conflicts: FloatArray
    _methods: tuple[Method, ...] = field(repr=False)
    _settings: FitSettings = field(repr=False)
    _sparse: bool = field(repr=False)

    @property
    def tied_with(self) -> tuple[str, ...]:
        """Methods within the tolerance of the best one, without the recommended."""
        return tuple(self.methods[m].name for m in self.decision.near)

    @property
    def reason(self) -> str:
        """How sure the choice is, in sentences."""
        return wording.reason(self)

    def __getitem__(self, name: str) -> MethodResult:
        """A method's result by its name."""
        return self.methods[self._index(name)]

    def ranker(self, name: str | None = None) -> Any:
        """An unfitted copy of a method: the recommended one by default.

        A pipeline where features are prepared first. It has the settings of the untuned
        method: `fit_best` finds those that suit the rows.
        """
        method = self._method(name)
        steps = preparation(method)
        for step_name, step in steps:
            if step_name == "standardise":
                step.set_params(with_mean=not self._sparse)
        ranker = clone(method.ranker)
        if self._sparse and method.mixed:
            without_centring(ranker)
        return Pipeline([*steps, ("rank", ranker)]) if steps else ranker

    def fit_best(
        self,
        X: Any,
        Y: ArrayLike | Items,
        *,
        name: str | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Any:
        """The recommended method, or another by its name, tuned on and fitted to all rows.

        Parameters
        ----------
        X, Y, sample_weight, groups
            As given to `compare`.
        name : str, optional
            Another method.

        Returns
        -------
        ranker
            Fitted; `predict(X)` gives scores.
        """
        check_same_index(X=X, Y=Y, sample_weight=sample_weight, groups=groups)
        items = Items.checked(Y, sample_weight=sample_weight, groups=groups)
        return fit_method(self._method(name), X, items, self._settings)

    def to_frame(self) -> pl.DataFrame:
        """The table as a polars data frame, one row per method."""
        return view.frame(self)

    def to_dict(self) -> dict[str, Any]:
        """All but scores of single rows, ready for JSON: None for NaN, a schema version."""
        return json_format.to_dict(self)

    def summary(self) -> str:
        """What to take and why, in plain words."""
        return wording.summary(self)

    def __str__(self) -> str:
        return view.text(self)

    def _repr_html_(self) -> str | None:
        return view.html(self)

    def _method(self, name: str | None) -> Method:
        found = self._methods[self._index(self.recommended if name is None else name)]
        if found.kind == CHANCE.key:
            raise ValueError("Parameter `name` should be a method. Found 'chance', a constant.")
        return found

    def _index(self, name: str) -> int:
        names = [method.name for method in self.methods]
        if name not in names:
            raise ValueError(
                f"Parameter `name` should be one of {', '.join(map(repr, names))}. "
                f"Found {name!r}.{suggestion(str(name), names)}"
            )
        return names.index(name)
