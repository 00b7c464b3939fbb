"""Which method for my data? Rankers trained and measured on the same splits."""

from __future__ import annotations

from isonomy._compare.compare import compare
from isonomy._compare.methods import (
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
from isonomy._compare.view import blocks as comparison_blocks
from isonomy._compare.view import methods_table

__all__ = [
    "KINDS",
    "Comparison",
    "Method",
    "MethodResult",
    "check_family",
    "compare",
    "comparison_blocks",
    "family_methods",
    "family_ranker",
    "fit_preparation",
    "fit_ranker",
    "fold_splits",
    "methods_table",
    "preparation",
    "seed_of",
]
