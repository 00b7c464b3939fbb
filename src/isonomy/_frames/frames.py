"""What is asked of data frames in partitions: the same functions for every engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from isonomy._audit import Audit
from isonomy._audit import audit as audit_items
from isonomy._core import FloatArray, GroupWeight, Items, Objective, check_choice
from isonomy._frames.engine_frame import (
    EngineFrame,
    MakeSketch,
    ReadRows,
    as_names,
    check_columns,
    labels_of,
    numbers,
    scores_in,
)
from isonomy._frames.scoring import check_model
from isonomy._infra import memory_limit
from isonomy._metrics import (
    DEFAULT_LEVEL,
    AUCIntervals,
    auc_intervals,
    conflict_aucs,
    label_aucs,
    objective_auc,
)
from isonomy._models import load
from isonomy._partial import AUCSketch, Bounded
from isonomy._rankers.linear import LinearRanker, check_adds_up, first_look, fit_partitions

Method: TypeAlias = Literal["exact", "sketch"]
METHODS: tuple[Method, ...] = ("exact", "sketch")
Names: TypeAlias = "str | Sequence[str]"
# What a column of distinct rows takes here: as it comes, as numbers, and in order.
_BYTES_OF_VALUE = 24


class Frames:
    """The functions of `isonomy.dask` and `isonomy.spark`, over one engine's frames.

    Exact answers come from the engine's own group-by: a table of distinct scores and labels with
    their counts, which is brought to where the function was called. With `method="sketch"` every
    partition sends a sketch of at most `max_bytes`, and answers are bounds that are certain.

    Parameters
    ----------
    opened : callable
        From the engine's own frame to an `EngineFrame`.
    fit_others : callable, optional
        Fits rankers that are not linear.
    """

    def __init__(
        self,
        opened: Callable[[Any], EngineFrame],
        fit_others: Callable[..., Any] | None = None,
    ) -> None:
        self._opened, self._fit_others = opened, fit_others

    def sketch(
        self,
        frame: Any,
        *,
        score: str,
        labels: Names,
        count: str | None = None,
        max_bytes: int = 1_000_000,
    ) -> AUCSketch:
        """A sketch of all rows in one pass: exact while it fits, else with certain bounds.

        Parameters
        ----------
        frame : data frame of the engine
        score : str
            Column to rank by.
        labels : str or sequence of str
            Columns of 0 and 1 (or booleans); missing values are 'not observed'.
        count : str, optional
            Column with the number of items that a row stands for.
        max_bytes : int
            What the sketch, and what each partition sends, takes at most.
        """
        opened = self._opened(frame)
        named = as_names("labels", labels)
        check_columns(opened.columns, score=score, labels=named, count=count)
        # Here already, so that a mistake is told before the engine starts.
        AUCSketch(named, max_bytes=max_bytes)
        question = MakeSketch(score, named, count, int(max_bytes))
        return opened.ask(question.names, question).sketch

    def label_aucs(
        self,
        frame: Any,
        *,
        score: str,
        labels: Names,
        weight: str | None = None,
        groups: str | None = None,
        group_weight: GroupWeight = "pairs",
        method: Method = "exact",
        max_bytes: int = 1_000_000,
    ) -> FloatArray | Bounded:
        """AUC of one score against each label, as `isonomy.label_aucs` of all rows.

        Parameters
        ----------
        frame : data frame of the engine
        score : str
            Column to rank by.
        labels : str or sequence of str
            Columns of 0 and 1 (or booleans); missing values are 'not observed'.
        weight, groups : str, optional
            Columns with each row's weight and group.
        group_weight : {"pairs", "equal"}
            With groups: whether they weigh by their pairs, or each the same.
        method : {"exact", "sketch"}
            "sketch": in one pass, without weights and groups; gives a `Bounded`.
        max_bytes : int
            Of the sketch.
        """
        if self._by_sketch(method, weight, groups):
            return self.sketch(frame, score=score, labels=labels, max_bytes=max_bytes).label_aucs()
        items = self._items(frame, score, labels, weight, groups, group_weight)
        return label_aucs(items, items.scores)

    def objective_auc(
        self,
        frame: Any,
        objective: Objective,
        *,
        score: str,
        labels: Names,
        weight: str | None = None,
        groups: str | None = None,
        group_weight: GroupWeight = "pairs",
        method: Method = "exact",
        max_bytes: int = 1_000_000,
    ) -> float | Bounded:
        """How well a score serves an objective, as `isonomy.objective_auc` of all rows.

        Parameters
        ----------
        objective : objective
        frame, score, labels, weight, groups, group_weight, method, max_bytes
            As in `label_aucs`.
        """
        if self._by_sketch(method, weight, groups):
            found = self.sketch(frame, score=score, labels=labels, max_bytes=max_bytes)
            return found.objective_auc(objective)
        items = self._items(frame, score, labels, weight, groups, group_weight)
        return objective_auc(items, items.scores, objective)

    def conflict_aucs(
        self,
        frame: Any,
        *,
        score: str,
        labels: Names,
        weight: str | None = None,
        groups: str | None = None,
        group_weight: GroupWeight = "pairs",
        method: Method = "exact",
        max_bytes: int = 1_000_000,
    ) -> FloatArray | Bounded:
        """Who wins where two labels disagree, as `isonomy.conflict_aucs` of all rows.

        Parameters
        ----------
        frame, score, labels, weight, groups, group_weight, method, max_bytes
            As in `label_aucs`.
        """
        if self._by_sketch(method, weight, groups):
            found = self.sketch(frame, score=score, labels=labels, max_bytes=max_bytes)
            return found.conflict_aucs()
        items = self._items(frame, score, labels, weight, groups, group_weight)
        return conflict_aucs(items, items.scores)

    def auc_intervals(
        self,
        frame: Any,
        *,
        score: str,
        labels: Names,
        objective: Objective | None = None,
        level: float = DEFAULT_LEVEL,
        weight: str | None = None,
        groups: str | None = None,
        group_weight: GroupWeight = "pairs",
        clusters: str | None = None,
        method: Method = "exact",
        max_bytes: int = 1_000_000,
    ) -> AUCIntervals:
        """AUCs with confidence intervals, as `isonomy.auc_intervals` of all rows.

        Parameters
        ----------
        objective : objective, optional
            None: one AUC per label.
        level : float
            Confidence level.
        clusters : str, optional
            Column of users, patients, ...: rows of one vary together.
        frame, score, labels, weight, groups, group_weight, method, max_bytes
            As in `label_aucs`. From a sketch, intervals have what is in doubt added.
        """
        if self._by_sketch(method, weight, groups, clusters):
            found = self.sketch(frame, score=score, labels=labels, max_bytes=max_bytes)
            return found.auc_intervals(objective=objective, level=level)
        items = self._items(frame, score, labels, weight, groups, group_weight, clusters)
        return auc_intervals(items, items.scores, objective=objective, level=level)

    def audit(
        self,
        frame: Any,
        *,
        score: str,
        labels: Names,
        level: float = DEFAULT_LEVEL,
        weight: str | None = None,
        groups: str | None = None,
        group_weight: GroupWeight = "pairs",
        clusters: str | None = None,
        method: Method = "exact",
        max_bytes: int = 1_000_000,
    ) -> Audit:
        """Does one label dictate a ranking? As `isonomy.audit` of all rows.

        Parameters
        ----------
        frame, score, labels, level, weight, groups, group_weight, clusters, method, max_bytes
            As in `auc_intervals`.
        """
        if self._by_sketch(method, weight, groups, clusters):
            found = self.sketch(frame, score=score, labels=labels, max_bytes=max_bytes)
            return audit_items(found, level=level)
        items = self._items(frame, score, labels, weight, groups, group_weight, clusters)
        return audit_items(items, items.scores, level=level)

    def fit(
        self,
        ranker: Any,
        frame: Any,
        *,
        features: Names,
        labels: Names,
        weight: str | None = None,
        groups: str | None = None,
        eval_frame: Any = None,
    ) -> Any:
        """Fit a ranker to all rows, which stay where they are.

        Parameters
        ----------
        ranker : LinearRanker, or with Dask also BoostedRanker(engine="xgboost")
            `LinearRanker` has the coefficients of a fit to all rows in one place: two reductions
            of a few kilobytes a step. Its surrogate should be smooth; with groups it may also be
            "squared_hinge".
        frame : data frame of the engine
        features, labels : sequence of str
            Columns of numbers; missing labels are 'not observed'.
        weight, groups : str, optional
            Columns with each row's weight and group. Groups that are torn between partitions are
            brought together by the engine's shuffle.
        eval_frame : data frame of the engine, optional
            For `BoostedRanker` with `patience`: rows to stop by, with the same columns.

        Returns
        -------
        ranker
            Itself, fitted; it predicts, and can be saved, as if it were fitted here.
        """
        opened = self._opened(frame)
        read = ReadRows(as_names("features", features), as_names("labels", labels), weight, groups)
        check_columns(
            opened.columns, features=read.features, labels=read.labels, weight=weight, groups=groups
        )
        if not isinstance(ranker, LinearRanker):
            if self._fit_others is None:
                raise TypeError(
                    "Parameter `ranker` should be a LinearRanker. Found "
                    f"{type(ranker).__name__}; `isonomy.dask` also fits "
                    "BoostedRanker(engine='xgboost')."
                )
            return self._fit_others(ranker, opened, read, eval_frame)
        if eval_frame is not None:
            raise ValueError("Parameter `eval_frame` serves BoostedRanker only. Leave it out.")
        check_adds_up(ranker, grouped=groups is not None)
        partitions = opened.partitions(read, None)
        facts = first_look(partitions)
        if facts.torn:
            partitions = opened.partitions(read, groups)
            facts = first_look(partitions)
        return fit_partitions(ranker, partitions, facts, read.features, read.labels)

    def rank(
        self,
        frame: Any,
        model: Any,
        *,
        score_name: str = "score",
        trusted: Sequence[str] = (),
    ) -> Any:
        """The frame with a ranker's scores as one more column, computed when it is asked for.

        Parameters
        ----------
        frame : data frame of the engine
        model : path of a model that `isonomy.save` wrote, or a fitted ranker
        score_name : str
            Of the new column.
        trusted : sequence of str
            Types that the model file may hold besides the known ones.
        """
        opened = self._opened(frame)
        if score_name in opened.columns:
            raise ValueError(
                f"Parameter `score_name` should be a new name. Found {score_name!r}, which the "
                "frame has already."
            )
        if isinstance(model, str | os.PathLike):
            model = load(model, trusted=trusted)
        check_model(model, opened.columns)
        return opened.scored(model, score_name)

    @staticmethod
    def _by_sketch(method: Method, *others: str | None) -> bool:
        check_choice("method", method, METHODS)
        if method == "sketch" and any(others):
            raise ValueError(
                "Parameter `method` = 'sketch' knows no weights, groups or clusters. Use 'exact'."
            )
        return method == "sketch"

    def _items(
        self,
        frame: Any,
        score: str,
        labels: Names,
        weight: str | None,
        groups: str | None,
        group_weight: GroupWeight,
        clusters: str | None = None,
    ) -> Items:
        """The distinct rows with their counts, checked."""
        opened, named = self._opened(frame), as_names("labels", labels)
        given = {"score": score, "labels": named, "weight": weight, "groups": groups}
        check_columns(opened.columns, **given, clusters=clusters)
        others = [name for name in (weight, groups, clusters) if name]
        check = partial(_check_room, n_columns=1 + len(named) + len(others), plain=not others)
        *columns, n = opened.counts([score, *named, *others], check).values()
        table = dict(zip([score, *named, *others], columns, strict=True))
        return Items.checked(
            labels_of(table, named),
            name="labels",
            y_score=scores_in(table, score),
            score_name="score",
            sample_weight=None if weight is None else numbers(table[weight], weight),
            counts=n,
            groups=None if groups is None else table[groups],
            group_weight=group_weight,
            clusters=None if clusters is None else table[clusters],
        )


def _check_room(n_rows: int, *, n_columns: int, plain: bool) -> None:
    """So many distinct rows should fit into this machine's memory."""
    needed, limit = n_rows * (n_columns + 1) * _BYTES_OF_VALUE, memory_limit()
    if limit is None or needed <= limit:
        return
    cure = "Use method='sketch', which brings 1 MB with bounds that are certain, or round"
    raise ValueError(
        f"Parameter `method` = 'exact' brings all {n_rows:,} distinct rows of {n_columns} columns "
        f"here, which takes about {needed / 1e9:.1f} GB. Found {limit / 1e9:.1f} GB of memory. "
        f"{cure if plain else 'Round'} the scores, so that fewer of them are distinct."
    )
