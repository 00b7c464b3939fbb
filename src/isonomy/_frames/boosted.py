"""Boosted trees on a Dask cluster: XGBoost's own training, with the pairs of all workers' rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from isonomy._core import Objective, OneLabel
from isonomy._frames.engine_frame import ReadRows, check_columns, numbers
from isonomy._infra import require
from isonomy._rankers.boosted import ENGINES, BoostedRanker
from isonomy.boosting import pack_labels, xgboost_metric, xgboost_objective

# Seconds after which a worker that does not answer is given up.
_TIMEOUT = 120


def fit_boosted(ranker: Any, frame: Any, read: ReadRows, eval_frame: Any) -> BoostedRanker:
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
    collective = require("xgboost.collective", "boost", "isonomy.dask.fit(BoostedRanker())")
    client = _client()
    params = {**ranker._engine_params(), "disable_default_eval_metric": True, "verbosity": 1}
    options: dict[str, Any] = {}
    if eval_frame is not None:
        watched = ranker.eval_metric if ranker.eval_metric is not None else ranker._objective()
        metric = xgboost_metric(_numbered(watched, read))
        options["custom_metric"] = metric
        options["evals"] = [(_matrix(xgboost_dask, client, eval_frame, read), "valid_0")]
        if ranker.patience is not None:
            options["early_stopping_rounds"] = int(ranker.patience)
    with _lost_workers_explained():
        found = xgboost_dask.train(
            client,
            params,
            _matrix(xgboost_dask, client, frame, read),
            int(ranker.n_rounds),
            obj=xgboost_objective(_numbered(ranker._objective(), read), surrogate=ranker.surrogate),
            verbose_eval=bool(ranker.verbose),
            coll_cfg=collective.Config(timeout=_TIMEOUT),
            **options,
        )
    return _fitted(ranker, found, read)


@contextmanager
def _lost_workers_explained() -> Iterator[None]:
    """XGBoost itself says that some line of its communicator failed."""
    from xgboost.core import XGBoostError

    try:
        yield
    except XGBoostError as error:
        if "coll" not in str(error):
            raise
        raise RuntimeError(
            "Boosting on the cluster ended because a worker was lost, or did not answer for "
            f"{_TIMEOUT} seconds. XGBoost keeps nothing of the rounds so far: fit again when the "
            "workers are back."
        ) from error


def _check(ranker: BoostedRanker, read: ReadRows, eval_frame: Any) -> None:
    if read.groups is not None:
        raise ValueError(
            "Parameter `groups` serves LinearRanker only where rows lie in partitions. Leave it "
            "out, or use `xgboost_objective` with a DMatrix that has groups in a training of yours."
        )
    if ranker.patience is not None and eval_frame is None:
        raise ValueError(
            "Parameter `eval_frame` should hold the rows to stop by, because the ranker has "
            "`patience`. Found None; pass a frame, or leave `patience` out."
        )
    if eval_frame is not None:
        check_columns(list(eval_frame.columns), features=read.features, labels=read.labels)


def _client() -> Any:
    distributed = require("distributed", "dask", "isonomy.dask.fit(BoostedRanker())")
    try:
        return distributed.get_client()
    except ValueError:
        raise ValueError(
            "BoostedRanker needs a cluster. Found no client: `distributed.Client(...)` makes one."
        ) from None


def _matrix(xgboost_dask: Any, client: Any, frame: Any, read: ReadRows) -> Any:
    meta = ("isonomy label", np.float32)
    label = frame[list(read.labels)].map_partitions(_packed, read.labels, meta=meta)
    weight = None if read.weight is None else frame[read.weight]
    return xgboost_dask.DaskDMatrix(client, frame[list(read.features)], label, weight=weight)


def _packed(part: Any, names: tuple[str, ...]) -> Any:
    import pandas as pd

    if not len(part):
        return pd.Series(np.empty(0, np.float32), index=part.index, name="isonomy label")
    Y = np.column_stack([numbers(part[name].to_numpy(dtype=object), name) for name in names])
    return pd.Series(pack_labels(Y), index=part.index, name="isonomy label")


def _numbered(objective: Objective, read: ReadRows) -> Objective:
    """Packed labels have numbers, not names."""
    if isinstance(objective, OneLabel) and isinstance(objective.label, str):
        if objective.label not in read.labels:
            raise ValueError(
                f"Parameter `objective` names no label: found {objective.label!r}. The labels are "
                f"{', '.join(read.labels)}."
            )
        return OneLabel(read.labels.index(objective.label))
    return objective


def _fitted(ranker: BoostedRanker, found: dict[str, Any], read: ReadRows) -> BoostedRanker:
    """The ranker as if it had been fitted here."""
    booster, history = found["booster"], found["history"]
    n_rounds = booster.num_boosted_rounds()
    if ranker.patience is not None:
        n_rounds = booster.best_iteration + 1
        booster = booster[:n_rounds]
    booster.feature_names = None
    ranker.__dict__.pop("_booster", None)
    ranker.model_text_ = bytes(booster.save_raw("json")).decode()
    ranker.best_iteration_, ranker.engine_, ranker.categories_ = n_rounds, "xgboost", {}
    watched = history.get("valid_0", {})
    ranker.history_ = {f"validation_{name}": list(values) for name, values in watched.items()}
    ranker.n_features_in_ = len(read.features)
    ranker.feature_names_in_ = np.array(read.features, dtype=object)
    gains = ENGINES["xgboost"].gains(ranker.booster_)
    ranker.feature_importances_ = gains / gains.sum() if gains.any() else gains
    return ranker
