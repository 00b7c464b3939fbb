"""LightGBM's own lambdarank on the sum of the labels: what others do, to be compared with."""

from __future__ import annotations

import numpy as np

from isonomy._core import Items, LabelAggregation
from isonomy._rankers.boosted.engines import (
    Engine,
    check_for_lightgbm,
    lightgbm_grown,
    lightgbm_matrix,
)
from isonomy._rankers.boosted.ranker import BoostedRanker


class SummedLambdaRanker(BoostedRanker):
    """LambdaRank of LightGBM on the aggregated label (for complete labels, their sum).

    Each level gains as much as it is; LightGBM's defaults otherwise. Of the parameters of
    `BoostedRanker` it knows `params`, `n_rounds`, `random_state` and `n_jobs`; `fit` needs groups.
    """

    def _train(
        self, engine: Engine, train: Items, validation: Items | None, categorical: list[int]
    ) -> None:
        if train.group is None:
            raise ValueError(
                "Parameter `groups` should say to which list (query) each item belongs: LambdaRank "
                "learns the order inside lists. Found None."
            )
        lightgbm = engine.require()
        levels = LabelAggregation().levels(train.labels)[train.labels.codes]
        rows = np.argsort(train.group, kind="stable")
        rows = rows[~np.isnan(levels[rows])]
        gains, grades = np.unique(levels[rows], return_inverse=True)
        weight = train.sample_weight
        check_for_lightgbm(train.X[rows])
        data = lightgbm.Dataset(
            lightgbm_matrix(train.X[rows]),
            grades,
            group=np.unique(train.group[rows], return_counts=True)[1],
            weight=None if weight is None else weight[rows],
            categorical_feature=categorical,
        )
        params = {"verbosity": -1, "deterministic": True, **self._engine_params()}
        params |= {"objective": "lambdarank", "label_gain": (gains - gains[0]).tolist()}
        booster = lightgbm.train(params, data, int(self.n_rounds))
        self._take(lightgbm_grown(booster, booster.current_iteration()))
        self.engine_, self.history_ = "lightgbm", {"loss": []}
