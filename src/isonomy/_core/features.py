"""Features, before any library reads them: nothing masked, no index that leads outside."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from isonomy._core.tensors import has_numpy_type, is_tensor, needs_copy
from isonomy._core.validation import check_column_names, is_frame, refuse_lazy


def check_features(X: Any, *, name: str = "X") -> None:
    """Refuse masked values, which libraries would read, and indices that compiled code follows.

    Also tensors that numpy cannot read, frames that hold no values yet and columns of one name:
    libraries would fail in words of their own.

    Examples
    --------
    >>> import numpy as np
    >>> check_features(np.ma.array([[1.0, 2.0]], mask=[[False, True]]))
    Traceback (most recent call last):
    ...
    ValueError: Parameter `X` should have no masked values. Found 1, the first in row 0, column 1.
    Drop those rows, put a number in their place, or, where missing values are taken
    (BoostedRanker), pass `X.filled(np.nan)`.
    """
    refuse_lazy(X, name)
    if is_frame(X):
        check_column_names(X, name)
    elif isinstance(X, np.ma.MaskedArray):
        _check_unmasked(X, name)
    elif sparse.issparse(X):
        _check_indices(X, name)
    elif is_tensor(X) and needs_copy(X):
        gradient = " with a gradient" if X.requires_grad else ""
        wider = "" if has_numpy_type(X) else ".float()"
        raise TypeError(
            f"Parameter `{name}` should be an array. Found a tensor of {X.dtype} on {X.device}"
            f"{gradient}; pass `{name}.detach().cpu(){wider}.numpy()`."
        )


def each_entry_once(X: Any) -> Any:
    """A sparse matrix (CSR) in which entries that stand twice are added up; all else as it is.

    That is what scipy means by them. Engines and kernels would take the last of them.
    """
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def _check_unmasked(X: Any, name: str) -> None:
    mask = np.ma.getmaskarray(X)
    if not mask.any():
        return
    row, *column = np.argwhere(mask)[0]
    where = f"row {row}" + (f", column {column[0]}" if column else "")
    raise ValueError(
        f"Parameter `{name}` should have no masked values. Found {int(mask.sum())}, the first in "
        f"{where}. Drop those rows, put a number in their place, or, where missing values are "
        f"taken (BoostedRanker), pass `{name}.filled(np.nan)`."
    )


def _check_indices(X: Any, name: str) -> None:
    """The indices of a sparse matrix, in any format that has some."""
    try:
        if hasattr(X, "check_format"):
            X.check_format(full_check=True)
        elif X.format == "coo":
            for length, places in zip(X.shape, (X.row, X.col), strict=True):
                if places.size and not 0 <= places.min() <= places.max() < length:
                    raise ValueError("row or column numbers lie outside its shape")
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(
            f"Parameter `{name}` should be a sound sparse matrix. Found one of shape {X.shape} "
            f"whose indices lead elsewhere: {error}. Build it anew, such as "
            f"`scipy.sparse.csr_array((values, (rows, columns)), shape={X.shape})`."
        ) from error
