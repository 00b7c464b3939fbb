"""Rankers in hostile files: what was learned fits itself."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy._models.files import from_bytes
from isonomy._models.model_file_error import ModelFileError
from tests.models.hostile import closed, find, opened, saved, text

FITS = {
    "a weight too many": ("linear", "LinearRanker", "coef_", np.zeros(5)),
    "a table of weights": ("linear", "LinearRanker", "coef_", np.zeros((4, 1))),
    "weights as text": ("linear", "LinearRanker", "coef_", np.array(["a"] * 4)),
    "a weight that is none": ("linear", "LinearRanker", "coef_", np.full(4, np.nan)),
    "features": ("linear", "LinearRanker", "n_features_in_", 5),
    "a layer": ("neural", "NeuralRanker", "coefs_", np.zeros((3, 3), np.float32)),
    "an intercept": ("neural", "NeuralRanker", "intercepts_", np.zeros(3, np.float32)),
    "a mean": ("neural", "NeuralRanker", "mean_", np.zeros(3)),
    "no scale": ("neural", "NeuralRanker", "scale_", np.zeros(4)),
    "a blend of three": ("blend", "BlendRanker", "coef_", np.ones(3)),
    "a blend of none": ("blend", "BlendRanker", "coef_", np.zeros(2)),
    "a blend without end": ("blend", "BlendRanker", "coef_", np.full(2, 1.7e308)),
    "a blend of less than nothing": ("blend", "BlendRanker", "coef_", np.array([1.0, -1.0])),
    "kinds and a half": ("blend of two kinds", "BlendRanker", "coef_", np.ones(3)),
    "another scale": ("blend", "BlendRanker", "scale_", "odds"),
    "a median too few": ("table with texts", "TableEncoder", "medians_", np.zeros(1)),
    "gaps": ("table with texts", "TableEncoder", "incomplete_", np.zeros(3)),
    "to impute": ("table with texts", "TableEncoder", "impute", 2),
    "left out": ("table with texts", "TableEncoder", "dropped_", 3),
    "importances": ("trees on texts", "BoostedRanker", "feature_importances_", np.zeros(1)),
    "the top of all": ("trees on texts", "BoostedRanker", "top", "all"),
    "a mean too few": ("table", "StandardScaler", "mean_", np.zeros(1)),
    "a scale too few": ("table", "StandardScaler", "scale_", np.ones(1)),
    "a class too many": ("logistic", "LogisticRegression", "classes_", np.arange(3)),
    "a feature too few": ("logistic", "LogisticRegression", "coef_", np.zeros((1, 3))),
}


@pytest.mark.parametrize("kind", FITS)
def test_what_was_learned_fits_itself(kind: str) -> None:
    name, owner, attribute, value = FITS[kind]
    schema, members = opened(name)
    attributes = find(schema, owner, attribute)["content"]
    if not isinstance(value, np.ndarray):
        attributes[attribute] = text(value)
    else:
        found = attributes[attribute]
        if found["__loader__"] == "ListNode":
            found = found["content"][0]
        members[found["file"]] = saved(value)
    with pytest.raises(ModelFileError, match="does not fit the rest"):
        from_bytes(closed(schema, members), set())


def test_steps_that_nobody_can_follow() -> None:
    """A step without its estimator, and a frozen one that looks for it without end."""
    schema, members = opened("sparse")
    first, last = find(schema, "Pipeline", "steps")["content"]["steps"]["content"]
    first["content"].append(last["content"].pop())
    with pytest.raises(ModelFileError, match="no steps to follow"):
        from_bytes(closed(schema, members), set())
    schema, members = opened("frozen")
    attributes = find(schema, "FrozenEstimator", "estimator")["content"]
    attributes["label"] = attributes.pop("estimator")
    with pytest.raises(ModelFileError, match=r"no steps to follow|cannot be built"):
        from_bytes(closed(schema, members), set())
