"""Products of tall tables whose bits do not depend on the threads of BLAS."""

from __future__ import annotations

import numpy as np

from isonomy._core.validation import FloatArray


def gram(columns: FloatArray) -> FloatArray:
    """All products of the columns of a table with each other, (columns, columns).

    BLAS adds up the product of two matrices in one order, for any number of threads. That of two
    vectors it cuts into one part for each thread.

    >>> gram(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[10., 14.],
           [14., 20.]])
    """
    if columns.shape[1] == 1:
        return np.asarray(np.einsum("ij,ik->jk", columns, columns, optimize=False))
    return np.asarray(columns.T @ columns)
