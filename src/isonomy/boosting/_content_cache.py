"""What was made ready for the last few data sets, found again by their content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from isonomy._core import AnyArray

Made = TypeVar("Made")
Arrays: TypeAlias = tuple["AnyArray | None", ...]

# Ten folds, their training and their validation rows among them, and a few to spare.
MOST_KEPT = 24


class ContentCache(Generic[Made]):
    """Keeps what was made of rows, as long as the same rows come again.

    Rows are compared value by value, which costs a hundredth of a boosting round: no data set is
    kept alive, and none whose labels have changed is mistaken for the old one. A copy, or what
    comes out of a pickle, is empty.

    Examples
    --------
    >>> import numpy as np
    >>> cache = ContentCache()
    >>> cache.recall((np.arange(3),), lambda: "made"), cache.recall((np.arange(3),), lambda: "")
    ('made', 'made')
    """

    def __init__(self) -> None:
        self._kept: tuple[tuple[Arrays, Made], ...] = ()

    def recall(self, rows: Arrays, make: Callable[[], Made]) -> Made:
        """What was made of these rows; made now if it was not."""
        kept = self._kept
        for place, (old, made) in enumerate(kept):
            if all(map(_same, old, rows)):
                if place:
                    self._kept = (kept[place], *kept[:place], *kept[place + 1 :])
                return made
        return self.keep(rows, make())

    def holds(self, rows: Arrays) -> bool:
        """Whether something was made of these rows."""
        return any(all(map(_same, old, rows)) for old, _ in self._kept)

    def keep(self, rows: Arrays, made: Made) -> Made:
        """Remember what was made of these rows."""
        copied = tuple(None if array is None else array.copy() for array in rows)
        self._kept = ((copied, made), *self._kept[: MOST_KEPT - 1])
        return made

    def __reduce__(self) -> tuple[type[ContentCache[Made]], tuple[()]]:
        return type(self), ()


def _same(a: AnyArray | None, b: AnyArray | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)
