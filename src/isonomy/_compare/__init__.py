"""Which method for my data? Rankers trained and measured on the same splits."""

from __future__ import annotations

from isonomy._compare.compare import compare
from isonomy._compare.methods import (
    FAMILIES,
    KINDS,
    Method,
    check_family,
    family_methods,
    family_ranker,
    fit_preparation,
    fit_ranker,
    preparation,
    seed_of,
)
from isonomy._compare.result import Comparison, MethodResult
from isonomy._compare.splits import fold_splits

__all__ = [
    "FAMILIES",
    "KINDS",
    "Comparison",
    "Method",
    "MethodResult",
    "check_family",
    "compare",
    "family_methods",
    "family_ranker",
    "fit_preparation",
    "fit_ranker",
    "fold_splits",
    "preparation",
    "seed_of",
]
