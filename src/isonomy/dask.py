"""Dask: exact metrics, intervals, audits and training on data frames in partitions.

Dask's own graph does the work: partitions answer small questions where they are, and answers are
joined as a tree. With a client, on its cluster; without one, in this process.

>>> import dask.dataframe as dd
>>> import isonomy as iso
>>> import pandas as pd
>>> table = pd.DataFrame({"s": [0.1, 0.4, 0.35, 0.8], "click": [0, 0, 1, 1]})
>>> frame = dd.from_pandas(table, npartitions=2)
>>> iso.dask.label_aucs(frame, score="s", labels="click")
array([0.75])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isonomy._core import AnyArray
from isonomy._frames import Frames, Question, ReadRows, fit_boosted, scores_of
from isonomy._infra import require
from isonomy._rankers.linear import PartRows

__all__ = [
    "auc_intervals",
    "audit",
    "conflict_aucs",
    "fit",
    "label_aucs",
    "objective_auc",
    "rank",
    "sketch",
]

# Answers that are joined at a time.
_FAN_IN = 8


def _dask() -> Any:
    return require("dask", "dask", "isonomy.dask")


@dataclass(frozen=True, eq=False)
class DaskFrame:
    """A Dask data frame, as an `EngineFrame`."""

    frame: Any

    @classmethod
    def of(cls, frame: Any) -> DaskFrame:
        """Refuse what is no Dask data frame."""
        require("dask.dataframe", "dask", "isonomy.dask")
        if not hasattr(frame, "to_delayed") or not hasattr(frame, "columns"):
            raise TypeError(
                f"Parameter `frame` should be a Dask data frame. Found {type(frame).__name__}; "
                "make one by `dask.dataframe.from_pandas` or `read_parquet`."
            )
        return cls(frame)

    @property
    def columns(self) -> list[str]:
        """Names of its columns."""
        return [str(name) for name in self.frame.columns]

    def counts(self, names: list[str], check: Callable[[int], None]) -> dict[str, AnyArray]:
        """Dask's own group-by, in as many pieces as no worker has to hold all of it."""
        grouped = self.frame[names].groupby(names, dropna=False, observed=True, sort=False)
        pieces = max(1, self.frame.npartitions // _FAN_IN)
        counted = grouped.size(split_out=pieces).persist()
        check(len(counted))
        table = counted.compute().reset_index(name="isonomy n")
        return _columns(table, [*names, "isonomy n"])

    def ask(self, names: list[str], question: Question[Any]) -> Any:
        """One pass over the partitions."""
        delayed, shared = _dask().delayed, _dask().delayed(question, pure=True)
        parts = self.frame[names].to_delayed()
        return _joined([delayed(_answer)(shared, part, names) for part in parts])

    def partitions(self, read: ReadRows, together: str | None) -> DaskPartitions:
        """Rows as arrays, kept where they are."""
        frame = self.frame[read.names]
        if together is not None:
            frame = frame.shuffle(on=together)
        delayed = _dask().delayed
        rows = [delayed(_read)(read, part) for part in frame.to_delayed()]
        return DaskPartitions(list(_dask().persist(*rows)))

    def scored(self, ranker: Any, name: str) -> Any:
        """Partition by partition, when it is asked for."""
        meta = self.frame._meta.assign(**{name: np.empty(0)})
        return self.frame.map_partitions(_with_scores, ranker, name, meta=meta)


@dataclass(eq=False)
class DaskPartitions:
    """Rows of partitions that Dask keeps; what is lost with a worker is computed again.

    Attributes
    ----------
    rows : list of Delayed
    asked : int
        How many questions there were.
    """

    rows: list[Any]
    asked: int = field(default=0)

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        """Ask every partition."""
        self.asked += 1
        delayed = _dask().delayed
        shared = delayed(question, pure=False)
        return _joined([delayed(_ask)(shared, rows) for rows in self.rows])


def _joined(answers: list[Any]) -> Any:
    """The answer of all, joined a few at a time where the partitions are."""
    delayed = _dask().delayed
    while len(answers) > 1:
        groups = [answers[k : k + _FAN_IN] for k in range(0, len(answers), _FAN_IN)]
        answers = [delayed(_join)(group) for group in groups]
    return answers[0].compute()


def _join(answers: list[Any]) -> Any:
    return type(answers[0]).joined(answers)


def _ask(question: Callable[[PartRows], Any], rows: PartRows) -> Any:
    return question(rows)


def _answer(question: Question[Any], part: Any, names: list[str]) -> Any:
    return question(_columns(part, names))


def _read(read: ReadRows, part: Any) -> PartRows:
    return read(_columns(part, read.names))


def _columns(table: Any, names: list[str]) -> dict[str, AnyArray]:
    """A pandas table's columns; missing values of its own types as NaN."""
    found = {}
    for name in names:
        column = table[name]
        kind = getattr(column.dtype, "kind", "O")
        if kind in "biuf" and not isinstance(column.dtype, np.dtype):
            # Whole numbers as they are: as floats, large ids would be taken for one another.
            whole = kind in "iu" and not column.hasnans
            given = {"dtype": np.dtype(kind + "8")} if whole else {"na_value": np.nan}
            found[name] = column.to_numpy(**{"dtype": np.float64, **given})
        else:
            found[name] = column.to_numpy()
    return found


def _with_scores(part: Any, ranker: Any, name: str) -> Any:
    return part.assign(**{name: scores_of(ranker, part)})


_frames = Frames(DaskFrame.of, fit_boosted)

sketch = _frames.sketch
label_aucs = _frames.label_aucs
objective_auc = _frames.objective_auc
conflict_aucs = _frames.conflict_aucs
auc_intervals = _frames.auc_intervals
audit = _frames.audit
fit = _frames.fit
rank = _frames.rank
