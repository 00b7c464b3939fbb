r"""Terms: which cells stand above and below, what they sum to, and what their items feel.

Term r puts pattern p above with weight ``table[p, r]`` where that is positive, and below with
``-table[p, r]`` where it is negative, for each of one or two tables (`sides`). With A and B the
sources on the two sides,

.. math:: N_r = \sum_{x \in A} w(x)\, U_r(x), \qquad
          U_r(x) = \sum_{x' \in B} w(x')\, \phi(x - x'), \qquad
          V_r(x) = \sum_{x' \in A} w(x')\, \phi(x' - x).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isonomy._core import kernel
from isonomy._pairsums.kernels.fields import Field, add_field
from isonomy._pairsums.kernels.grid import Cells
from isonomy._pairsums.kernels.moments import TO_NODES, TO_POWERS, TO_SERIES

__all__ = ["cell_polynomials", "term_sums"]

Array = NDArray[np.float64]
Sides: TypeAlias = tuple[Array, ...]

# Rows times terms at a time: few enough that the nodes of both sides stay in the cache.
_AT_ONCE = 1 << 11


@kernel
def term_sums(
    first: int, last: int, cells: Cells, moments: Array, sides: Sides, phi: Field, out: Array
) -> None:
    r"""Set ``out[s, r]`` to :math:`N_r` of segment s, for the segments from `first` to `last`."""
    for s in range(first, last):
        bins = cells.bins[cells.row_starts[s] : cells.row_starts[s + 1]]
        batch = max(1, _AT_ONCE // bins.size)
        for r in range(0, sides[0].shape[1], batch):
            n_terms = min(batch, sides[0].shape[1] - r)
            above, below = _sides(s, r, n_terms, cells, moments, sides)
            for k in range(n_terms):
                field = np.zeros((bins.size, 8))
                add_field(bins, below[k], phi, field)
                total = 0.0
                for b in range(bins.size):
                    for m in range(8):
                        total += above[k, b, m] * field[b, m]
                out[s, r + k] = total


@kernel
def cell_polynomials(
    first: int,
    last: int,
    cells: Cells,
    moments: Array,
    sides: Sides,
    from_below: Field,
    from_above: Field,
    coefficient: Array,
    out: Array,
) -> None:
    r"""Set ``out[c]`` to the polynomial in t of what the items of cell c feel.

    That is :math:`\sum_r a_{sr} (A_{cr} U_r + B_{cr} V_r)` with a the `coefficient` and U and V
    replaced by the derivative that the tables `from_below` and `from_above` stand for.
    """
    for s in range(first, last):
        bins = cells.bins[cells.row_starts[s] : cells.row_starts[s + 1]]
        batch = max(1, _AT_ONCE // bins.size)
        out[cells.cell_starts[s] : cells.cell_starts[s + 1]] = 0.0
        for r in range(0, sides[0].shape[1], batch):
            n_terms = min(batch, sides[0].shape[1] - r)
            above, below = _sides(s, r, n_terms, cells, moments, sides)
            on_above, on_below = np.zeros_like(above), np.zeros_like(below)
            for k in range(n_terms):
                if coefficient[s, r + k] != 0.0:
                    add_field(bins, below[k], from_below, on_above[k])
                    add_field(bins, above[k], from_above, on_below[k])
                    _to_polynomial(on_above[k], coefficient[s, r + k])
                    _to_polynomial(on_below[k], coefficient[s, r + k])
            _distribute(s, r, cells, sides, on_above, on_below, out)


@kernel
def _sides(
    s: int, r: int, n_terms: int, cells: Cells, moments: Array, sides: Sides
) -> tuple[Array, Array]:
    """Return the node weights of both sides of the terms from r on, (terms, rows, 8) each."""
    n_rows = cells.row_starts[s + 1] - cells.row_starts[s]
    above, below = np.zeros((n_terms, n_rows, 8)), np.zeros((n_terms, n_rows, 8))
    for table in sides:
        for c in range(cells.cell_starts[s], cells.cell_starts[s + 1]):
            b = cells.row[c] - cells.row_starts[s]
            for k in range(n_terms):
                weight = table[cells.pattern[c], r + k]
                if weight != 0.0:
                    side = above[k, b] if weight > 0.0 else below[k, b]
                    _add_scaled(abs(weight), moments[c], side)
    for k in range(n_terms):
        _multiply(above[k], TO_NODES)
        _multiply(below[k], TO_NODES)
    return above, below


@kernel
def _distribute(
    s: int, r: int, cells: Cells, sides: Sides, on_above: Array, on_below: Array, out: Array
) -> None:
    """Add the polynomials of the terms from r on to the cells that take part in them."""
    for table in sides:
        for c in range(cells.cell_starts[s], cells.cell_starts[s + 1]):
            b = cells.row[c] - cells.row_starts[s]
            for k in range(on_above.shape[0]):
                weight = table[cells.pattern[c], r + k]
                if weight != 0.0:
                    felt = on_above[k, b] if weight > 0.0 else on_below[k, b]
                    _add_scaled(abs(weight), felt, out[c])


@kernel
def _add_scaled(scale: float, row: Array, out: Array) -> None:
    for m in range(8):
        out[m] += scale * row[m]


@kernel
def _to_polynomial(field: Array, scale: float) -> None:
    """Turn values at nodes into `scale` times the coefficients of powers.

    The Chebyshev coefficients in between decrease fast; going straight from values to powers
    would let the large entries of the product of the two matrices magnify rounding errors.
    """
    _multiply(field, TO_SERIES)
    _multiply(field, TO_POWERS)
    for b in range(field.shape[0]):
        for m in range(8):
            field[b, m] *= scale


@kernel
def _multiply(rows: Array, matrix: Array) -> None:
    """Replace each of the `rows` (b, 8) by its product with `matrix` (8, 8)."""
    product = np.empty(8)
    for b in range(rows.shape[0]):
        for m in range(8):
            product[m] = 0.0
        for j in range(8):
            for m in range(8):
                product[m] += rows[b, j] * matrix[j, m]
        for m in range(8):
            rows[b, m] = product[m]
