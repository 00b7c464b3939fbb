"""What to say when an AUC or a loss has no pairs."""

from __future__ import annotations

import numpy as np

from isonomy._core.preferences import Preferences
from isonomy._core.validation import FloatArray
from isonomy._infra import warn_user


def why_undefined(preferences: Preferences, ratios: FloatArray) -> str | None:
    """Which ratios (NaN) have no pairs, by name, and why; None where all have."""
    undefined = np.flatnonzero(np.isnan(ratios))
    if undefined.size == 0:
        return None
    where = "" if preferences.group is None else " inside a group"
    if preferences.names is None or preferences.mix.pooled:
        return f"The objective has no pair of items to compare{where}: all are on one level"
    listed = ", ".join(repr(preferences.names[int(r)]) for r in undefined)
    return f"No pair of items to compare{where} for {listed}: one class is not there"


def nothing_to_learn(preferences: Preferences, ratios: FloatArray, *, name: str) -> ValueError:
    """The error, with its cures, where ratios without pairs leave an objective undefined."""
    return ValueError(
        f"Parameter `{name}` gives nothing to learn from. {why_undefined(preferences, ratios)}. "
        "Drop that label, give it weight 0, or bring rows (of positive weight) of the other "
        "class; for an aggregate whose levels all agree, choose another objective."
    )


def warn_undefined(preferences: Preferences, ratios: FloatArray, what: str = "AUC") -> None:
    """Warn where a ratio has no pairs, by name."""
    reason = why_undefined(preferences, ratios)
    if reason is not None:
        from sklearn.exceptions import UndefinedMetricWarning  # takes longer than any metric

        warn_user(f"{reason}. The {what} is undefined (NaN).", UndefinedMetricWarning)
