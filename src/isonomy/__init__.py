"""Isonomy: one ranking from several binary labels, and who dictates it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Where each public name lives. Names resolve at first use (PEP 562), so that
# `import isonomy` and `isonomy --help` load neither numpy nor numba.
_HOMES = {
    "AUCIntervals": "_intervals",
    "LabelAggregation": "_objectives",
    "Labels": "_labels",
    "LossAggregation": "_objectives",
    "Mean": "_preferences",
    "Objective": "_objectives",
    "OneLabel": "_objectives",
    "Pooled": "_preferences",
    "Preferences": "_preferences",
    "ScoreComparison": "_intervals",
    "Worst": "_preferences",
    "WorstLabel": "_objectives",
    "auc": "_metrics",
    "auc_intervals": "_intervals",
    "compare_scores": "_intervals",
    "conflict_aucs": "_metrics",
    "conflict_intervals": "_intervals",
    "label_aucs": "_metrics",
    "multipartite_auc": "_metrics",
    "objective_auc": "_metrics",
    "scorer": "_metrics",
}
_NAMESPACES = ("datasets", "theory")


def __getattr__(name: str) -> object:
    if name in _NAMESPACES:
        return import_module(f"isonomy.{name}")
    if name in _HOMES:
        value = getattr(import_module(f"isonomy.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'isonomy' has no attribute {name!r}")
