"""Dask: a cluster of processes says what one machine says, also when a worker dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import isonomy as iso
from isonomy._rankers import TableEncoder
from tests.docs.blocks import block_with, run_python
from tests.frames.made_frames import (
    FEATURES,
    LABELS,
    TIGHT,
    check_linear,
    check_metrics,
    check_sketch_and_audit,
    check_weights_groups_clusters,
    made_table,
    parts_of,
    within,
)

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
import dask.dataframe as dd  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
# Nothing may hang: no answer of the cluster takes longer.
LIMIT = 120
TREES = {"max_depth": 3, "tree_method": "hist"}


@contextmanager
def three_workers() -> Iterator[Any]:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "20s"}),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster, timeout=LIMIT) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with three_workers() as client:
        yield client


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return made_table()


def frame_of(table: pd.DataFrame) -> Any:
    return dd.from_map(partial(_part, table), range(len(parts_of(table))), meta=table.iloc[:0])


def _part(table: pd.DataFrame, number: int) -> pd.DataFrame:
    return parts_of(table)[number]


@pytest.mark.parametrize(
    "check", [check_metrics, check_weights_groups_clusters, check_sketch_and_audit]
)
@pytest.mark.usefixtures("cluster")
def test_as_on_one_machine(table: pd.DataFrame, check: Any) -> None:
    check(iso.dask, frame_of(table), table)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"weight": "w"},
        {"groups": "q", "weight": "w"},
        {"groups": "q", "surrogate": "squared_hinge"},
    ],
)
@pytest.mark.usefixtures("cluster")
def test_a_linear_fit_is_that_of_one_machine(
    table: pd.DataFrame, columns: dict[str, str], tmp_path: Path
) -> None:
    ranker = check_linear(iso.dask, frame_of(table), table, **columns)
    path = tmp_path / "model.isonomy"
    iso.save(ranker, path)
    ranked = iso.dask.rank(frame_of(table), path, score_name="rank").compute()
    np.testing.assert_allclose(ranked["rank"], ranker.predict(table[FEATURES]), rtol=1e-12)
    assert list(ranked.columns) == [*table.columns, "rank"]


def test_without_a_client_it_runs_here(table: pd.DataFrame) -> None:
    with dask.config.set(scheduler="synchronous"):
        check_metrics(iso.dask, frame_of(table), table)
        check_linear(iso.dask, frame_of(table), table)


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int64[pyarrow]"])
def test_whole_numbers_that_floats_would_tie(table: pd.DataFrame, dtype: str) -> None:
    """Neighbours beyond 2**53 as scores and as ids of groups, with and without a missing type."""
    large = table.assign(
        s=pd.Series(2**60 + np.argsort(np.argsort(table["s"], kind="stable"))).astype(dtype),
        q=(2**60 + table["q"]).astype(dtype),
    )
    frame, plain = frame_of(large), np.argsort(np.argsort(table["s"], kind="stable"))
    columns = {"score": "s", "labels": LABELS}
    np.testing.assert_array_equal(
        iso.dask.label_aucs(frame, **columns, groups="q"),
        iso.label_aucs(table[LABELS], plain, groups=table["q"]),
    )
    with pytest.raises(ValueError, match=r"up to 2\*\*53"):
        iso.dask.sketch(frame, **columns)
    fitted = iso.dask.fit(
        iso.LinearRanker(tol=TIGHT), frame, features=FEATURES, labels=LABELS, groups="q"
    )
    direct = iso.LinearRanker(tol=TIGHT).fit(table[FEATURES], table[LABELS], groups=table["q"])
    np.testing.assert_allclose(fitted.coef_, direct.coef_, rtol=1e-8, atol=1e-10)


def test_more_distinct_rows_than_memory_are_refused(
    table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isonomy._frames.frames.memory_limit", lambda: 1000)
    columns = {"score": "s", "labels": LABELS}
    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(ValueError, match=r"distinct rows of 3 columns.*method='sketch'"):
            iso.dask.label_aucs(frame_of(table), **columns)
        with pytest.raises(ValueError, match=r"distinct rows of 4 columns.*\. Round the scores"):
            iso.dask.label_aucs(frame_of(table), **columns, weight="w")
        assert iso.dask.label_aucs(frame_of(table), **columns, method="sketch").exact


@pytest.mark.usefixtures("cluster")
def test_many_partitions_are_counted_in_pieces(table: pd.DataFrame) -> None:
    frame = dd.from_pandas(table, npartitions=16)
    found = iso.dask.label_aucs(frame, score="s", labels=LABELS)
    np.testing.assert_array_equal(found, iso.label_aucs(table[LABELS], table["s"]))


def kill_soon(client: Any, seconds: float) -> threading.Thread:
    """Kill one worker's process after a while, as a machine that fails would."""
    pids = client.run(os.getpid)

    def kill() -> None:
        time.sleep(seconds)
        os.kill(next(iter(pids.values())), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


class Slow:
    """A partition that takes a while, so that a worker dies over it."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table

    def __call__(self, number: int) -> pd.DataFrame:
        time.sleep(0.6)
        return parts_of(self.table)[number]


def test_a_worker_dies_during_a_metric(cluster: Any, table: pd.DataFrame) -> None:
    frame = dd.from_map(Slow(table), range(len(parts_of(table))), meta=table.iloc[:0])
    killer = kill_soon(cluster, 0.7)
    found = within(LIMIT, lambda: iso.dask.label_aucs(frame, score="s", labels=LABELS))
    killer.join()
    np.testing.assert_array_equal(found, iso.label_aucs(table[LABELS], table["s"]))


def test_a_worker_dies_during_a_linear_fit(cluster: Any, table: pd.DataFrame) -> None:
    frame = dd.from_map(Slow(table), range(len(parts_of(table))), meta=table.iloc[:0])
    killer = kill_soon(cluster, 1.8)
    within(LIMIT, lambda: check_linear(iso.dask, frame, table))
    killer.join()
    cluster.wait_for_workers(3, timeout=LIMIT)


def boosted(**options: Any) -> iso.BoostedRanker:
    return iso.BoostedRanker(
        options.pop("objective", None),
        engine="xgboost",
        n_rounds=8,
        params=TREES,
        n_jobs=1,
        **options,
    )


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_boosting_on_any_number_of_workers_gives_one_model(
    cluster: Any, table: pd.DataFrame, n_workers: int
) -> None:
    """Features have few values, so that XGBoost's own bins do not depend on the partitions."""
    pytest.importorskip("xgboost")
    cluster.wait_for_workers(3, timeout=LIMIT)
    # All partitions on so many workers: the others have none, and still take part.
    names = sorted(cluster.scheduler_info(n_workers=-1)["workers"])[:n_workers]
    with dask.annotate(workers=names):
        frame = frame_of(table).persist(workers=names, allow_other_workers=False)
    found = iso.dask.fit(boosted(), frame, features=FEATURES, labels=LABELS)
    direct = boosted().fit(table[FEATURES], table[LABELS])
    mine, theirs = found.predict(table[FEATURES]), direct.predict(table[FEATURES])
    assert np.ptp(theirs) > 1.0
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-4)
    assert found.best_iteration_ == 8


@pytest.mark.parametrize(
    "options", [{}, {"top": 5, "objective": iso.WorstLabel()}, {"group_weight": "equal"}]
)
@pytest.mark.usefixtures("cluster")
def test_boosting_in_groups_is_that_of_one_machine(
    table: pd.DataFrame, options: dict[str, Any]
) -> None:
    """Every query lies in several partitions; weights are those of rows."""
    table = table.assign(q=[f"query {each}" for each in table["q"]])
    frame = frame_of(table)
    columns = {"features": FEATURES, "labels": LABELS, "weight": "w", "groups": "q"}
    found = iso.dask.fit(boosted(**options), frame, **columns, eval_frame=frame)
    rows = table[FEATURES], table[LABELS], table["w"], table["q"]
    direct = boosted(**options).fit(*rows, eval_set=rows)
    mine, theirs = found.predict(table[FEATURES]), direct.predict(table[FEATURES])
    assert np.ptp(theirs) > 0.5
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-4)
    (name,) = found.history_
    np.testing.assert_allclose(found.history_[name], direct.history_[name], atol=2e-5)
    # Groups make a difference.
    without = boosted().fit(*rows[:3]).predict(table[FEATURES])
    assert np.abs(without - theirs).max() > 0.01


@pytest.mark.usefixtures("cluster")
def test_boosting_stops_by_the_exact_auc_of_all_workers(table: pd.DataFrame) -> None:
    ranker = boosted(objective=iso.WorstLabel(), patience=3, eval_metric=iso.OneLabel("buy"))
    frame = frame_of(table)
    iso.dask.fit(ranker, frame, features=FEATURES, labels=LABELS, weight="w", eval_frame=frame)
    watched = ranker.history_["validation_auc_label_1"]
    # XGBoost's log has five digits or so.
    exact = iso.auc(table["buy"], ranker.predict(table[FEATURES]), sample_weight=table["w"])
    assert watched[ranker.best_iteration_ - 1] == pytest.approx(exact, abs=2e-5)


def test_the_auc_of_drifted_partitions(cluster: Any) -> None:
    """XGBoost's own distributed AUC is a mean over workers: .08 off where partitions differ.

    What it says is the mean of the two workers' own AUCs, weighed by their pairs.
    """
    xgboost_dask = pytest.importorskip("xgboost.dask")
    from isonomy.boosting import pack_labels, xgboost_metric

    rng = np.random.default_rng(0)
    n = 2000
    # One worker has mostly positives with high scores, the other mostly negatives with low ones.
    y = np.concatenate([rng.random(n) < 0.8, rng.random(n) < 0.2]).astype(float)
    x = np.round(y + np.repeat([1.0, 0.0], n) + rng.normal(size=2 * n), 1)
    table = pd.DataFrame({"x": x, "y": y, "packed": pack_labels(y)})
    workers = sorted(cluster.scheduler_info(n_workers=-1)["workers"])[:2]
    parts = [
        cluster.scatter(table.iloc[k * n : (k + 1) * n], workers=[name])
        for k, name in enumerate(workers)
    ]
    frame = dd.from_delayed(parts, meta=table.iloc[:0])
    params = {"max_depth": 2, "base_score": 0.5, "tree_method": "hist"}
    results = {}
    for label, metric in (("y", {"eval_metric": "auc"}), ("packed", {})):
        matrix = xgboost_dask.DaskDMatrix(cluster, frame[["x"]], frame[label])
        custom = {} if metric else {"custom_metric": xgboost_metric(iso.OneLabel(0))}
        options = {**params, **metric, "disable_default_eval_metric": not metric}
        objective = iso.boosting.xgboost_objective(iso.OneLabel(0))
        if metric:
            options["objective"], objective = "binary:logistic", None
        found = xgboost_dask.train(
            cluster, options, matrix, 3, evals=[(matrix, "all")], obj=objective, **custom
        )
        scores = found["booster"].inplace_predict(x[:, None], predict_type="margin")
        watched = next(iter(found["history"]["all"].values()))[-1]
        results[label] = watched - iso.auc(y, scores)
        if metric:
            own = [iso.auc(y[k], scores[k]) for k in (slice(n), slice(n, None))]
            pairs = [y[k].sum() * (n - y[k].sum()) for k in (slice(n), slice(n, None))]
            np.testing.assert_allclose(watched, np.average(own, weights=pairs), atol=1e-5)
    assert abs(results["packed"]) < 2e-5
    assert 0.08 < -results["y"] < 0.1, results


def test_a_worker_dies_during_boosting(table: pd.DataFrame) -> None:
    """Either the training is restarted or it ends with an error; nobody waits for ever."""
    frame = dd.from_map(Slow(table), range(len(parts_of(table))), meta=table.iloc[:0])
    ranker = iso.BoostedRanker(engine="xgboost", n_rounds=600, params=TREES, n_jobs=1)
    columns = {"features": FEATURES, "labels": LABELS}
    error = None
    # Workers of its own: inside XGBoost one may go on waiting for the dead, and its thread with it.
    with three_workers() as cluster, dask.config.set({"isonomy.worker-timeout": 10}):
        cluster.wait_for_workers(3, timeout=LIMIT)
        killer = kill_soon(cluster, 6.0)
        try:
            within(LIMIT, lambda: iso.dask.fit(ranker, frame, **columns))
        except (RuntimeError, ValueError, OSError) as found:
            error = found
        killer.join()
    if error is None:
        # It died before the training had begun, or Dask started it again.
        assert ranker.best_iteration_ == 600
    else:
        assert "worker" in str(error).lower()
        assert not hasattr(ranker, "trees_")


@pytest.mark.usefixtures("cluster")
def test_mistakes_are_told(table: pd.DataFrame) -> None:
    frame = frame_of(table)
    columns = {"features": FEATURES, "labels": LABELS}
    with pytest.raises(TypeError, match="Dask data frame"):
        iso.dask.label_aucs(table, score="s", labels=LABELS)
    with pytest.raises(ValueError, match="`score` should name columns"):
        iso.dask.label_aucs(frame, score="t", labels=LABELS)
    with pytest.raises(ValueError, match="different columns"):
        iso.dask.label_aucs(frame, score="s", labels=["s"])
    with pytest.raises(ValueError, match="at least one column"):
        iso.dask.label_aucs(frame, score="s", labels=[])
    with pytest.raises(ValueError, match="knows no weights"):
        iso.dask.label_aucs(frame, score="s", labels=LABELS, weight="w", method="sketch")
    with pytest.raises(ValueError, match="smooth"):
        iso.dask.fit(iso.LinearRanker(surrogate="hinge"), frame, **columns, groups="q")
    with pytest.raises(ValueError, match="smooth"):
        iso.dask.fit(iso.LinearRanker(surrogate="squared_hinge"), frame, **columns)
    with pytest.raises(ValueError, match="nothing to learn"):
        iso.dask.fit(iso.LinearRanker(), frame.assign(one=1.0), features=["x"], labels="one")
    with pytest.raises(TypeError, match="one machine only"):
        iso.dask.fit(iso.BoostedRanker(), frame, **columns)
    with pytest.raises(ValueError, match="eval_frame"):
        iso.dask.fit(boosted(patience=3), frame, **columns)
    with pytest.raises(ValueError, match="`top` needs groups"):
        iso.dask.fit(boosted(top=3), frame, **columns)
    with pytest.raises(TypeError, match="`eval_frame` should be a Dask data frame"):
        iso.dask.fit(boosted(), frame, **columns, eval_frame=table)
    other = frame.drop(columns="q")
    with pytest.raises(ValueError, match="`groups` should name columns"):
        iso.dask.fit(boosted(), frame, **columns, groups="q", eval_frame=other)
    with pytest.raises(ValueError, match="names no label: found 'z'"):
        iso.dask.fit(boosted(objective=iso.SoftLabel({"z": 1})), frame, **columns)
    with pytest.raises(ValueError, match="new name"):
        iso.dask.rank(frame, iso.LinearRanker(), score_name="s")
    with pytest.raises(ValueError, match="names of its features"):
        iso.dask.rank(frame, iso.LinearRanker())
    with pytest.raises(TypeError, match="`model` should be a fitted ranker"):
        iso.dask.rank(frame, 3)
    fitted = iso.LinearRanker().fit(table[FEATURES], table[LABELS])
    with pytest.raises(ValueError, match="It lacks \\['z', 'u'\\]"):
        iso.dask.rank(frame[["x"]], fitted)
    encoding = make_pipeline(TableEncoder(), iso.LinearRanker()).fit(table[FEATURES], table[LABELS])
    with pytest.raises(ValueError, match=r"It lacks \['z', 'u'\]"):
        iso.dask.rank(frame[["x"]], encoding)
    for ids in (
        table["q"].where(table["q"] > 3),
        ("g" + table["q"].astype(str)).where(table.x > 0),
    ):
        with pytest.raises(ValueError, match="'q' should name a group for every row"):
            iso.dask.fit(iso.LinearRanker(), frame_of(table.assign(q=ids)), **columns, groups="q")
    with pytest.raises(ValueError, match=r"2\.0 in label 'click'"):
        iso.dask.sketch(frame_of(table.assign(click=2)), score="s", labels=LABELS)
    with pytest.raises(ValueError, match=r"2\.0 in label 'click'"):
        iso.dask.fit(boosted(), frame_of(table.assign(click=2)), **columns)
    with pytest.raises(ValueError, match="`max_bytes` should be at least"):
        iso.dask.sketch(frame, score="s", labels=LABELS, max_bytes=10)


@pytest.mark.usefixtures("cluster")
def test_workers_without_validation_rows(table: pd.DataFrame) -> None:
    pytest.importorskip("xgboost")
    columns = {"features": FEATURES, "labels": LABELS}
    watched = frame_of(table).repartition(npartitions=1)
    found = iso.dask.fit(boosted(patience=5), frame_of(table), **columns, eval_frame=watched)
    assert found.best_iteration_ is not None


def test_the_code_of_the_docs(table: pd.DataFrame, cluster: Any) -> None:
    pytest.importorskip("xgboost")
    frame = frame_of(table.rename(columns={"q": "query"}).sort_values("query"))
    block = block_with("docs/scale.md", "Client(")
    code = block.code.replace('Client("scheduler:8786")', "cluster")
    block = replace(block, code=code.replace("patience=20", "patience=20, n_rounds=3"))
    given = {"iso": iso, "cluster": cluster, "features": FEATURES}
    within(LIMIT, lambda: run_python(block, {**given, "train": frame, "validation": frame}))
