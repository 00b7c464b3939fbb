"""Boosted trees on a Dask cluster: XGBoost's own training, with the pairs of all workers' rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, Protocol

import numpy as np

from isonomy._core import AnyArray, Objective, OneLabel
from isonomy._frames.engine_frame import Question, ReadRows, check_columns, numbers
from isonomy._infra import require
from isonomy._rankers.boosted import BoostedRanker, xgboost_grown
from isonomy.boosting import (
    group_numbers,
    pack_groups,
    pack_labels,
    require_lists,
    xgboost_metric,
    xgboost_objective,
)

# Seconds after which a worker that does not answer is given up, where Dask's configuration has no
# `isonomy.worker-timeout`.
_TIMEOUT = 120
_LABEL, _WEIGHT = "isonomy label", "isonomy weight"
_BOUNDS = ("label_lower_bound", "label_upper_bound")


class DaskFrame(Protocol):
    """An `EngineFrame` of Dask's."""

    frame: Any

    def ask(self, names: list[str], question: Question[Any]) -> Any:
        """As in `EngineFrame`."""


def fit_boosted(ranker: Any, opened: DaskFrame, read: ReadRows, eval_frame: Any) -> BoostedRanker:
    """Fit on the cluster of the current client."""
    if not isinstance(ranker, BoostedRanker) or ranker.engine != "xgboost":
        found = type(ranker).__name__
        found += f"(engine={ranker.engine!r})" if isinstance(ranker, BoostedRanker) else ""
        raise TypeError(
            "Parameter `ranker` should be a LinearRanker or BoostedRanker(engine='xgboost'). Found "
            f"{found}, which sees the rows of one machine only."
        )
    ranker._check_parameters()
    _check(ranker, read, eval_frame)
    xgboost_dask = require("xgboost.dask", "boost", "isonomy.dask.fit(BoostedRanker())")
    client, wishes = _client(), _numbered(ranker._objective(), read)
    shared: dict[str, Any] = {"group_weight": ranker.group_weight, "top": ranker.top}
    options: dict[str, Any] = {}
    if eval_frame is not None:
        watched = _numbered(ranker._watched_objective(), read)
        options["custom_metric"] = xgboost_metric(watched, **shared)
        options["evals"] = [(_matrix(xgboost_dask, client, eval_frame, read), "valid_0")]
        if ranker.patience is not None:
            options["early_stopping_rounds"] = int(ranker.patience)
    train = _matrix(xgboost_dask, client, _with_whole_groups(opened, read), read)
    timeout = _timeout()
    with _lost_workers_explained(timeout):
        found = xgboost_dask.train(
            client,
            {**ranker._engine_params(), "disable_default_eval_metric": True, "verbosity": 1},
            train,
            int(ranker.n_rounds),
            obj=xgboost_objective(wishes, surrogate=ranker.surrogate, **shared),
            verbose_eval=bool(ranker.verbose),
            coll_cfg=_collective().Config(timeout=timeout),
            **options,
        )
    return _fitted(ranker, found, read)


def _collective() -> Any:
    return require("xgboost.collective", "boost", "isonomy.dask.fit(BoostedRanker())")


def _timeout() -> int:
    """Seconds for which workers wait for each other."""
    dask = require("dask", "dask", "isonomy.dask.fit(BoostedRanker())")
    return int(dask.config.get("isonomy.worker-timeout", default=_TIMEOUT))


@contextmanager
def _lost_workers_explained(timeout: int) -> Iterator[None]:
    """XGBoost itself says that some line of its communicator failed."""
    from xgboost.core import XGBoostError

    try:
        yield
    except XGBoostError as error:
        if "coll" not in str(error):
            raise
        raise RuntimeError(
            "Boosting on the cluster ended because a worker was lost, or did not answer for "
            f"{timeout} seconds. XGBoost keeps nothing of the rounds so far: fit again when the "
            "workers are back."
        ) from error


def _check(ranker: BoostedRanker, read: ReadRows, eval_frame: Any) -> None:
    if ranker.top is not None:
        require_lists(read.groups is not None)
    if ranker.patience is not None and eval_frame is None:
        raise ValueError(
            "Parameter `eval_frame` should hold the rows to stop by, because the ranker has "
            "`patience`. Found None; pass a frame, or leave `patience` out."
        )
    if eval_frame is not None:
        if not hasattr(eval_frame, "to_delayed") or not hasattr(eval_frame, "columns"):
            raise TypeError(
                "Parameter `eval_frame` should be a Dask data frame, as `frame` is. Found "
                f"{type(eval_frame).__name__}."
            )
        check_columns(
            list(eval_frame.columns),
            features=read.features,
            labels=read.labels,
            weight=read.weight,
            groups=read.groups,
        )


def _client() -> Any:
    distributed = require("distributed", "dask", "isonomy.dask.fit(BoostedRanker())")
    try:
        return distributed.get_client()
    except ValueError:
        raise ValueError(
            "BoostedRanker needs a cluster. Found no client: `distributed.Client(...)` makes one."
        ) from None


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups that lie in some partitions, and whether one lies in two of them."""

    ids: AnyArray
    torn: bool = False

    @classmethod
    def joined(cls, parts: Sequence[_Groups]) -> _Groups:
        ids = np.concatenate([part.ids for part in parts])
        found = np.unique(ids)
        return cls(found, found.size < ids.size or any(part.torn for part in parts))


@dataclass(frozen=True)
class _FindGroups:
    column: str

    def __call__(self, columns: dict[str, AnyArray]) -> _Groups:
        return _Groups(np.unique(group_numbers(columns[self.column])))


def _with_whole_groups(opened: DaskFrame, read: ReadRows) -> Any:
    """The frame's columns; where a group lies in two partitions, after a shuffle by Dask."""
    frame = opened.frame[read.names]
    if read.groups is None or not opened.ask([read.groups], _FindGroups(read.groups)).torn:
        return frame
    # In an order of their own: a shuffle has none, and some of it may be computed again.
    return frame.shuffle(on=read.groups).map_partitions(_sorted, read.names, meta=frame._meta)


def _sorted(part: Any, names: list[str]) -> Any:
    return part.sort_values(names)


def _matrix(xgboost_dask: Any, client: Any, frame: Any, read: ReadRows) -> Any:
    meta = _packed(frame._meta, read)
    # Kept, so that features and labels come from the same rows in the same order.
    rows = client.persist(frame.map_partitions(_packed, read, meta=meta))
    for part in client.futures_of(rows):
        # XGBoost would say only that there was one.
        if (error := part.exception()) is not None:
            raise error
    beside = {name: rows[name] for name in _BOUNDS if name in meta.columns}
    weight = None if read.weight is None else rows[_WEIGHT]
    names = [_feature(k) for k in range(len(read.features))]
    # Named once more: the empty matrix of a worker without rows has no columns to read them from.
    return xgboost_dask.DaskDMatrix(
        client, rows[names], rows[_LABEL], weight=weight, feature_names=names, **beside
    )


def _packed(part: Any, read: ReadRows) -> Any:
    """What XGBoost gets of a partition."""
    names = {name: _feature(k) for k, name in enumerate(read.features)}
    made = part[list(read.features)].rename(columns=names)
    label = np.empty(0, np.float32)
    if len(part):
        columns = {name: numbers(part[name].to_numpy(dtype=object), name) for name in read.labels}
        label = pack_labels(type(part)(columns))
    made[_LABEL] = label
    if read.weight is not None:
        weight = numbers(part[read.weight].to_numpy(dtype=object), read.weight)
        if not (np.isfinite(weight).all() and (weight >= 0).all()):
            raise ValueError(f"Column {read.weight!r} should hold finite weights >= 0.")
        made[_WEIGHT] = weight.astype(np.float32)
    if read.groups is not None:
        for name, bound in pack_groups(part[read.groups].to_numpy()).items():
            made[name] = bound
    return made


def _feature(k: int) -> str:
    return f"f{k}"


def _numbered(objective: Objective, read: ReadRows) -> Objective:
    """Packed labels have numbers, not names."""
    if isinstance(objective, OneLabel):
        return OneLabel(_column(objective.label, read))
    weights = getattr(objective, "weights", None)
    if isinstance(weights, Mapping) and is_dataclass(objective):
        numbered = {_column(key, read): weight for key, weight in weights.items()}
        changed: Objective = replace(objective, weights=numbered)
        return changed
    return objective


def _column(label: int | str, read: ReadRows) -> int:
    if not isinstance(label, str):
        return label
    if label not in read.labels:
        raise ValueError(
            f"Parameter `objective` names no label: found {label!r}. The labels are "
            f"{', '.join(read.labels)}."
        )
    return read.labels.index(label)


def _fitted(ranker: BoostedRanker, found: dict[str, Any], read: ReadRows) -> BoostedRanker:
    """The ranker as if it had been fitted here."""
    booster, history = found["booster"], found["history"]
    n_rounds = booster.num_boosted_rounds()
    if ranker.patience is not None:
        n_rounds = booster.best_iteration + 1
        booster = booster[:n_rounds]
    booster.feature_names = None
    ranker._take(xgboost_grown(booster, n_rounds))
    ranker.engine_, ranker.categories_ = "xgboost", {}
    watched = history.get("valid_0", {})
    ranker.history_ = {f"validation_{name}": list(values) for name, values in watched.items()}
    ranker.n_features_in_ = len(read.features)
    ranker.feature_names_in_ = np.array(read.features, dtype=object)
    return ranker
