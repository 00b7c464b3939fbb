"""Gradients and AUCs over the pairs of all workers' rows, each of which sees its own only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Objective,
    Preferences,
    labels_of_packed,
    nothing_to_learn,
    sum_codes,
)
from isonomy._pairsums import (
    CellMoments,
    PooledTerms,
    PreferenceLoss,
    find_surrogate,
    fitting_width,
    scaling_exponent,
    usual_width,
)
from isonomy.boosting._callback_arguments import CallbackArguments
from isonomy.boosting._derivatives import Derivatives, TopLoss, mix_weights, require_lists
from isonomy.boosting._world import World
from isonomy.surrogates import Surrogate


class WorldLoss:
    """As `BoostingLoss` or `TopLoss`, of the rows of all workers; some of them may have none."""

    def __init__(
        self,
        world: World,
        given: CallbackArguments,
        objective: Objective,
        surrogate: str,
        group_weight: GroupWeight,
        top: int | None,
    ) -> None:
        self.world, self.surrogate = world, find_surrogate(surrogate)
        self.own = np.ones(given.label.size) if given.weight is None else given.weight
        self.own = self.own.astype(np.float64)
        label = given.label.astype(np.float64).ravel()
        values, mass, squared = _everybodys_patterns(world, label, self.own)
        self.total = float(mass.sum())
        counted = mass > 0
        labels = replace(labels_of_packed(values[counted]), weight=mass[counted])
        wishes = objective.preferences(labels)
        above, below = (_dense(table)[wishes.codes] for table in wishes.tables)
        self.mix, mass = wishes.mix, mass[counted]
        # A row of no weight may have labels that nobody counts.
        place = np.searchsorted(values[counted], label)
        self.codes = np.where(self.own > 0, place, 0).clip(max=mass.size - 1).astype(np.int32)
        self.weight = np.ldexp(self.own, scaling_exponent(self.total))
        exponent = scaling_exponent(self.total)
        scaled, squared = np.ldexp(mass, exponent), np.ldexp(squared[counted], 2 * exponent)
        self.terms = PooledTerms(above, below, scaled, squared, self.mix, self.surrogate)
        self.local: PreferenceLoss | None = None
        self.lists: TopLoss | None = None
        self.grouped = world.any(given.grouped)
        check_groups_whole(world, given.group_id)
        if top is not None:
            self.lists = self._top_loss(given, above, below, group_weight, top)
            return
        if self.grouped:
            pairs = self._prepare_groups(given, above, below, group_weight)
        else:
            usual_width(self.surrogate)
            pairs = self.terms.ratio_pairs
        if np.isnan(self.mix.value(0.5 * pairs / pairs)):
            raise nothing_to_learn(wishes, pairs, name="label")

    def _prepare_groups(
        self,
        given: CallbackArguments,
        above: FloatArray,
        below: FloatArray,
        group_weight: GroupWeight,
    ) -> FloatArray:
        """Pairs inside groups are all here; only what they weigh beside others' is shared."""
        n_ratios = 1 if self.mix.pooled else above.shape[1]
        own = np.zeros(n_ratios)
        if self.codes.size:
            group = given.group(self.codes.size)
            wishes = Preferences(self.codes, above, below, self.mix)
            wishes = wishes.on(self.weight, group, group_weight, None)
            self.local = PreferenceLoss(wishes, self.surrogate)
            own = self.local.ratio_weight
        everybodys = self.world.total(own)
        self.share = np.divide(own, everybodys, out=np.zeros(n_ratios), where=everybodys > 0)
        return np.where(everybodys > 0, everybodys, np.nan)

    def _top_loss(
        self,
        given: CallbackArguments,
        above: FloatArray,
        below: FloatArray,
        group_weight: GroupWeight,
        top: int,
    ) -> TopLoss:
        """Lists are all here; what is shared are their number, their nDCGs and their weight."""
        require_lists(self.grouped)
        codes, group, own = self.codes, np.zeros(1, np.int64), self.own
        if codes.size:
            group = given.group(codes.size)
        else:
            # Whoever has no rows takes part with one that counts for nothing.
            codes, own = np.zeros(1, np.int32), np.zeros(1)
        # As `Items` scales them, because lists weigh by the logarithm of what they have.
        weight = np.ldexp(own, -np.frexp(self.world.highest(float(own.max())))[1])
        if not self.world.any(given.weight is not None) and self.codes.size:
            weight = None
        wishes = Preferences(codes, above, below, self.mix).on(weight, group, group_weight, None)
        return TopLoss(wishes, self.surrogate.name, top, own, everybodys=self.world.total)

    def at(self, scores: FloatArray) -> Derivatives:
        """What an engine needs for the next round."""
        if self.lists is not None:
            found = self.lists.at(scores if scores.size else np.zeros(1))
            n = scores.size
            return Derivatives(found.loss, found.gradient[:n], found.hessian[:n])
        if self.grouped:
            return self._inside_groups(scores)
        cells = self._cells(scores, self.surrogate)
        losses = self.terms.losses(cells)
        weights = mix_weights(self.mix, self.surrogate, losses) * self.total
        curved, terms = cells, self.terms
        if (other := self.surrogate.hessian_from) is not None:
            curved, terms = self._cells(scores, other), replace(terms, surrogate=other)
        gradient, hessian = (
            each.felt(source, weights, order).at(scores, self.codes, self.weight)
            for each, source, order in ((self.terms, cells, 1), (terms, curved, 2))
        )
        return Derivatives(-self.mix.value(-losses), gradient, np.maximum(hessian, 0.0))

    def _cells(self, scores: FloatArray, surrogate: Surrogate) -> CellMoments:
        lowest = self.world.lowest(float(scores.min(initial=np.inf)))
        highest = self.world.highest(float(scores.max(initial=-np.inf)))
        if highest - lowest > surrogate.max_range:
            raise ValueError(
                f"The {surrogate.name} surrogate overflows for scores that differ by more than "
                f"{surrogate.max_range:g}. Found a difference of {highest - lowest:g}. Use the "
                "logistic surrogate."
            )
        width = fitting_width(surrogate, lowest, highest)
        own = CellMoments.of(scores, self.codes, self.weight, self.terms.mass.size, width)
        return self.world.cells(own)

    def _inside_groups(self, scores: FloatArray) -> Derivatives:
        own = np.zeros_like(self.share)
        here = None if self.local is None else self.local.at(scores)
        if here is not None:
            own = np.nan_to_num(here.losses) * self.share
        losses = self.world.total(own)
        if here is None or self.local is None:
            return Derivatives(-self.mix.value(-losses), np.empty(0), np.empty(0))
        weights = mix_weights(self.mix, self.surrogate, losses) * self.total * self.share
        gradient = here.gradient(weights)
        hessian = self.local.curved_at(scores).hessian_diagonal(weights)
        return Derivatives(-self.mix.value(-losses), gradient, np.maximum(hessian, 0.0))


def check_groups_whole(world: World, group_id: NDArray[np.uint64] | None) -> None:
    """An error, the same for all workers, where a packed group lies in two of them."""
    if not world.any(group_id is not None):
        return
    own = np.empty(0, np.uint64) if group_id is None else np.unique(group_id)
    everybodys = world.gathered_groups(own)
    n_groups = len(np.unique(everybodys))
    if n_groups < len(everybodys):
        raise ValueError(
            "Each group should lie whole in one worker, because only pairs inside a group count. "
            f"Found {len(everybodys) - n_groups:,} more pieces than the {n_groups:,} groups. Bring "
            "the rows of a group together before training: `isonomy.dask.fit(..., groups=)` does "
            "so by itself, elsewhere repartition or shuffle the rows by the group."
        )


def _everybodys_patterns(
    world: World, label: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The packed labels that somebody has, in order; the sums of weights and of their squares."""
    values, own = np.unique(label, return_inverse=True)
    found, place = np.unique(world.gathered(values), return_inverse=True)
    mass, squared = (
        sum_codes(place, world.gathered(sum_codes(own, each, values.size)), found.size)
        for each in (weight, weight**2)
    )
    return found, mass, squared


def _dense(table: object) -> FloatArray:
    dense = table.toarray() if hasattr(table, "toarray") else table
    return np.asarray(dense, dtype=np.float64)
