"""What to do about an audit, the gravest first: the sentences after 'Next'."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from isonomy._audit.relations import Relation
from isonomy._audit.sentences import say
from isonomy._audit.verdicts import CONSTANT, Conflict
from isonomy._audit.wording import (
    MOST_PAIRS,
    at_chance,
    fallen,
    gravity,
    local_findings,
    perhaps_at_chance,
    short,
)
from isonomy._infra import listed

if TYPE_CHECKING:
    from isonomy._audit.drift import Drift
    from isonomy._audit.result import Audit

# Pulls closer than this are equal.
LIKE = 1.1


def next_steps(audit: Audit, drift: Drift | None = None) -> list[str]:
    """One step per kind of finding; where nothing was found, that."""
    return [*_about_levels(audit, drift), *_about_pairs(audit), *_about_the_rest(audit, drift)] or [
        say("nothing")
    ]


def _about_levels(audit: Audit, drift: Drift | None) -> Iterator[str]:
    """Labels that the ranking does not serve, and those that it serves worse than before."""
    excluded, mirrored = _beside(audit, "exclusive"), _beside(audit, "opposite")
    backwards = [label.name for label in audit.backwards]
    odd = [name for name in backwards if name not in excluded and name not in mirrored]
    if odd:
        yield say("turn around", labels=_names(odd))
    excluded |= _held_down(audit)
    if excluded:
        served = dict.fromkeys(name for names in excluded.values() for name in names)
        key = "decide the order" if _one_label_each(audit) else "excluded"
        yield say(key, labels=_names(excluded), served=_names(served))
    fell = [move.labels[0] for move in fallen(drift)]
    if fell:
        yield say("what changed", labels=_names(fell))
    blind = {label.name for label in at_chance(audit)}
    blind |= {each.loser or "" for each in audit.conflicts if each.verdict == "not predicted"}
    # Whatever served a label before it fell is known already.
    blind -= {
        *fell,
        *excluded,
        *(label.name for label in [*audit.backwards, *perhaps_at_chance(audit)]),
    }
    if blind:
        yield say("find features", labels=_names(name for name in audit.names if name in blind))


def _beside(audit: Audit, relation: Relation) -> dict[str, list[str]]:
    """Labels ranked backwards, each with the served ones to which it stands in this relation."""
    served = {label.name for label in audit.labels if label.verdict == "above chance"}
    backwards = {label.name for label in audit.backwards}
    found: dict[str, list[str]] = {}
    for each in audit.conflicts:
        for name, other in ((each.first, each.second), (each.second, each.first)):
            if each.relation == relation and name in backwards and other in served:
                found.setdefault(name, []).append(other)
    return found


def _held_down(audit: Audit) -> dict[str, list[str]]:
    """Labels at chance that the ranking knows, each with the served ones that exclude it.

    Of a label's negatives a share u has the other label, and stands above its positives in a
    share w of the pairs. Without these its AUC is (AUC - u (1 - w)) / (1 - u).
    """
    labels = {label.name: label for label in audit.labels}
    served = {name for name, label in labels.items() if label.verdict == "above chance"}
    found = {}
    for label in at_chance(audit) if audit.n_groups is None else []:
        others, share, above = [], 0.0, 0.0
        for each in audit.conflicts:
            names = (each.first, each.second)
            other = names[names[0] == label.name]
            if each.relation != "exclusive" or label.name not in names or other not in served:
                continue
            if label.missing or labels[other].missing:
                continue
            u = labels[other].prior.value / (1 - label.prior.value)
            others.append(other)
            share += u
            above += u * (each.auc.value if each.first == label.name else 1 - each.auc.value)
        if others and share < 1 and (label.auc.low - above) / (1 - share) > CONSTANT:
            found[label.name] = others
    return found


def _about_pairs(audit: Audit) -> Iterator[str]:
    opposites = [each for each in audit.conflicts if each.relation == "opposite"]
    if opposites:
        yield say("choose one", pairs=_pairs(opposites))
    # Whoever is upside down is to be turned round first, unless somebody dictates to it.
    backwards = {label.name for label in audit.backwards}
    skewed = [
        each
        for each in sorted(audit.conflicts, key=gravity)
        if each.verdict == "dictated" or (each.verdict == "leaning" and each.loser not in backwards)
        if each not in opposites
    ]
    # Of labels of which each row has one, those that are ranked low have been told.
    if skewed and not _one_label_each(audit):
        yield " ".join([_about_weights(audit, skewed[0]), *_likewise(skewed)])
    where = dict.fromkeys(name for names in local_findings(audit).values() for name in names)
    if where:
        yield say("look there", where=_names(where))


def _one_label_each(audit: Audit) -> bool:
    """Whether every row has exactly one of the labels, so that their sum says nothing."""
    exclusive = all(each.relation == "exclusive" for each in audit.conflicts)
    priors = math.fsum(label.prior.value for label in audit.labels)
    missing = any(label.missing for label in audit.labels)
    return exclusive and not missing and math.isclose(priors, 1.0, rel_tol=1e-9)


def _likewise(skewed: list[Conflict]) -> list[str]:
    """Others who win as surely, over whomever they win."""
    worst = skewed[0]
    others = [
        f"{short(each.winner or '')} over {short(each.loser or '')}"
        for each in skewed
        if each.verdict == worst.verdict and each.winner != worst.winner
    ]
    return [say("likewise", pairs=listed(others, MOST_PAIRS))] if others else []


def _about_weights(audit: Audit, worst: Conflict) -> str:
    labels = {label.name: label for label in audit.labels}
    pulls = [labels[name or ""].effective_weight.value for name in (worst.winner, worst.loser)]
    ratio = pulls[0] / pulls[1]
    names = {"winner": short(worst.winner or ""), "loser": short(worst.loser or "")}
    if ratio > LIKE:
        weights = ", ".join(f"{weight:.3g}" for weight in audit.undo_weights)
        return say("try weights", **names, weights=weights, ratio=f"{ratio:.2g}")
    return say("not by weights" if ratio < 1 / LIKE else "try aggregation", **names)


def _about_the_rest(audit: Audit, drift: Drift | None) -> Iterator[str]:
    """What more rows would tell, and what else has changed."""
    unsure = perhaps_at_chance(audit)
    if unsure:
        yield say("more positives", labels=_names(label.name for label in unsure))
    undefined = [label.name for label in audit.labels if label.verdict == "undefined"]
    mixed = {label.name for label in audit.labels if label.positives and label.negatives}
    inside = [name for name in undefined if name in mixed and audit.n_groups is not None]
    if inside:
        yield say("both classes inside", labels=_names(inside))
    if rest := [name for name in undefined if name not in inside]:
        yield say("both classes", labels=_names(rest))
    undecided = [
        each
        for each in audit.conflicts
        if each.verdict == "undecided" and not {each.first, each.second} & {*undefined}
    ]
    if any(each.relation != "apart" for each in undecided):
        yield say("more conflicts")
    never = [each for each in undecided if each.relation == "apart"]
    if never:
        yield say("observed together", pairs=_pairs(never))
    moved = [] if drift is None else drift.moved
    priors = [move.labels[0] for move in moved if move.what == "prior"]
    if priors:
        yield say("prior changed", labels=_names(priors))
    pairs = [" and ".join(map(short, move.labels)) for move in moved if move.what == "conflict"]
    if pairs:
        yield say("conflicts changed", pairs=listed(pairs, MOST_PAIRS))


def _pairs(conflicts: list[Conflict]) -> str:
    pairs = [f"{short(each.first)} and {short(each.second)}" for each in conflicts]
    return listed(pairs, MOST_PAIRS)


def _names(names: Iterable[str]) -> str:
    return listed([short(name) for name in names], MOST_PAIRS)
