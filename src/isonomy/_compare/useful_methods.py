"""Which methods say something of their own about the labels at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isonomy._compare.families import Family
from isonomy._compare.methods import METHODS, MethodEntry
from isonomy._compare.sentences import say
from isonomy._core import Items, Objective, count_codes
from isonomy._infra import listed
from isonomy._rankers.blended import implied_labels


def useful_methods(
    keys: Sequence[str], by_default: bool, items: Items, notes: list[str]
) -> list[MethodEntry]:
    """Without the methods that say nothing of their own about these labels."""
    entries = [METHODS[key] for key in METHODS if key in keys]
    lists = [entry for entry in entries if entry.needs_groups]
    if lists and items.group is None and not by_default:
        raise ValueError(
            f"Parameter `methods` should hold {lists[0].key!r} only where there are groups: it "
            "learns the order inside lists. Found none. Pass `groups`, or leave it out."
        )
    if items.group is None:
        entries = [entry for entry in entries if not entry.needs_groups]
    if by_default and not implied_labels(items).any():
        entries = [entry for entry in entries if not entry.funnel]
    if items.labels.n_labels > 1:
        return _with_levels(entries, items, notes) if by_default else entries
    # A plug-in of one classifier ranks as that classifier does.
    useful = [entry for entry in entries if entry.for_one_label]
    if by_default:
        useful = [entry for entry in useful if entry.label_objective]
    if len(useful) < len(entries):
        notes.append(say("one label"))
    return useful


def _with_levels(
    entries: Sequence[MethodEntry], items: Items, notes: list[str]
) -> list[MethodEntry]:
    """Without those by whose objective all items are equal, such as the sum of opposites."""
    left = [entry for entry in entries if not _tells_apart(entry.objective, items)]
    if left:
        notes.append(say("nothing to rank by", names=listed([repr(each.name) for each in left])))
    return [entry for entry in entries if entry not in left]


def _tells_apart(objective: Objective | None, items: Items) -> bool:
    """Whether some pattern of labels should stand above another one."""
    if objective is None:
        return True
    preferences = items.preferences(objective)
    seen = count_codes(preferences.codes, preferences.above.shape[0]) > 0
    sides = (np.asarray(side[seen].sum(axis=0)) for side in (preferences.above, preferences.below))
    return bool(np.logical_and(*sides).any())


def check_families_of(entries: Sequence[MethodEntry], families: Sequence[Family]) -> None:
    keys = [family.key for family in families]
    for entry in entries:
        if entry.baseline_of not in (None, *keys):
            raise ValueError(
                f"Parameter `methods` should hold {entry.key!r} only with "
                f"family={entry.baseline_of!r}. Found {listed(list(map(repr, keys)))}."
            )
