"""When there is too little data for an interval or a test to hold what it promises."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core import FloatArray, Preferences
from isonomy._counting import Influence, Spread
from isonomy._infra import warn_user

# With fewer units (items of a class, clusters, groups) no interval has been found to hold.
FEWEST_UNITS = 5
# With fewer misranked ones in the smaller class, intervals other than "auto" are too short.
FEWEST_MISRANKED = 5.0


def warn_few(
    influence: Influence,
    estimate: FloatArray,
    spread: Spread,
    used: NDArray[np.bool_] | None,
    *,
    exact: bool,
) -> None:
    """Warn of intervals or tests that stand on too little to hold what they promise."""
    size = spread.smallest
    misranked = size * np.minimum(estimate, 1 - estimate)
    few = size < FEWEST_UNITS if exact else misranked < FEWEST_MISRANKED
    # A mix that no AUC moves stands on no items at all.
    few &= ~np.isnan(estimate) & (size > 0)
    if not few.any():
        return
    worst = int(np.flatnonzero(few)[np.argmin((size if exact else misranked)[few])])
    # Effective sizes need not be whole, and 4.6 are fewer than 5.
    n_units = f"{size[worst]:.1f}".removesuffix(".0")
    units = unit_name(influence.ranking.grouped, influence.cluster is not None)
    if n_units == "1":
        one, _, what = units.partition(" ")
        units = f"{one.removesuffix('s')} {what}"
    where = _where(influence.ranking.preferences, few if used is None else used)
    if exact:
        warn_user(f"Only {n_units} {units}{where}: with so few, intervals may not hold.")
    else:
        cure = " method='auto' holds there." if size[worst] >= FEWEST_UNITS else ""
        warn_user(
            f"{n_units} {units}, of which about {misranked[worst]:.1f} misranked{where}: "
            f"such intervals tend to be too short.{cure}"
        )


def unit_name(grouped: bool, clustered: bool) -> str:
    """What varies independently, in the plural."""
    if grouped:
        return "clusters with pairs" if clustered else "groups with pairs"
    return "clusters on a side" if clustered else "items in a class"


def _where(preferences: Preferences, few: NDArray[np.bool_]) -> str:
    if preferences.names is None or preferences.mix.pooled:
        return ""
    return f" for {', '.join(repr(preferences.names[int(r)]) for r in np.flatnonzero(few))}"
