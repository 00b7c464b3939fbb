"""One table cut into partitions as bad as they come, and what every engine has to say of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import isonomy as iso
from isonomy._frames import ReadRows
from isonomy._rankers.linear import PartRows

FEATURES, LABELS = ["x", "z", "u"], ["click", "buy"]
TIGHT = 1e-17


def made_table(n: int = 2400) -> pd.DataFrame:
    """Labels with gaps, ties in the score, weights and queries; sorted by class and drifted."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 3)), 1)
    Y = (X[:, :2] + rng.logistic(size=(n, 2)) > [0.0, 1.5]).astype(float)
    Y[rng.random(Y.shape) < 0.1] = np.nan
    table = pd.DataFrame(X, columns=FEATURES)
    table["s"] = np.round(X @ [1.0, 0.5, 0.0], 2)
    table[LABELS] = Y
    table["w"] = rng.integers(1, 4, n).astype(float)
    table["q"] = rng.integers(0, 60, n)
    return table.sort_values(["click", "x"], kind="stable").reset_index(drop=True)


def parts_of(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Unequal, drifted, single-class and empty partitions."""
    cuts = [0, 7, 7, 900, 1500, len(table)]
    return [table.iloc[a:b] for a, b in pairwise(cuts)]


def check_metrics(api: Any, frame: Any, table: pd.DataFrame) -> None:
    """Equal to one machine: counts to the last bit, intervals to 1e-12."""
    Y, score, columns = table[LABELS], table["s"], {"score": "s", "labels": LABELS}
    np.testing.assert_array_equal(api.label_aucs(frame, **columns), iso.label_aucs(Y, score))
    objective = iso.LabelAggregation()
    assert api.objective_auc(frame, objective, **columns) == iso.objective_auc(Y, score, objective)
    np.testing.assert_array_equal(api.conflict_aucs(frame, **columns), iso.conflict_aucs(Y, score))
    found, direct = api.auc_intervals(frame, **columns), iso.auc_intervals(Y, score)
    for name in ("estimate", "low", "high", "covariance"):
        np.testing.assert_allclose(getattr(found, name), getattr(direct, name), rtol=0, atol=1e-12)


def check_weights_groups_clusters(api: Any, frame: Any, table: pd.DataFrame) -> None:
    """The same with weights and groups, and with clusters."""
    Y, score, columns = table[LABELS], table["s"], {"score": "s", "labels": LABELS}
    given = {"sample_weight": table["w"], "groups": table["q"]}
    for group_weight in ("pairs", "equal"):
        found = api.label_aucs(frame, **columns, weight="w", groups="q", group_weight=group_weight)
        direct = iso.label_aucs(Y, score, **given, group_weight=group_weight)
        np.testing.assert_allclose(found, direct, rtol=0, atol=1e-13)
    found = api.auc_intervals(frame, **columns, clusters="q", objective=iso.WorstLabel())
    direct = iso.auc_intervals(Y, score, clusters=table["q"], objective=iso.WorstLabel())
    np.testing.assert_allclose([found.low, found.high], [direct.low, direct.high], atol=1e-12)


def check_sketch_and_audit(api: Any, frame: Any, table: pd.DataFrame) -> None:
    """A sketch in one pass, exact where it fits and bounded where not; audits by both ways."""
    Y, score, columns = table[LABELS], table["s"], {"score": "s", "labels": LABELS}
    sketch = api.sketch(frame, **columns)
    assert sketch.to_bytes() == iso.AUCSketch(LABELS).add(Y, score).to_bytes()
    rough = api.label_aucs(frame, **columns, method="sketch", max_bytes=1500)
    exact = iso.label_aucs(Y, score)
    assert not rough.exact
    assert ((rough.low <= exact) & (exact <= rough.high)).all()
    direct = iso.audit(Y, score)
    for audit in (api.audit(frame, **columns), api.audit(frame, **columns, method="sketch")):
        assert audit.n_rows == direct.n_rows
        assert [c.verdict for c in audit.conflicts] == [c.verdict for c in direct.conflicts]
        for mine, theirs in zip(audit.labels, direct.labels, strict=True):
            assert (mine.auc.value, mine.positives) == (theirs.auc.value, theirs.positives)
            np.testing.assert_allclose(mine.auc.low, theirs.auc.low, atol=1e-12)


def check_linear(
    api: Any, frame: Any, table: pd.DataFrame, surrogate: str = "logistic", **columns: str
) -> Any:
    """The coefficients of a fit to all rows in one place, to 1e-8."""
    objective, settings = iso.LossAggregation(), {"tol": TIGHT, "surrogate": surrogate}
    ranker = iso.LinearRanker(objective, **settings)
    found = api.fit(ranker, frame, features=FEATURES, labels=LABELS, **columns)
    direct = iso.LinearRanker(objective, **settings).fit(
        table[FEATURES],
        table[LABELS],
        table["w"] if "weight" in columns else None,
        table["q"] if "groups" in columns else None,
    )
    np.testing.assert_allclose(found.coef_, direct.coef_, rtol=1e-8, atol=1e-10)
    assert list(found.feature_names_in_) == FEATURES
    return found


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """What a call gives, if it ends in time: nothing may hang."""
    found: dict[str, Any] = {}

    def work() -> None:
        try:
            found["value"] = call()
        except BaseException as error:  # noqa: BLE001 (raised below)
            found["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"still at work after {seconds} seconds"
    if "error" in found:
        raise found["error"]
    return found["value"]


@dataclass(frozen=True)
class Fragile(ReadRows):
    """Reads rows, but the process dies over it once, after so many times; `folder` remembers."""

    folder: str = ""
    after: int = 0

    def __call__(self, columns: dict[str, Any]) -> PartRows:
        """The rows, or the end."""
        before = len(list(Path(self.folder).iterdir()))
        (Path(self.folder) / f"{before} {os.getpid()} {os.urandom(4).hex()}").touch()
        if before == self.after:
            os._exit(1)
        return super().__call__(columns)
