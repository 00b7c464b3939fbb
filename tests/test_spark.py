"""Spark: a session of two cores says what one machine says."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isonomy as iso
from isonomy._frames import ReadRows
from isonomy._rankers.linear import first_look, fit_partitions
from isonomy.spark import SparkFrame
from tests.docs.blocks import block_with, run_python
from tests.frames.made_frames import (
    FEATURES,
    LABELS,
    TIGHT,
    Fragile,
    check_linear,
    check_metrics,
    check_sketch_and_audit,
    check_weights_groups_clusters,
    made_table,
    parts_of,
    within,
)

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java 17, which is not here", allow_module_level=True)

# Nothing may hang.
LIMIT = 120
# PySpark warns of pandas 3 wherever it touches it.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        root, source = (str(Path(__file__).parents[1] / name) for name in (".", "src"))
        patch.setenv("PYTHONPATH", os.pathsep.join([source, root]))
        builder = SparkSession.builder.master("local[2,4]").appName("isonomy tests")
        for key, value in {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "3",
            "spark.sql.adaptive.enabled": "false",
            # A file is a partition, however small.
            "spark.sql.files.openCostInBytes": str(2**30),
            # For so few rows, compiling takes longer than it saves.
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
        }.items():
            builder = builder.config(key, value)
        found = builder.getOrCreate()
        found.sparkContext.setLogLevel("ERROR")
        yield found
        found.stop()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return made_table()


@pytest.fixture(scope="module")
def frame(session: Any, table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The partitions as files of their own, none of which Spark puts together."""
    folder = tmp_path_factory.mktemp("parts")
    for number, part in enumerate(parts_of(table)):
        # As Spark and Arrow have it, a missing label is null, not NaN.
        path = folder / f"{number}.parquet"
        part.astype(dict.fromkeys(LABELS, "Float64")).to_parquet(path)
    found = session.read.parquet(str(folder)).persist()
    assert found.rdd.getNumPartitions() == len(parts_of(table))
    return found


@pytest.mark.parametrize(
    "check", [check_metrics, check_weights_groups_clusters, check_sketch_and_audit]
)
def test_as_on_one_machine(frame: Any, table: pd.DataFrame, check: Any) -> None:
    check(iso.spark, frame, table)


def test_a_linear_fit_is_that_of_one_machine(
    frame: Any, table: pd.DataFrame, tmp_path: Path
) -> None:
    """Every query lies in several partitions."""
    ranker = check_linear(iso.spark, frame, table, groups="q", weight="w")
    path = tmp_path / "model.isonomy"
    iso.save(ranker, path)
    ranked = iso.spark.rank(frame, path, score_name="rank").toPandas()
    expected = ranker.predict(ranked[FEATURES])
    np.testing.assert_allclose(ranked["rank"], expected, rtol=1e-12)
    assert len(ranked) == len(table)


def test_many_partitions_are_joined_as_a_tree(
    frame: Any, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(iso.spark, "_FAN_IN", 2)
    sketch = iso.spark.sketch(frame, score="s", labels=LABELS)
    assert sketch.to_bytes() == iso.AUCSketch(LABELS).add(table[LABELS], table["s"]).to_bytes()


def test_a_task_that_dies_is_run_again(frame: Any, table: pd.DataFrame, tmp_path: Path) -> None:
    """The Python process of a task is killed once; Spark runs the task again: the same result."""
    from pyspark.sql.types import StructType

    mark = tmp_path / "died"

    def die_once(batches: Iterator[Any]) -> Iterator[Any]:
        if not mark.exists():
            mark.touch()
            os._exit(1)
        yield from batches

    fragile = frame.mapInArrow(die_once, StructType(frame.schema.fields))
    found = within(LIMIT, lambda: iso.spark.label_aucs(fragile, score="s", labels=LABELS))
    assert mark.exists()
    np.testing.assert_array_equal(found, iso.label_aucs(table[LABELS], table["s"]))


def test_a_task_that_dies_during_a_linear_fit(
    frame: Any, table: pd.DataFrame, tmp_path: Path
) -> None:
    """After the first look, in the midst of the solver's questions: the same coefficients."""
    n_parts = len(parts_of(table))
    read = Fragile(tuple(FEATURES), tuple(LABELS), folder=str(tmp_path), after=3 * n_parts + 2)
    partitions = SparkFrame.of(frame).partitions(read, None)

    def fit() -> iso.LinearRanker:
        ranker = iso.LinearRanker(iso.LossAggregation(), tol=TIGHT)
        return fit_partitions(ranker, partitions, first_look(partitions), FEATURES, LABELS)

    found = within(LIMIT, fit)
    # Some partition was read once more than there were questions.
    assert len(list(tmp_path.iterdir())) > partitions.asked * n_parts
    direct = iso.LinearRanker(iso.LossAggregation(), tol=TIGHT).fit(table[FEATURES], table[LABELS])
    np.testing.assert_allclose(found.coef_, direct.coef_, rtol=1e-8, atol=1e-10)


def test_names_of_columns_with_dots_and_quotes(frame: Any, table: pd.DataFrame) -> None:
    names = {"x": "x.1", "click": "a`b", "s": "my score", "q": "q?"}
    odd = frame.toDF(*(names.get(name, name) for name in frame.columns))
    features, labels = ["x.1", "z", "u"], ["a`b", "buy"]
    sketch = iso.spark.sketch(odd, score="my score", labels=labels)
    expected = iso.label_aucs(table[LABELS], table["s"])
    np.testing.assert_array_equal(sketch.label_aucs().value, expected)
    partitions = SparkFrame.of(odd).partitions(
        ReadRows(tuple(features), tuple(labels), None, "q?"), "q?"
    )
    facts = first_look(partitions)
    assert facts.n_rows == len(table)
    assert not facts.torn
    fitted = iso.LinearRanker().fit(table.rename(columns=names)[features], table[LABELS])
    ranked = iso.spark.rank(odd, fitted).toPandas()
    assert list(ranked.columns) == [*odd.columns, "score"]
    np.testing.assert_allclose(ranked["score"], fitted.predict(ranked[features]), rtol=1e-12)


def test_frames_without_partitions(frame: Any) -> None:
    """As Spark makes them of a filter that nothing passes."""
    for nothing in (frame.limit(0), frame.where("false")):
        sketch = iso.spark.sketch(nothing, score="s", labels=LABELS)
        assert sketch.n_items == 0
        with pytest.raises(ValueError, match="at least two rows"):
            iso.spark.fit(iso.LinearRanker(), nothing, features=FEATURES, labels=LABELS)


def test_whole_numbers_that_floats_would_tie(frame: Any, table: pd.DataFrame) -> None:
    large = frame.selectExpr("bigint(s * 100) + (1L << 60) AS s", "click", "buy")
    found = iso.spark.label_aucs(large, score="s", labels=LABELS)
    expected = iso.label_aucs(table[LABELS], (table["s"] * 100).astype(int))
    np.testing.assert_array_equal(found, expected)


def test_mistakes_are_told(frame: Any, table: pd.DataFrame) -> None:
    with pytest.raises(TypeError, match="Spark data frame"):
        iso.spark.label_aucs(table, score="s", labels=LABELS)
    with pytest.raises(ValueError, match="should name columns"):
        iso.spark.label_aucs(frame, score="t", labels=LABELS)
    with pytest.raises(TypeError, match="LinearRanker"):
        iso.spark.fit(iso.BoostedRanker(), frame, features=FEATURES, labels=LABELS)
    with pytest.raises(ValueError, match="`max_bytes` should be at least"):
        iso.spark.sketch(frame, score="s", labels=LABELS, max_bytes=10)
    fitted = iso.LinearRanker().fit(table[FEATURES], table[LABELS])
    with pytest.raises(ValueError, match="It lacks"):
        iso.spark.rank(frame.select("x"), fitted)


def test_the_code_of_the_docs(frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    block = block_with("docs/scale.md", "iso.spark.")
    # The worst label takes many questions, each of which is a job of Spark's.
    code = block.code.replace("iso.WorstLabel()", "iso.LossAggregation(), l2=1.0")
    run_python(replace(block, code=code), {"frame": frame.withColumnRenamed("q", "query")})
    assert iso.load("model.isonomy").coef_.size == 2
