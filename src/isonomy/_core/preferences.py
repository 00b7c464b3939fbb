"""The one object between labels and numbers: who should stand above whom."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from isonomy._core.codes import Codes, narrow
from isonomy._core.costs import LevelCosts, Table
from isonomy._core.mixes import Mix, Pooled
from isonomy._core.side_words import SideWords
from isonomy._core.validation import FloatArray

GroupWeight: TypeAlias = Literal["pairs", "equal"]

# Stands for what is found when it is asked for.
_LATER: Any = None


@dataclass(frozen=True, eq=False)
class Preferences:
    """Bipartite comparisons between items, and how to mix them.

    Term r says that items should stand above other items by

        N_r(f) = sum_{i != j} w_i w_j [same group] above[c_i, r] below[c_j, r] phi(f_i - f_j)
        D_r    = the same sum with phi = 1

    where c_i is the pattern of item i. A pattern may stand on both sides of a term, as the
    mean label of `SoftLabel` does; an item never meets itself. With phi the step function
    (1/2 at 0) the ratio N_r / D_r is an AUC; with phi smooth it is a training loss.

    Parameters
    ----------
    codes : array of int, shape (n,)
        The pattern of each item.
    above, below : array or sparse CSR array, shape (L, R) or (L,)
        How much an item of a pattern counts on the upper and the lower side of each
        term. Sparse tables with a pattern on both sides of one term become dense.
    mix : Mix
        `Pooled()`, `Mean(weights)`, `Worst()`, or any object with their members.
    weight : array of shape (n,), optional
        Weight of each item.
    group : array of int, shape (n,), optional
        Number of each item's group, from 0; only pairs inside a group count.
    group_weight : {"pairs", "equal"}
        Whether groups weigh by their pairs, or each group with pairs the same.
    names : sequence of str, optional
        A name for each term, for messages.
    count : array of int, shape (n,), optional
        How many identical items each item stands for, all of them in its weight. They meet
        each other, and tie.

    Attributes
    ----------
    two_sided : bool
        Whether some pattern stands on both sides of a term.
    row_terms : SideWords or None
        The sides of each row as words of bits, where that is what there is: `codes` and the
        tables are then found when they are asked for.
    levels : LevelCosts or None
        The level of each pattern, where those are compared; so are the tables then.

    Examples
    --------
    Three items, of which the first should stand above the other two:

    >>> from isonomy import Preferences, Pooled
    >>> wish = Preferences([0, 1, 1], above=[1, 0], below=[0, 1], mix=Pooled())
    >>> wish.n_terms
    1
    """

    codes: Codes
    above: Table
    below: Table
    mix: Mix
    weight: FloatArray | None = None
    group: NDArray[np.int64] | None = None
    group_weight: GroupWeight = "pairs"
    names: Sequence[str] | None = None
    count: NDArray[np.int64] | None = None
    two_sided: bool = field(init=False, default=False)
    row_terms: SideWords | None = None
    levels: LevelCosts | None = None

    @classmethod
    def of_words(cls, row_terms: SideWords, mix: Mix, names: Sequence[str] | None) -> Preferences:
        """Terms in which rows stand above, below or aside: tables only if someone asks for them."""
        return cls(_LATER, _LATER, _LATER, mix, names=names, row_terms=row_terms)

    @classmethod
    def of_levels(cls, codes: Codes, levels: LevelCosts) -> Preferences:
        """Items of higher levels above those of lower ones: tables only if they are asked for."""
        return cls(narrow(codes, levels.levels.size), _LATER, _LATER, Pooled(), levels=levels)

    def __getattr__(self, name: str) -> Any:
        """Codes and tables that were left for later."""
        words: SideWords | None = self.__dict__.get("row_terms")
        levels: LevelCosts | None = self.__dict__.get("levels")
        if name in ("codes", "above", "below") and words is not None:
            codes, patterns = words.numbered
            found = {"codes": codes, "above": patterns == 1, "below": patterns == 0}
        elif name in ("above", "below") and levels is not None:
            found = dict(zip(("above", "below"), levels.terms(), strict=True))
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        for each, value in found.items():
            object.__setattr__(self, each, value)
        return found[name]

    def __len__(self) -> int:
        return len(self.row_terms) if self.row_terms is not None else int(self.codes.size)

    def __post_init__(self) -> None:
        if self.above is _LATER:
            for name in ("codes", "above", "below"):
                if self.__dict__[name] is _LATER:
                    del self.__dict__[name]
            return
        object.__setattr__(self, "levels", None)
        object.__setattr__(self, "row_terms", None)
        codes = np.asarray(self.codes)
        above, below = _table("above", self.above), _table("below", self.below)
        if sparse.issparse(above) != sparse.issparse(below):
            above, below = sparse.csr_array(above), sparse.csr_array(below)
        if above.shape != below.shape:
            raise ValueError(
                f"Parameters `above` and `below` should have one shape, (patterns, terms). "
                f"Found {above.shape} and {below.shape}."
            )
        if codes.ndim != 1 or not np.issubdtype(codes.dtype, np.integer):
            raise ValueError(
                "Parameter `codes` should be a 1-D array of pattern numbers. "
                f"Found shape {codes.shape} and dtype {codes.dtype}."
            )
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < above.shape[0]:
            raise ValueError(
                f"Parameter `codes` should lie in 0..{above.shape[0] - 1}, the rows of `above`. "
                f"Found {codes.min()}..{codes.max()}."
            )
        if above.shape[1] == 0:
            raise ValueError(
                "Parameter `above` should have at least one term (column). Found none."
            )
        two_sided = bool((above.astype(bool) * below.astype(bool)).sum())
        if two_sided and sparse.issparse(above):
            above, below = (sparse.csr_array(table).toarray() for table in (above, below))
        for name in ("weight", "group", "count"):
            array = getattr(self, name)
            if array is not None and np.shape(array) != codes.shape:
                raise ValueError(
                    f"Parameter `{name}` should hold one number for each of the {codes.size} "
                    f"items. Found shape {np.shape(array)}."
                )
        object.__setattr__(self, "codes", narrow(codes, above.shape[0]))
        object.__setattr__(self, "above", above)
        object.__setattr__(self, "below", below)
        object.__setattr__(self, "two_sided", two_sided)

    def on(
        self,
        weight: FloatArray | None,
        group: NDArray[np.int64] | None,
        group_weight: GroupWeight,
        count: NDArray[np.int64] | None,
    ) -> Preferences:
        """The same wishes of weighted and grouped items; nothing is checked again."""
        found = copy(self)
        for name, value in (
            ("weight", weight),
            ("group", group),
            ("group_weight", group_weight),
            ("count", count),
        ):
            object.__setattr__(found, name, value)
        return found

    @property
    def tables(self) -> tuple[Table, Table]:
        """Both sides: above, below."""
        return self.above, self.below

    @property
    def twins(self) -> FloatArray | None:
        """Of the pairs of a row with itself, the share that two of its items make; None: none."""
        if self.count is None:
            return None
        items = np.maximum(self.count, 1)
        return np.asarray((items - 1) / items)

    @property
    def n_terms(self) -> int:
        """Number of terms R."""
        return int(self.above.shape[1]) if self.row_terms is None else self.row_terms.n_columns

    @property
    def n_patterns(self) -> int:
        """Number of patterns L."""
        return int(self.above.shape[0]) if self.levels is None else self.levels.levels.size

    @property
    def n_groups(self) -> int:
        """Number of groups; 1 where all pairs count."""
        return 1 if self.group is None else int(self.group.max()) + 1


def _table(name: str, table: Any) -> Table:
    if sparse.issparse(table):
        table = sparse.csr_array(table)
        values = table.data
    else:
        table = np.asarray(table)
        if table.dtype != np.bool_:
            table = table.astype(np.float64)
        if table.ndim == 1:
            table = table[:, None]
        values = table
    if len(table.shape) != 2 or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            f"Parameter `{name}` should be a table of finite numbers >= 0, "
            f"one row per pattern and one column per term. Found shape {table.shape}."
        )
    return table
