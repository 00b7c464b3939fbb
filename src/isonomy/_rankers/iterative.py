"""Rankers that learn in rounds or epochs: the parameters they share, and what stops them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from isonomy._core import (
    GroupWeight,
    Items,
    as_generator,
    check_choice,
    check_count,
    check_features,
    check_objective,
    each_entry_once,
)
from isonomy._pairsums import find_surrogate
from isonomy._rankers.base import Ranker
from isonomy._rankers.splitting import check_share


class IterativeRanker(Ranker):
    """Base of the rankers that learn in rounds or epochs until held-out rows tell them to stop.

    They agree on the parameters below, and on `history_`: a dict of lists with an entry for each
    round or epoch, "loss" and, with held-out rows, "validation_" and the name of the watched AUC.
    """

    surrogate: str
    group_weight: GroupWeight
    patience: int | None
    validation_fraction: float
    params: dict[str, Any] | None
    random_state: Any

    def _check_shared_parameters(self, whose: str) -> None:
        """Refuse what cannot be done, before any work; `params` holds the options of `whose`."""
        check_objective(self._objective())
        find_surrogate(self.surrogate)
        check_choice("group_weight", self.group_weight, ("pairs", "equal"))
        if self.patience is not None:
            check_count("patience", self.patience)
        check_share("validation_fraction", self.validation_fraction)
        as_generator(self.random_state)
        if self.params is not None and not isinstance(self.params, dict):
            raise TypeError(
                f"Parameter `params` should be a dict of {whose}'s options. Found {self.params!r}."
            )
        for name in self.params or ():
            if not isinstance(name, str):
                raise TypeError(
                    f"Parameter `params` should have the names of {whose}'s options as keys. "
                    f"Found {name!r}."
                )

    def _features(self, X: Any, *, reset: bool, gaps: bool = False) -> Any:
        """Numbers, dense or CSR, with gaps where these are allowed."""
        check_features(X)
        table = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if gaps else True,
            ensure_min_samples=2 if reset else 1,
        )
        return each_entry_once(table)

    def _items(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, groups: ArrayLike | None
    ) -> Items:
        """The checked rows; one that stands for several items weighs as much as they do."""
        items = super()._items(X, y, sample_weight, groups)
        if items.count is None:
            return items
        weight = items.count.astype(np.float64)
        if items.sample_weight is not None:
            weight *= items.sample_weight
        return replace(items, sample_weight=weight, count=None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
