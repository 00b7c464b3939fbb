"""The same bits for any number of threads, of ours and of BLAS, and for any seed of hashes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import isonomy as iso
from isonomy._core import Items
from isonomy._infra import threads
from isonomy._metrics.bootstrap import draws_covariance
from isonomy._models.files import to_bytes
from isonomy._render.report.audit_page import audit_page
from isonomy._render.report.origin import Origin
from isonomy._render.report.page import page
from isonomy._render.report.records import Material
from tests.infra.test_blas import threads_of_blas

# BLAS cuts products of vectors of more than 10,000 numbers.
N_ROWS = 12_000
ORIGIN = Origin("1", "isonomy", "t.csv", "0" * 64)
pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge|.*max_iter")


@cache
def data(n: int = N_ROWS, d: int = 20) -> tuple[Any, Any, Any]:
    """Features, labels and groups."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    Y = (X[:, :2] + rng.logistic(size=(n, 2)) > 1).astype(int)
    return X, Y, np.arange(n) // 3


def linear(X: Any, Y: Any, objective: Any = None, surrogate: str = "logistic") -> bytes:
    return to_bytes(iso.LinearRanker(objective, surrogate=surrogate, l2=1e-2).fit(X, Y))


def spread(found: iso.AUCIntervals) -> bytes:
    return b"".join(np.asarray(x).tobytes() for x in (found.low, found.high, found.covariance))


def compared() -> Material:
    """A comparison, and what it was made of."""
    X, Y, _ = data()
    items = Items.checked(Y[:900])
    found = iso.compare(
        X[:900], items, methods=["mean", "worst", "blend"], family="linear", folds=2, repeats=1,
        random_state=0,
    )  # fmt: skip
    return Material(found, items, ORIGIN)


def audited() -> iso.Audit:
    X, Y, groups = data()
    return iso.audit(Y, X[:, 0] + X[:, 1], clusters=groups)


METRICS: dict[str, Callable[[], bytes]] = {
    "label_aucs": lambda: iso.label_aucs(data()[1], data()[0][:, 0]).tobytes(),
    "auc_intervals": lambda: spread(iso.auc_intervals(data()[1], data()[0][:, 0])),
    "of clusters": lambda: spread(
        iso.auc_intervals(data(40_000)[1][:, 0], data(40_000)[0][:, 0], clusters=data(40_000)[2])
    ),
    "of groups": lambda: spread(
        iso.conflict_intervals(data(40_000)[1], data(40_000)[0][:, 0], groups=data(40_000)[2])
    ),
    "by draws": lambda: draws_covariance(data()[0][:, :1]).tobytes(),
    "compare_scores": lambda: spread(
        iso.compare_scores(data()[1][:, 0], data()[0][:, 0], data()[0][:, 1])
    ),
    "pair_loss": lambda: iso.pair_loss(data()[1], data()[0][:, 0]).gradient.tobytes(),
    "audit": lambda: str(audited().to_dict()).encode(),
    "page of an audit": lambda: audit_page(audited(), ORIGIN).encode(),
}
FITS: dict[str, Callable[[], bytes]] = {
    "linear": lambda: linear(*data()[:2]),
    "worst": lambda: linear(*data()[:2], iso.WorstLabel()),
    "hinge": lambda: linear(*data()[:2], surrogate="hinge"),
    "wide": lambda: linear(*data(150, 2000)[:2]),
    "predict": lambda: (
        iso.LinearRanker(l2=1e3).fit(*data(150, 2000)[:2]).predict(data(150, 2000)[0]).tobytes()
    ),
    "plug-in": lambda: to_bytes(iso.PlugInRanker(LogisticRegression(), cv=None).fit(*data()[:2])),
    "blend": lambda: to_bytes(iso.BlendRanker(LogisticRegression(), cv=2).fit(*data()[:2])),
    "pareto": lambda: iso.pareto.trace(*data()[:2], n_points=2, random_state=0).aucs.tobytes(),
}


@contextmanager
def ours(number: int) -> Iterator[None]:
    """So many threads of our own, however little there is to do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_THREADS", 0)
        patch.setattr(os, "sched_getaffinity", lambda _: set(range(number)))
        yield


@pytest.mark.parametrize("name", [*METRICS, *FITS])
def test_any_number_of_threads(name: str) -> None:
    made = {**METRICS, **FITS}[name]
    found = set()
    for own, of_blas in ((1, 1), (2, 2), (5, 5), (5, 1)):
        before = threads_of_blas()
        with ours(own), threadpool_limits(of_blas, user_api="blas"):
            found.add(made())
        assert threads_of_blas() == before
    assert len(found) == 1, [hashlib.md5(each).hexdigest() for each in found]


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_boosting_by_any_number_of_threads(engine: str) -> None:
    X, Y, _ = data(1500, 5)
    found = [
        to_bytes(
            iso.BoostedRanker(engine=engine, n_rounds=3, random_state=0, n_jobs=jobs).fit(X, Y)
        )
        for jobs in (1, 2)
    ]
    assert found[0] == found[1]


def test_comparisons_and_their_pages() -> None:
    found = []
    for number in (1, 2, 5):
        with ours(number), threadpool_limits(number, user_api="blas"):
            material = compared()
            best = to_bytes(material.comparison.fit_best(*data()[:2]))
            found.append((str(material.comparison.to_dict()), page(material), best))
    assert found[0] == found[1] == found[2]


DIGEST = """
import hashlib
from tests.test_determinism import FITS, METRICS, compared, page
names = ("linear", "blend")
made = [METRICS[name]() for name in METRICS] + [FITS[name]() for name in names]
material = compared()
made += [page(material).encode(), str(material.comparison.to_dict()).encode()]
print([hashlib.sha256(each).hexdigest()[:12] for each in made])
"""


def test_any_seed_of_hashes() -> None:
    path = os.pathsep.join([str(Path.cwd()), *sys.path])
    found = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", DIGEST],
            env={**os.environ, "PYTHONPATH": path, **more},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for more in (
            {"PYTHONHASHSEED": "1", "OPENBLAS_NUM_THREADS": "1"},
            {"PYTHONHASHSEED": "2", "OPENBLAS_NUM_THREADS": "2"},
        )
    }
    assert len(found) == 1, [hashlib.md5(each).hexdigest() for each in found]
    assert hashlib.sha256(METRICS["label_aucs"]()).hexdigest()[:12] in found.pop()


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "--method", "worst"],
        ["fit", "--method", "plug-in"],
        ["compare", "--family", "linear", "--folds", "2", "--repeats", "1", "--no-tune"],
    ],
    ids=" ".join,
)
def test_long_tables_on_the_command_line(command: list[str], tmp_path: Path) -> None:
    """Where a quarter of a million rows are, BLAS cuts more products than where few are."""
    X, Y, _ = data(250_000, 3)
    path, made = tmp_path / "t.parquet", []
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}).with_columns(
        click=Y[:, 0], buy=Y[:, 1]
    ).write_parquet(path)
    for number in ("1", "2"):
        out = tmp_path / f"{number}.isonomy"
        tables = [path, "--labels", "click,buy", "--out", out]
        subprocess.run(
            [sys.executable, "-m", "isonomy", *command, *tables],
            env={**os.environ, "OPENBLAS_NUM_THREADS": number, "PYTHONHASHSEED": number},
            capture_output=True,
            check=True,
        )
        made.append(out.read_bytes())
    assert made[0] == made[1]
