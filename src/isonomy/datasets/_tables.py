"""What loaders and generators return."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray


@dataclass(frozen=True, eq=False)
class Generated:
    """A generated data set and the truth behind it.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Features.
    Y : ndarray of shape (n, K)
        Labels 0 and 1.
    eta : ndarray of shape (n, K)
        The true probability of each label, given the features.
    feature_names, label_names : tuple of str
        Names of the columns of X and Y.

    Examples
    --------
    >>> import isonomy as iso
    >>> log = iso.datasets.make_search_log(1000)
    >>> log.X.shape, log.Y.shape, log.label_names
    ((1000, 4), (1000, 2), ('relevant', 'recent'))
    """

    X: FloatArray
    Y: NDArray[np.uint8]
    eta: FloatArray
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Loaded:
    """A data set that somebody collected.

    Attributes
    ----------
    X : ndarray of shape (n, d), or tuple of n str
        Features, or texts.
    Y : ndarray of shape (n, K)
        Labels 0 and 1.
    feature_names, label_names : tuple of str
        Names of the columns of X and Y; no feature names for texts.
    groups : ndarray of shape (n,) or None
        The query of each row, where there are queries.
    origin : str
        What was read: which data set, and how much of it.
    path : Path or None
        The file that was read.

    Examples
    --------
    >>> import numpy as np
    >>> from isonomy.datasets import Loaded
    >>> texts = ("a fine answer", "no answer")
    >>> len(Loaded(texts, np.eye(2, dtype=np.uint8), (), ("helpful", "brief"), None, "two texts"))
    2
    """

    X: Any
    Y: NDArray[np.uint8]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    groups: NDArray[np.int64] | None
    origin: str
    path: Path | None = None

    def __len__(self) -> int:
        return len(self.Y)
