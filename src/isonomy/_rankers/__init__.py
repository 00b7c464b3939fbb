"""Rankers: scikit-learn estimators whose `predict` gives one score to sort by.

Each has a folder of its own; what they share, and `blend`, is offered here.
"""

from __future__ import annotations

from isonomy._rankers.base import Ranker
from isonomy._rankers.blend import blend
from isonomy._rankers.hashed_text import N_BUCKETS, hashed_counts
from isonomy._rankers.importances import feature_importances
from isonomy._rankers.items_to_fit import as_features, fit_to_items, innermost, taken_by_fit
from isonomy._rankers.splitting import (
    Index,
    Split,
    check_share,
    folds,
    given_parts,
    given_splits,
    row_folds,
    three_parts,
    time_splits,
)
from isonomy._rankers.table_encoder import (
    LARGEST,
    MANY_VALUED,
    MISSING,
    TableEncoder,
    as_numbers,
    as_polars,
    as_text,
    text_to_numbers,
)
