"""The numbers of a comparison as records, whose fields have our names and not the user's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from isonomy._audit import Audit, audit
from isonomy._compare import Comparison, MethodResult
from isonomy._core import FloatArray, Items, LossAggregation
from isonomy._infra import short_names
from isonomy._render.report.origin import Origin
from isonomy.theory import effective_weights

Records: TypeAlias = list[dict[str, Any]]

# Points of all ROC curves together, so that the page's size does not depend on the data's.
ROC_POINTS = 2400
# Letters of a name in a chart: 'blend for the mean, linear + boosted' fits.
LONGEST_METHOD, LONGEST_LABEL = 36, 28
# Methods in a picture, and in one that has a square of all labels for each: the table has all.
MOST_METHODS, MOST_SQUARES = 12, 3
# Methods in a picture for each of many labels, and how many labels are many.
MOST_METHODS_EACH, MOST_COLOURED = 6, 6
# Pixels: of a letter in the trade-off, of that picture's inside on a desk and on a phone.
LETTER, DESK, PHONE = 6.2, 780, 300
# Pairs of labels from which there are squares.
MANY_PAIRS = 6


@dataclass(frozen=True, eq=False)
class Material:
    """What the page and the pictures are made of.

    Attributes
    ----------
    comparison : Comparison
        The methods, measured.
    items : Items
        The rows that were compared on: labels, weights and groups.
    origin : Origin
        Where it comes from.
    """

    comparison: Comparison
    items: Items
    origin: Origin

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names."""
        return self.comparison.names

    @property
    def good(self) -> list[MethodResult]:
        """The methods of the pictures: the best, the recommended one, the user's own, chance."""
        found = [method for method in self.comparison.methods if method.failed is None]
        best = {method.name for method in found[:MOST_METHODS]}
        return [
            method
            for method in found
            if method.name in best
            or method.name == self.comparison.recommended
            or method.kind in ("own", "chance")
        ]

    @property
    def mapped(self) -> bool:
        """Whether labels are too many for a colour each."""
        return len(self.names) > MOST_COLOURED

    @property
    def compared_in_squares(self) -> list[MethodResult]:
        """Where each has a square of all labels: the recommended one and the best others."""
        return self._best(MOST_SQUARES)

    @property
    def compared_by_label(self) -> list[MethodResult]:
        """Where each label has a picture of its own."""
        if self.mapped:
            return self._best(MOST_METHODS_EACH)
        return [each for each in self.good if each.kind != "chance"]

    def _best(self, most: int) -> list[MethodResult]:
        """The recommended one first, then the best others."""
        taken = self.comparison.recommended
        others = [each for each in self.good if each.kind != "chance" and each.name != taken]
        return [self.comparison[taken], *others[: most - 1]]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of labels."""
        return list(combinations(range(len(self.names)), 2))

    def short(self, name: str) -> str:
        """A name that fits into a chart; the whole one is in the tooltip."""
        return self._short[name]

    @cached_property
    def brief(self) -> dict[str, str]:
        """Labels' names that fit twice into a heading."""
        return short_names(self.names, 14)

    @cached_property
    def _short(self) -> dict[str, str]:
        methods = [method.name for method in self.comparison.methods]
        return {**short_names(methods, LONGEST_METHOD), **short_names(self.names, LONGEST_LABEL)}


@dataclass(frozen=True)
class PageRecords:
    """All records of a page, each computed once.

    Attributes
    ----------
    labels, aucs, conflicts, tops, curves : list of dict
        As `label_records`, `auc_records`, `conflict_records`, `top_records`, `roc_records`.
    lines : list of dict
        As `tradeoff_lines`.
    """

    labels: Records
    aucs: Records
    conflicts: Records
    tops: Records
    curves: Records
    lines: Records

    @classmethod
    def of(cls, material: Material) -> PageRecords:
        """From what the page is made of."""
        return cls(
            label_records(material),
            auc_records(material),
            conflict_records(material),
            top_records(material, audits(material)),
            roc_records(material),
            tradeoff_lines(material),
        )


def label_records(material: Material) -> Records:
    """Each label's prior and its share in the pull of equally weighted losses."""
    found = material.comparison
    shares = effective_weights(material.items, LossAggregation())
    return [
        {
            "label": material.short(name),
            "name": name,
            "prior": _number(prior),
            "missing": _number(missing),
            "share": _number(share),
            "order": k,
        }
        for k, (name, prior, missing, share) in enumerate(
            zip(material.names, found.priors, found.missing, shares, strict=True)
        )
    ]


def auc_records(material: Material) -> Records:
    """One per method and label, and one per method for the smallest AUC."""
    records = []
    for order, method in enumerate(material.good):
        base = _method_base(material, method, order)
        for k, name in enumerate(material.names):
            records.append(
                {
                    **base,
                    "label": material.short(name),
                    "name": name,
                    "auc": _number(method.aucs.mean[k]),
                    "low": _number(method.aucs.low[k]),
                    "high": _number(method.aucs.high[k]),
                }
            )
    return records


def conflict_records(material: Material) -> Records:
    """One per method and pair of labels: the share of conflicts that the first label wins."""
    records, brief = [], material.brief
    many = len(material.pairs) > MANY_PAIRS
    for order, method in enumerate(material.compared_in_squares if many else material.good):
        if method.kind == "chance":
            continue
        for k, j in material.pairs:
            won = method.conflicts.mean[k, j]
            if np.isnan(won):
                continue
            winner = material.names[k if won >= 0.5 else j]
            records.append(
                {
                    **_method_base(material, method, order),
                    "pair": f"{brief[material.names[k]]} over {brief[material.names[j]]}",
                    "first": material.names[k],
                    "second": material.names[j],
                    "won": _number(won),
                    "low": _number(method.conflicts.low[k, j]),
                    "high": _number(method.conflicts.high[k, j]),
                    "verdict": str(method.verdicts[k][j]),
                    "winner": winner,
                }
            )
    return records


def audits(material: Material) -> dict[str, Audit]:
    """Each method's out-of-fold ranking, audited."""
    found = {}
    shown = {method.name for method in material.compared_by_label}
    for i, method in enumerate(material.comparison.methods):
        scores = material.comparison.scores[i]
        tested = ~np.isnan(scores)
        if method.name in shown and tested.any():
            rows = material.items.take(np.flatnonzero(tested))
            found[method.name] = audit(rows, scores[tested], names=material.names)
    return found


def top_records(material: Material, audited: dict[str, Audit]) -> Records:
    """One per method, label and top: the share of positives there."""
    records = []
    for order, method in enumerate(material.compared_by_label):
        labels = audited[method.name].labels if method.name in audited else ()
        for k, label in enumerate(labels):
            records += [
                {
                    **_method_base(material, method, order),
                    "label": material.short(label.name),
                    "name": label.name,
                    "k": k,
                    "top": f"{top.fraction:.0%}",
                    "share": _number(top.share.value),
                    "low": _number(top.share.low),
                    "high": _number(top.share.high),
                    "prior": _number(label.prior.value),
                }
                for top in label.top
            ]
    return records


def roc_records(material: Material) -> Records:
    """Points of each method's ROC curve for each label, thinned where the curve is straight."""
    from sklearn.metrics import roc_curve

    records = []
    labels, weights = material.items.labels.table, material.items.sample_weight
    curves = max(len(material.good) * len(material.names), 1)
    places = max(ROC_POINTS // curves, 25)
    # Dense at the left, where rankings are looked at.
    grid = np.linspace(0, 1, places) ** 2
    for order, method in enumerate(material.good):
        scores = material.comparison.scores[material.comparison.methods.index(method)]
        for k, name in enumerate(material.names):
            y = labels[:, k]
            known = ~np.isnan(y) & ~np.isnan(scores)
            weight = None if weights is None else weights[known]
            if np.unique(y[known]).size < 2:
                continue
            false, true, _ = roc_curve(y[known], scores[known], sample_weight=weight)
            base = _method_base(material, method, order)
            for x, height in zip(grid, np.interp(grid, false, true), strict=True):
                records.append(
                    {
                        "method": base["method"],
                        "recommended": base["recommended"],
                        "label": material.short(name),
                        "k": k,
                        "x": round(float(x), 4),
                        "y": round(float(height), 4),
                    }
                )
    return records


def tradeoff_lines(material: Material) -> Records:
    """For each pair of labels: the points that its slider goes through, and the methods."""
    lines = []
    for tradeoff in material.comparison.tradeoffs:
        if tradeoff.labels is None:
            continue
        k, j = tradeoff.labels
        if np.isnan(tradeoff.aucs[:, [k, j]]).any():
            # The split that it was traced on has no positives, or no negatives, to place it by.
            continue
        points = []
        for i, weights in enumerate(tradeoff.weights):
            points.append(
                {
                    "x": _number(tradeoff.aucs[i, k]),
                    "y": _number(tradeoff.aucs[i, j]),
                    "aucs": [_number(auc) for auc in tradeoff.aucs[i]],
                    "low": [_number(auc) for auc in tradeoff.low[i]],
                    "high": [_number(auc) for auc in tradeoff.high[i]],
                    "conflict": _number(tradeoff.conflicts[i, k, j]),
                    "pull": [_number(share) for share in tradeoff.effective[i]],
                    "front": bool(tradeoff.on_front[i]),
                    "order": i,
                    "command": material.origin.mix_command(weights),
                }
            )
        # Of the split that the line was traced on, so that all stands in the same picture.
        found = material.comparison
        index = [found.methods.index(method) for method in material.good]
        x, y = found.split_aucs[index, 0, k], found.split_aucs[index, 0, j]
        # Names stand inside the picture, on the side where there is room.
        along = np.append(x, tradeoff.aucs[:, k])
        left = x > (along.min() + along.max()) / 2
        methods = [
            {
                **_method_base(material, method, order),
                "x": _number(x[order]),
                "y": _number(y[order]),
                "left": bool(left[order]),
            }
            for order, method in enumerate(material.good)
        ]
        _name_apart("text", methods, points, DESK)
        _name_apart("narrow", methods, points, PHONE)
        # Drawn last, so that no other covers it.
        methods.sort(key=lambda each: bool(each["recommended"]))
        lines.append(
            {
                "first": material.names[k],
                "second": material.names[j],
                "points": points,
                "methods": methods,
                "axes": [
                    {
                        "x": f"AUC of {material.short(material.names[k])}",
                        "y": f"AUC of {material.short(material.names[j])}",
                    }
                ],
                "start": _most_equal(tradeoff.effective[:, [k, j]]),
            }
        )
    return lines


def _method_base(material: Material, method: MethodResult, order: int) -> dict[str, Any]:
    return {
        "method": material.short(method.name),
        "whole": method.name,
        "order": order,
        "recommended": method.name == material.comparison.recommended,
    }


def _name_apart(key: str, methods: Records, points: Records, width: float) -> None:
    """Give those methods a text that have room for it, the recommended one first."""
    x, y = ([each[axis] for each in [*methods, *points]] for axis in ("x", "y"))
    wide, high = (max(np.ptp(each), 1e-9) for each in (x, y))
    taken: list[tuple[float, float, float]] = []
    for each in sorted(methods, key=lambda each: not each["recommended"]):
        place = (each["x"] - min(x)) / wide * width
        length = LETTER * (len(each["method"]) + 2)
        start, end = (place - length, place) if each["left"] else (place, place + length)
        free = (
            start > -LETTER
            and end < width + LETTER
            and not any(
                start < other_end and other_start < end and abs(each["y"] - height) < high / 20
                for other_start, other_end, height in taken
            )
        )
        each[key] = each["method"] if free else ""
        if free:
            taken.append((start, end, each["y"]))


def _most_equal(shares: FloatArray) -> int:
    """The point at which both labels have about the same pull."""
    return int(np.abs(shares[:, 0] - shares[:, 1]).argmin())


def _number(value: Any) -> float | None:
    """Five digits are more than a picture shows; JSON has no NaN."""
    number = float(value)
    return round(number, 5) if np.isfinite(number) else None
