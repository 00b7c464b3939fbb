"""What has moved beyond chance between two audits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy import special

from isonomy._audit.estimate import Estimate
from isonomy._audit.verdicts import Conflict, mirrored
from isonomy._infra import jsonable
from isonomy._metrics import holm

if TYPE_CHECKING:
    from isonomy._audit.result import Audit

What: TypeAlias = Literal["auc", "prior", "effective weight", "conflict"]


@dataclass(frozen=True)
class Move:
    """One number then and now.

    Attributes
    ----------
    what : {"auc", "prior", "effective weight", "conflict"}
        Which number.
    labels : tuple of str
        The label, or the two labels of a conflict.
    before, now : Estimate
        Then and now.
    p_value, holm : float
        Of no change, by a z-test of independent samples; corrected for the number of tests.
    moved : bool
        Whether it changed beyond chance: holm < 1 - level.
    verdict_before, verdict_now : str or None
        For a conflict.
    """

    what: What
    labels: tuple[str, ...]
    before: Estimate
    now: Estimate
    p_value: float
    holm: float
    moved: bool
    verdict_before: str | None = None
    verdict_now: str | None = None

    @property
    def verdict_changed(self) -> bool:
        """Whether the verdict is another one, beyond chance or not."""
        return self.verdict_before != self.verdict_now


@dataclass(frozen=True)
class Drift:
    """What has moved since an earlier audit.

    Attributes
    ----------
    moves : tuple of Move
        Every number that both audits have.
    notes : tuple of str
        Labels that only one of them has, and the like.

    Examples
    --------
    >>> import isonomy as iso
    >>> log = iso.datasets.make_search_log()
    >>> before = iso.audit(log.Y, log.eta[:, 0])
    >>> now = iso.audit(log.Y, log.eta[:, 1])
    >>> sorted({move.what for move in now.drift(before.to_dict()).moved})
    ['auc', 'conflict']
    """

    moves: tuple[Move, ...]
    notes: tuple[str, ...] = ()

    @property
    def moved(self) -> tuple[Move, ...]:
        """What changed beyond chance."""
        return tuple(move for move in self.moves if move.moved)

    def summary(self) -> str:
        """What changed, in plain words."""
        lines = [_sentence(move) for move in self.moved] or ["Nothing has moved beyond chance."]
        uncertain = [move for move in self.moves if move.verdict_changed and not move.moved]
        lines += [
            f"The verdict on {' and '.join(move.labels)} went from {move.verdict_before!r} to "
            f"{move.verdict_now!r}, but the share of conflicts won did not move beyond chance."
            for move in uncertain
        ]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """All of it, JSON-able: no NaN (None instead)."""
        return {"schema": "isonomy.drift", "schema_version": 1, **jsonable(self)}

    def __str__(self) -> str:
        return self.summary()


def drift(now: Audit, before: Audit) -> Drift:
    """Compare all numbers that two audits of different rows both have."""
    pairs = list(_pairs(now, before))
    p_values = np.array([_p_value(*each[2:4], (before.level, now.level)) for each in pairs])
    corrected = holm(p_values)
    moves = tuple(
        Move(what, labels, old, new, float(p), float(q), bool(q < 1 - now.level), *verdicts)
        for (what, labels, old, new, verdicts), p, q in zip(pairs, p_values, corrected, strict=True)
    )
    return Drift(moves, tuple(_notes(now, before)))


def _pairs(
    now: Audit, before: Audit
) -> Iterator[tuple[What, tuple[str, ...], Estimate, Estimate, tuple[str, ...]]]:
    old_labels = {label.name: label for label in before.labels}
    for new in now.labels:
        old = old_labels.get(new.name)
        if old is None:
            continue
        yield "auc", (new.name,), old.auc, new.auc, ()
        yield "prior", (new.name,), old.prior, new.prior, ()
        # Shares compare only where the same labels share.
        if set(now.names) == set(before.names) and len(now.names) > 1:
            yield "effective weight", (new.name,), old.effective_weight, new.effective_weight, ()
    old_conflicts = {(each.first, each.second): each for each in before.conflicts}
    for each in now.conflicts:
        found = _earlier(each, old_conflicts)
        if found is not None:
            labels = (each.first, each.second)
            yield "conflict", labels, found[0], each.auc, (found[1], each.verdict)


def _earlier(now: Conflict, before: dict[tuple[str, str], Conflict]) -> tuple[Estimate, str] | None:
    """The same conflict, from the same side."""
    if (now.first, now.second) in before:
        old = before[now.first, now.second]
        return old.auc, old.verdict
    if (now.second, now.first) in before:
        old = before[now.second, now.first]
        return mirrored(old.auc), old.verdict
    return None


def _p_value(before: Estimate, now: Estimate, levels: tuple[float, float]) -> float:
    error = math.hypot(before.spread(levels[0]), now.spread(levels[1]))
    change = now.value - before.value
    if error > 0:
        return float(2 * special.ndtr(-abs(change) / error))
    return 1.0 if change == 0 else math.nan


def _notes(now: Audit, before: Audit) -> Iterator[str]:
    new = [name for name in now.names if name not in before.names]
    gone = [name for name in before.names if name not in now.names]
    if new:
        yield f"Not in the earlier audit: {', '.join(new)}."
    if gone:
        yield f"Only in the earlier audit: {', '.join(gone)}."
    if new or gone:
        yield "Effective weights are shares of other labels: they were not compared."
    if (now.n_groups is None) != (before.n_groups is None):
        yield "One audit counts pairs inside groups, the other all pairs: AUCs mean other things."


def _sentence(move: Move) -> str:
    labels = " and ".join(move.labels)
    names = {
        "auc": f"The AUC of {labels}",
        "prior": f"The share of positives of {labels}",
        "effective weight": f"The pull of {labels} under equal loss weights",
        "conflict": f"The share of conflicts that {move.labels[0]} wins over {move.labels[-1]}",
    }
    way = "rose" if move.now.value > move.before.value else "fell"
    text = f"{names[move.what]} {way} from {move.before.value:.3f} to {move.now.value:.3f}"
    if move.verdict_changed:
        text += f"; the verdict went from {move.verdict_before!r} to {move.verdict_now!r}"
    return text + "."
