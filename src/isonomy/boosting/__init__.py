"""Objectives and metrics for LightGBM and XGBoost: several labels, one score.

Engines carry one label per row, so K labels travel packed into one number:

>>> import numpy as np
>>> import isonomy as iso
>>> iso.boosting.pack_labels([[1, 0], [0, 1], [1, np.nan]])
array([  5.,   6., -16.], dtype=float32)

Then any objective trains in the engine's own way, here with LightGBM:

>>> import lightgbm
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(500, 3))
>>> Y = X[:, :2] + rng.logistic(size=(500, 2)) > 0
>>> data = lightgbm.Dataset(X, iso.boosting.pack_labels(Y))
>>> objective = iso.boosting.lightgbm_objective(iso.LabelAggregation())
>>> booster = lightgbm.train({"objective": objective, "verbosity": -1}, data, 20)
>>> bool(iso.objective_auc(Y, booster.predict(X), iso.WorstLabel()) > 0.7)
True
"""

from __future__ import annotations

from isonomy._core import pack_labels, unpack_labels
from isonomy.boosting._callback_arguments import finite_scores as finite_scores

# Those imported `as` themselves are for the rankers, and not public.
from isonomy.boosting._derivatives import prepared_loss as prepared_loss
from isonomy.boosting._derivatives import require_lists as require_lists
from isonomy.boosting._metrics import WatchedAUC as WatchedAUC
from isonomy.boosting._metrics import lightgbm_metric, xgboost_metric
from isonomy.boosting._metrics import watched_metric as watched_metric
from isonomy.boosting._objectives import lightgbm_objective, xgboost_objective
from isonomy.boosting._packed_groups import group_numbers as group_numbers
from isonomy.boosting._packed_groups import pack_groups

__all__ = [
    "lightgbm_metric",
    "lightgbm_objective",
    "pack_groups",
    "pack_labels",
    "unpack_labels",
    "xgboost_metric",
    "xgboost_objective",
]
