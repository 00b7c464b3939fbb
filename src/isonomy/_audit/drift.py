"""What has moved beyond chance between two audits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy import special

from isonomy._audit.estimate import Estimate
from isonomy._audit.sentences import say
from isonomy._audit.verdicts import Conflict, mirrored
from isonomy._audit.wording import short
from isonomy._infra import jsonable, listed
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

    @property
    def fell(self) -> bool:
        """Whether it is an AUC that is lower now."""
        return self.what == "auc" and self.now.value < self.before.value

    def words(self) -> dict[str, str | None]:
        """What sentences about it are filled in with."""
        return {
            "label": short(self.labels[0]),
            "first": short(self.labels[0]),
            "second": short(self.labels[-1]),
            "way": "rose" if self.now.value > self.before.value else "fell",
            "before": f"{self.before.value:.3f}",
            "now": f"{self.now.value:.3f}",
            "verdict_before": self.verdict_before,
            "verdict_now": self.verdict_now,
        }

    def sentence(self) -> str:
        """What moved, from where to where."""
        keys = {
            "auc": "auc moved",
            "prior": "prior moved",
            "effective weight": "pull moved",
            "conflict": "verdict moved" if self.verdict_changed else "conflict moved",
        }
        return say(keys[self.what], **self.words())


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
        lines = [move.sentence() for move in self.moved] or [say("nothing moved")]
        lines += [
            say("verdict by chance", **move.words())
            for move in self.moves
            if move.verdict_changed and not move.moved
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
        yield say("new labels", labels=listed([short(name) for name in new]))
    if gone:
        yield say("gone labels", labels=listed([short(name) for name in gone]))
    if new or gone:
        yield say("pulls not compared")
    if (now.n_groups is None) != (before.n_groups is None):
        yield say("groups on one side")
