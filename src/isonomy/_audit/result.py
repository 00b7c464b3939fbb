"""What an audit finds: plain numbers, computed elsewhere and rendered elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isonomy._audit import gates, json_format, view
from isonomy._audit.drift import Drift, drift
from isonomy._audit.estimate import Estimate
from isonomy._audit.top_ranks import TopRanks
from isonomy._audit.verdicts import Conflict, LabelVerdict, mirrored
from isonomy._core import FloatArray
from isonomy._infra import LazyModule

if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars", "cli", "`Audit.to_frame`")


@dataclass(frozen=True)
class TopShare:
    """The top of the ranking for one label.

    Attributes
    ----------
    fraction : float
        How much of the ranking: 0.01 for the top 1%.
    share : Estimate
        Share of positives there, among the rows whose label is observed.
    lift : float
        That share divided by the label's prior.
    recall : float
        Share of all the label's positives that are there.
    """

    fraction: float
    share: Estimate
    lift: float
    recall: float


@dataclass(frozen=True)
class LabelAudit:
    """What the ranking does for one label.

    Attributes
    ----------
    name : str
        The label.
    prior : Estimate
        Share of positives among the rows whose label is observed.
    missing : float
        Share of the rows whose label is not observed.
    positives, negatives : int
        Rows.
    auc : Estimate
        NaN where the label has one class only.
    verdict : {"above chance", "not above chance", "backwards", "undefined"}
        By the interval of the AUC: surely above 1/2, holding it, surely below it.
    effective_weight : Estimate
        The label's share in the pull on the ranking under equal loss weights.
    undo_weight : float
        Its weight in the `LossAggregation` that gives all labels the same pull.
    top : tuple of TopShare
        Of the top 1, 5, 10 and 20%.
    """

    name: str
    prior: Estimate
    missing: float
    positives: int
    negatives: int
    auc: Estimate
    verdict: LabelVerdict
    effective_weight: Estimate
    undo_weight: float
    top: tuple[TopShare, ...]


@dataclass(frozen=True)
class Segment:
    """One segment's name, and its audit."""

    name: str
    audit: Audit


@dataclass(frozen=True)
class SegmentTest:
    """Is an AUC the same in all segments?

    Attributes
    ----------
    labels : tuple of str
        One label, or two whose conflict AUC is tested.
    n_segments : int
        Segments with enough data to take part.
    statistic, p_value : float
        Welch's test of independent AUCs on the logit scale.
    holm : float
        The p-value corrected for the number of tests.
    differs : bool
        Whether the segments differ beyond chance: holm < 1 - level.
    lowest, highest : str
        The segments with the lowest and the highest AUC.
    """

    labels: tuple[str, ...]
    n_segments: int
    statistic: float
    p_value: float
    holm: float
    differs: bool
    lowest: str
    highest: str


@dataclass(frozen=True)
class Audit:
    """Whether one label dictates a ranking, and how each label is served.

    Print it, or show it in a notebook. All intervals are at `level`.

    Attributes
    ----------
    n_rows : int
        Rows that were looked at.
    n_groups : int or None
        Groups, where only pairs inside groups count.
    n_clusters : int or None
        Clusters, where rows vary together.
    level : float
        Confidence level of all intervals and tests.
    labels : tuple of LabelAudit
        One per label.
    diff, minimum : Estimate
        The gap between the largest and the smallest AUC, and the smallest AUC, of the
        labels that have one.
    conflicts : tuple of Conflict
        One per pair of labels, with its verdict.
    top_ranks : TopRanks or None
        With groups: nDCG of each label, and who wins the conflicts, in each group's first ranks.
    segments : tuple of Segment
        With `by`: an audit per segment, the largest segment first.
    segment_tests : tuple of SegmentTest
        With `by`: whether segments differ beyond chance, per label and per pair.
    notes : tuple of str
        What to know before trusting the numbers.

    Examples
    --------
    >>> import isonomy as iso
    >>> log = iso.datasets.make_search_log()
    >>> found = iso.audit(log.Y, log.eta @ [1, 25], names=["relevant", "recent"])
    >>> found.conflicts[0].verdict, found.conflicts[0].winner
    ('dictated', 'recent')
    >>> found.to_frame().shape[0]
    2
    """

    n_rows: int
    n_groups: int | None
    n_clusters: int | None
    level: float
    labels: tuple[LabelAudit, ...]
    diff: Estimate
    minimum: Estimate
    conflicts: tuple[Conflict, ...]
    top_ranks: TopRanks | None = None
    segments: tuple[Segment, ...] = ()
    segment_tests: tuple[SegmentTest, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names."""
        return tuple(label.name for label in self.labels)

    @property
    def aucs(self) -> FloatArray:
        """AUC of each label, (K,)."""
        return np.array([label.auc.value for label in self.labels])

    @property
    def conflict_aucs(self) -> FloatArray:
        """Conflict AUCs [k, l] as `isonomy.conflict_aucs` gives them, (K, K)."""
        return self._matrix("value")

    @property
    def conflict_low(self) -> FloatArray:
        """Their lower bounds."""
        return self._matrix("low")

    @property
    def conflict_high(self) -> FloatArray:
        """Their upper bounds."""
        return self._matrix("high")

    @property
    def undo_weights(self) -> tuple[float, ...]:
        """Weights for `LossAggregation` that give all labels the same pull; their mean is 1."""
        return tuple(label.undo_weight for label in self.labels)

    @property
    def dictated(self) -> tuple[Conflict, ...]:
        """The conflicts in which one label dictates to the other."""
        return tuple(each for each in self.conflicts if each.verdict == "dictated")

    @property
    def backwards(self) -> tuple[LabelAudit, ...]:
        """The labels that the ranking surely turns upside down (AUC below 1/2), the worst first."""
        found = (label for label in self.labels if label.verdict == "backwards")
        return tuple(sorted(found, key=lambda label: label.auc.value))

    @property
    def not_above_chance(self) -> tuple[LabelAudit, ...]:
        """The labels that a constant score may serve as well: AUC interval with 1/2 in it."""
        return tuple(label for label in self.labels if label.verdict == "not above chance")

    def summary(self, drift: Drift | None = None) -> str:
        """What was found and what to do next, in plain words.

        Parameters
        ----------
        drift : Drift, optional
            What has moved since an earlier audit, from `drift`: what fell is then among what
            was found, and the next step goes by it.
        """
        return view.text(self, drift)

    def failures(
        self,
        *,
        dictator: bool = False,
        under: Mapping[str, float] | None = None,
        max_gap: float | None = None,
        drift: Drift | None = None,
    ) -> tuple[str, ...]:
        """Why this ranking should not pass, a line each; nothing where it should.

        Parameters
        ----------
        dictator : bool
            Whether a label may not dictate to another.
        under : mapping of str to float, optional
            The least AUC (the estimate, not its interval) of the labels named.
        max_gap : float, optional
            The most that the largest AUC may be above the smallest (estimates).
        drift : Drift, optional
            Nothing in it may have moved beyond chance.

        Examples
        --------
        >>> import isonomy as iso
        >>> log = iso.datasets.make_search_log()
        >>> found = iso.audit(log.Y, log.eta[:, 1], names=["relevant", "recent"])
        >>> for reason in found.failures(under={"relevant": 0.7}):
        ...     print(reason)
        the AUC of relevant is 0.498..., below 0.7.
        """
        return gates.failures(self, dictator=dictator, under=under, max_gap=max_gap, drift=drift)

    def to_frame(self) -> pl.DataFrame:
        """One row per label, as a polars data frame; with `by`, one per segment and label."""
        return pl.DataFrame(view.records(self), infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """All of it as one JSON document: no NaN (None instead), with a schema version."""
        return json_format.to_dict(self)

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Audit:
        """The audit that `to_dict` wrote."""
        return json_format.from_dict(document)

    def drift(self, earlier: Audit | Mapping[str, Any]) -> Drift:
        """What has moved beyond chance since an earlier audit of other rows.

        Parameters
        ----------
        earlier : Audit or dict
            An audit, or what its `to_dict` gave.
        """
        return drift(self, earlier if isinstance(earlier, Audit) else Audit.from_dict(earlier))

    def _matrix(self, what: str) -> FloatArray:
        matrix = np.full((len(self.labels), len(self.labels)), np.nan)
        where = {name: k for k, name in enumerate(self.names)}
        for conflict in self.conflicts:
            k, j = where[conflict.first], where[conflict.second]
            matrix[k, j] = getattr(conflict.auc, what)
            matrix[j, k] = getattr(mirrored(conflict.auc), what)
        return matrix

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str | None:
        return view.html(self)
