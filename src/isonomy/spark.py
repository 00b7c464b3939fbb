"""Spark: exact metrics, intervals, audits and training on data frames in partitions.

Spark's own group-by counts, and `mapInArrow` brings questions to the partitions; no scheduler,
socket or thread is Isonomy's. Executors need Isonomy installed.

    import isonomy as iso
    from pyspark.sql import SparkSession

    frame = SparkSession.builder.getOrCreate().read.parquet("scored/")
    iso.spark.audit(frame, score="s", labels=["click", "buy"])
    model = iso.spark.fit(iso.LinearRanker(), frame, features=["x", "z"], labels=["click", "buy"])
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from isonomy._core import AnyArray
from isonomy._frames import Frames, Question, ReadRows, scores_of
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

# More answers than this are joined on executors first.
_FAN_IN = 32
_SCHEMA = "answer binary"


@dataclass(frozen=True, eq=False)
class SparkFrame:
    """A Spark data frame, as an `EngineFrame`."""

    frame: Any

    @classmethod
    def of(cls, frame: Any) -> SparkFrame:
        """Refuse what is no Spark data frame."""
        require("pyspark", "spark", "isonomy.spark")
        if not hasattr(frame, "mapInArrow"):
            raise TypeError(
                f"Parameter `frame` should be a Spark data frame. Found {type(frame).__name__}; "
                "make one by `spark.createDataFrame` or `spark.read.parquet`."
            )
        return cls(frame)

    @property
    def columns(self) -> list[str]:
        """Names of its columns."""
        return list(self.frame.columns)

    def counts(self, names: list[str], check: Callable[[int], None]) -> dict[str, AnyArray]:
        """Spark's own group-by."""
        chosen = [_quoted(name) for name in names]
        counted = self.frame.select(*chosen).groupBy(*chosen).count().persist()
        try:
            check(counted.count())
            table = counted.toArrow()
        finally:
            counted.unpersist()
        # Columns by their places: one of the frame's may be named 'count', too.
        arrays = [_array(table.column(place)) for place in range(len(names) + 1)]
        return dict(zip([*names, "isonomy n"], arrays, strict=True))

    def ask(self, names: list[str], question: Question[Any]) -> Any:
        """One pass over the partitions."""
        frame = self._columns(names)
        return _asked(frame, _Columns(names, question), frame.rdd.getNumPartitions())

    def partitions(self, read: ReadRows, together: str | None) -> SparkPartitions:
        """Rows that Spark keeps as it sees fit."""
        frame = self._columns(read.names)
        if together is not None:
            frame = frame.repartition(_place(read.names.index(together)))
        return SparkPartitions(frame.persist(), read)

    def scored(self, ranker: Any, name: str) -> Any:
        """Batch by batch, when it is asked for."""
        from pyspark.sql.types import DoubleType, StructField, StructType

        schema = StructType([*self.frame.schema.fields, StructField(name, DoubleType())])
        names = self.columns

        def score(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                yield _with_scores(batch.rename_columns(names), ranker, name)

        return self.frame.toDF(*map(_place, range(len(names)))).mapInArrow(score, schema)

    def _columns(self, names: list[str]) -> Any:
        """Some columns, named by their places: `mapInArrow` takes no name with a dot or quote."""
        return self.frame.select(*map(_quoted, names)).toDF(*map(_place, range(len(names))))


@dataclass(eq=False)
class SparkPartitions:
    """Rows of partitions, asked again and again.

    Attributes
    ----------
    frame : pyspark.sql.DataFrame
        Persisted; what is lost with an executor is computed again.
    read : ReadRows
    asked : int
        How many questions there were.
    """

    frame: Any
    read: ReadRows
    asked: int = field(default=0)

    @cached_property
    def n_parts(self) -> int:
        """How many partitions there are, which Spark has to plan for to know."""
        return int(self.frame.rdd.getNumPartitions())

    def ask(self, question: Callable[[PartRows], Any]) -> Any:
        """Ask every partition."""
        self.asked += 1
        return _asked(self.frame, _Rows(self.read, question), self.n_parts)

    def __del__(self) -> None:
        # The session may be gone.
        with contextlib.suppress(Exception):
            self.frame.unpersist()


@dataclass(frozen=True, eq=False)
class _Columns:
    """A question to columns."""

    names: list[str]
    question: Question[Any]

    def __call__(self, columns: dict[str, AnyArray]) -> Any:
        return self.question(columns)


@dataclass(frozen=True, eq=False)
class _Rows:
    """A question to rows."""

    read: ReadRows
    question: Callable[[PartRows], Any]

    @property
    def names(self) -> list[str]:
        return self.read.names

    def __call__(self, columns: dict[str, AnyArray]) -> Any:
        return self.question(self.read(columns))


def _asked(frame: Any, question: Any, n_parts: int) -> Any:
    """The joined answers of all partitions, none of which is read by the driver."""
    sent = pickle.dumps(question)

    def answer(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        asked = pickle.loads(sent)
        kept = [batch for batch in batches if batch.num_rows]
        columns = _no_rows(asked.names)
        if kept:
            table = pa.Table.from_batches(kept)
            columns = {name: _array(table.column(k)) for k, name in enumerate(asked.names)}
        yield _as_batch(asked(columns))

    answers = frame.mapInArrow(answer, _SCHEMA)
    if n_parts > _FAN_IN:
        answers = answers.repartition(-(-n_parts // _FAN_IN)).mapInArrow(_join_batches, _SCHEMA)
    found = [pickle.loads(each.as_py()) for each in answers.toArrow().column(0)]
    # An empty frame may have no partition at all, which Spark asks nothing.
    found = found or [question(_no_rows(question.names))]
    return type(found[0]).joined(found)


def _no_rows(names: list[str]) -> dict[str, AnyArray]:
    return {name: np.empty(0) for name in names}


def _join_batches(batches: Iterator[Any]) -> Iterator[Any]:
    answers = [pickle.loads(each.as_py()) for batch in batches for each in batch.column(0)]
    if answers:
        yield _as_batch(type(answers[0]).joined(answers))


def _as_batch(answer: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(answer)], pa.binary())], ["answer"])


def _array(column: Any) -> AnyArray:
    """An Arrow column; missing numbers as NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind) or (number and column.null_count):
        column = pc.cast(column, pa.float64(), safe=False)
    return np.asarray(
        column.to_numpy(zero_copy_only=False) if _chunk(column) else column.to_numpy()
    )


def _chunk(column: Any) -> bool:
    return type(column).__name__ != "ChunkedArray"


def _with_scores(batch: Any, ranker: Any, name: str) -> Any:
    import pyarrow as pa

    scores = scores_of(ranker, batch.to_pandas())
    arrays = [*batch.columns, pa.array(scores, pa.float64())]
    return pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, name])


def _place(k: int) -> str:
    return f"c{k}"


def _quoted(name: str) -> str:
    """A column's name as Spark takes it, whatever stands in it."""
    return "`" + name.replace("`", "``") + "`"


_frames = Frames(SparkFrame.of)

sketch = _frames.sketch
label_aucs = _frames.label_aucs
objective_auc = _frames.objective_auc
conflict_aucs = _frames.conflict_aucs
auc_intervals = _frames.auc_intervals
audit = _frames.audit
fit = _frames.fit
rank = _frames.rank
