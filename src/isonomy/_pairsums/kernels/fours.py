r"""Four items at once, each with the eight numbers of its own cell.

A compiler finds no vector instructions here by itself: the numbers of an item lie in a row, and
items next to each other have rows far apart. So four rows are loaded whole and transposed, or made
as columns, transposed and added to their rows. Uncompiled, it is done in the plain way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from isonomy._core import kernel

__all__ = ["LANES", "add_moments", "polynomials"]

LANES = 4
_INDEX = ir.IntType(32)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
# The table of the cells, the cell of each item, and two numbers of each item.
_ARRAYS = [(each, "C") for each in (types.float64, types.uint32, types.float64, types.float64)]

Values = NDArray[np.float64]
Build = Callable[[ir.IRBuilder, list[ir.Value], ir.Value], None]
F = TypeVar("F", bound=Callable[..., object])


def _build_moments(b: ir.IRBuilder, arrays: list[ir.Value], at: ir.Value) -> None:
    moments, cell, t, weight = arrays
    place = _load(b, t, at)
    twice = b.fadd(place, place)
    series = [_load(b, weight, at)]
    series.append(b.fmul(series[0], place))
    while len(series) < 2 * LANES:
        series.append(b.fsub(b.fmul(twice, series[-1]), series[-2]))
    halves = [_transposed(b, series[:LANES]), _transposed(b, series[LANES:])]
    # One after the other: two of the items may share a cell.
    for i, row in enumerate(_rows(b, cell, at)):
        for half, first in zip(halves, (row, _plus(b, row, LANES)), strict=True):
            _store(b, b.fadd(_load(b, moments, first), half[i]), moments, first)


def _build_polynomials(b: ir.IRBuilder, arrays: list[ir.Value], at: ir.Value) -> None:
    powers, cell, t, out = arrays
    rows = _rows(b, cell, at)
    columns = [
        column
        for first in (0, LANES)
        for column in _transposed(b, [_load(b, powers, _plus(b, row, first)) for row in rows])
    ]
    place, value = _load(b, t, at), columns[-1]
    for column in reversed(columns[:-1]):
        value = b.fadd(b.fmul(value, place), column)
    _store(b, value, out, at)


def _transposed(b: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """The columns of a square: blocks off its diagonal change places, then those inside blocks."""
    step = LANES // 2
    while step:
        found = list(rows)
        for i in range(LANES):
            if not i & step:
                kept = [LANES + j - step if j & step else j for j in range(LANES)]
                moved = [LANES + j if j & step else j + step for j in range(LANES)]
                found[i] = _chosen(b, rows[i], rows[i + step], kept)
                found[i + step] = _chosen(b, rows[i], rows[i + step], moved)
        rows, step = found, step // 2
    return rows


def _chosen(b: ir.IRBuilder, first: ir.Value, second: ir.Value, lanes: list[int]) -> ir.Value:
    mask = ir.Constant(ir.VectorType(_INDEX, LANES), [ir.Constant(_INDEX, i) for i in lanes])
    return b.shuffle_vector(first, second, mask)


def _rows(b: ir.IRBuilder, cell: ir.Value, at: ir.Value) -> list[ir.Value]:
    """Where the numbers of the four items' cells begin."""
    cells = [b.load(b.gep(cell, [_plus(b, at, i)])) for i in range(LANES)]
    return [b.mul(b.zext(each, at.type), ir.Constant(at.type, 2 * LANES)) for each in cells]


def _plus(b: ir.IRBuilder, at: ir.Value, more: int) -> ir.Value:
    return b.add(at, ir.Constant(at.type, more))


def _load(b: ir.IRBuilder, array: ir.Value, at: ir.Value) -> ir.Value:
    found = b.load(b.bitcast(b.gep(array, [at]), _VECTOR.as_pointer()))
    found.align = 8
    return found


def _store(b: ir.IRBuilder, value: ir.Value, array: ir.Value, at: ir.Value) -> None:
    stored = b.store(value, b.bitcast(b.gep(array, [at]), _VECTOR.as_pointer()))
    stored.align = 8


def _compiled_as(build: Build) -> Callable[[F], F]:
    """What a kernel calls in place of a function of four arrays and a number."""

    def instructions(
        _context: Any, table: Any, cell: Any, t: Any, values: Any, at: Any
    ) -> tuple[Any, Callable[..., Any]] | None:
        arrays = (table, cell, t, values)
        if [(each.dtype, each.layout) for each in arrays] != _ARRAYS:
            return None  # Not compiled: addresses go by these types, with nothing between numbers.

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            data = [
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[:4], given[:4], strict=True)
            ]
            build(builder, data, given[4])
            return context.get_dummy_value()

        return types.void(*arrays, at), generate

    def decorate(function: F) -> F:
        uncompiled = kernel(function) is function
        return function if uncompiled else cast(F, intrinsic(instructions))

    return decorate


@_compiled_as(_build_moments)
def add_moments(
    moments: Values, cell: NDArray[np.uint32], t: Values, weight: Values, at: np.uintp
) -> None:
    r"""Add :math:`w T_k(t)`, k = 0..7, of four items from `at` on to the rows of their cells."""
    four = slice(at, at + LANES)
    series = np.polynomial.chebyshev.chebvander(t[four], 7)
    np.add.at(moments, cell[four], weight[four, None] * series)


@_compiled_as(_build_polynomials)
def polynomials(
    powers: Values, cell: NDArray[np.uint32], t: Values, out: Values, at: np.uintp
) -> None:
    r"""Set ``out`` to :math:`\sum_k p_{ck} t^k` of four items from `at` on, c their cells."""
    four = slice(at, at + LANES)
    series = np.polynomial.polynomial.polyvander(t[four], 7)
    out[four] = (series * powers[cell[four]]).sum(axis=1)
