"""Boosted trees, by LightGBM or XGBoost."""

from __future__ import annotations

from isonomy._rankers.boosted.classifier import BoostedClassifier
from isonomy._rankers.boosted.engines import ENGINES, xgboost_grown
from isonomy._rankers.boosted.kernels.leaf_sums import CATEGORIES, NUMBER_OR_ZERO, ZERO
from isonomy._rankers.boosted.lambdarank import SummedLambdaRanker
from isonomy._rankers.boosted.ranker import BoostedRanker
from isonomy._rankers.boosted.trees import Trees

# What a fitted ranker may be made of besides rankers: model files may hold it too.
MODEL_PARTS = (BoostedClassifier, Trees)
