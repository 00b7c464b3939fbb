"""Should this ranking pass? What a build server asks of an audit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from isonomy._audit.sentences import say
from isonomy._audit.wording import fallen, gravity, several, share_won, short
from isonomy._core import suggestion
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._audit.drift import Drift
    from isonomy._audit.result import Audit

# More than these are counted in the reason.
MOST_MOVES = 3


def failures(
    audit: Audit,
    *,
    dictator: bool,
    under: Mapping[str, float] | None,
    max_gap: float | None,
    drift: Drift | None,
) -> tuple[str, ...]:
    """A line for each reason, as `Audit.failures` says."""
    floors = dict(under or {})
    check_floors(floors, audit.names)
    if max_gap is not None:
        check_gap(max_gap, len(audit.names))
    return (
        *(_dictators(audit) if dictator else ()),
        *_drift(drift),
        *_under(audit, floors),
        *_gap(audit, max_gap),
    )


def check_floors(floors: Mapping[str, float], names: tuple[str, ...]) -> None:
    """Each should be an AUC of a label that there is."""
    for name, floor in floors.items():
        if name not in names:
            raise ValueError(
                f"A floor should be of a label. Found {name!r}.{suggestion(name, names)} "
                f"The labels: {listed(names, 12)}."
            )
        if not 0 <= floor <= 1:
            raise ValueError(f"The least AUC of {name!r} should be from 0 to 1. Found {floor!r}.")


def check_gap(most: float, n_labels: int) -> None:
    """It should be a difference of AUCs, of which there are some."""
    if not 0 <= most <= 1:
        raise ValueError(f"The largest gap should be from 0 to 1. Found {most!r}.")
    if n_labels < 2:
        raise ValueError("A gap is between labels. Found one label; name two or more.")


def _dictators(audit: Audit) -> Iterator[str]:
    if not audit.dictated:
        return
    worst = min(audit.dictated, key=gravity)
    more = len(audit.dictated) - 1
    yield say(
        "failed: dictators" if more else "failed: dictator",
        winner=short(worst.winner or ""),
        loser=short(worst.loser or ""),
        won=share_won(worst.won),
        pairs=several(more, "more pair"),
    )


def _drift(drift: Drift | None) -> Iterator[str]:
    if drift is None or not drift.moved:
        return
    fell = fallen(drift)
    others = [move for move in drift.moved if move not in fell]
    moves = [move.sentence().removesuffix(".") for move in [*fell, *others]]
    moves = [f"{text[:1].lower()}{text[1:]}" for text in moves]
    yield say("failed: drift", moves=listed(moves, MOST_MOVES))


def _under(audit: Audit, floors: Mapping[str, float]) -> Iterator[str]:
    for name, floor in floors.items():
        auc = audit.labels[audit.names.index(name)].auc
        given = {"label": short(name), "auc": auc, "floor": f"{floor:g}"}
        if math.isnan(auc.value):
            yield say("failed: no auc", **given)
        elif auc.value < floor:
            yield say("failed: under", **given)


def _gap(audit: Audit, most: float | None) -> Iterator[str]:
    if most is None:
        return
    if math.isnan(audit.diff.value):
        yield say("failed: no gap", most=f"{most:g}")
    elif audit.diff.value > most:
        yield say("failed: gap", gap=audit.diff, most=f"{most:g}")
