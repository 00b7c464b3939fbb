"""The recipe for a ranker, and for the family of `compare` that is made of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import isonomy as iso
from isonomy import _rankers
from isonomy._compare import families
from isonomy._models import own_parts, prediction_checks
from tests.cli.command import Shell
from tests.cli.conftest import make_table
from tests.recipes.consumers import check_compared, check_saved, data
from tests.recipes.recipe import entry, ship, write

TITLE = "A ranker"
FOLDER = "src/isonomy/_rankers/one_step"


@pytest.fixture(autouse=True)
def _one_step(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("rankers")
        for file in ("ranker", "__init__"):
            write(TITLE, f"{FOLDER}/{file}.py", folder, patch)
        home = import_module("isonomy._rankers.one_step")
        patch.setattr(_rankers, "one_step", home, raising=False)
        ship(home.OneStepRanker, "_rankers.one_step", patch)
        # As if imported at the top of the files.
        patch.setattr(own_parts, "OneStepRanker", home.OneStepRanker, raising=False)
        for kind, check in entry(TITLE, "src/isonomy/_models/own_parts.py").items():
            patch.setitem(prediction_checks.CHECKS, kind, check)
        patch.setattr(families, "OneStepRanker", home.OneStepRanker, raising=False)
        family = entry(TITLE, "src/isonomy/_compare/families.py")
        patch.setitem(families.FAMILIES, family.key, family)
        yield
    for name in [name for name in sys.modules if name.startswith("isonomy._rankers.one_step")]:
        del sys.modules[name]


def test_scikit_learn_accepts_it() -> None:
    check_estimator(iso.OneStepRanker(), on_skip=None)


def test_it_takes_every_objective_weights_and_groups() -> None:
    X, Y = data()
    given = {"sample_weight": np.arange(200) % 3, "groups": np.arange(200) % 10}
    for objective in (None, iso.LossAggregation(), iso.WorstLabel(), iso.OneLabel(0)):
        ranker = iso.OneStepRanker(objective, group_weight="equal").fit(X, Y, **given)
        expected = iso.pair_loss(Y, np.zeros(200), objective, group_weight="equal", **given)
        np.testing.assert_allclose(ranker.coef_, -X.T @ expected.gradient, atol=1e-12)
    assert iso.OneStepRanker().fit(X, Y).score(X, Y) > 0.6
    with pytest.raises(ValueError, match="Parameter `y`"):
        iso.OneStepRanker().fit(X, np.zeros((200, 2)))


def test_it_is_trusted_because_it_ships(tmp_path: Path) -> None:
    X, Y = data()
    check_saved(iso.OneStepRanker(iso.WorstLabel()).fit(X, Y), tmp_path)
    check_saved(make_pipeline(StandardScaler(), iso.OneStepRanker()).fit(X, Y), tmp_path)


def test_it_is_compared_and_its_weights_are_traded(tmp_path: Path) -> None:
    check_compared(
        tmp_path, "mine", rankers={"mine": iso.OneStepRanker()}, methods=["mean"], tradeoffs=False
    )
    X, Y = data(600)
    front = iso.pareto.trace(X, Y, ranker=iso.OneStepRanker(), n_points=3, random_state=0)
    assert front.aucs.shape == (3, 2)


def test_its_family_has_every_method(tmp_path: Path) -> None:
    check_compared(tmp_path, "label aggregation", family="one-step")


def test_the_command_line_knows_its_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell, table, model = Shell(monkeypatch, capsys), tmp_path / "t.csv", tmp_path / "m.isonomy"
    make_table().drop("id", "score", "stars").write_csv(table)
    about = [table, "--labels", "click,buy", "--family", "one-step"]
    done = shell("fit", *about, "--method", "mean", "--out", model)
    assert done.code == 0, done.err
    done = shell("rank", table, "--model", model, "--out", tmp_path / "ranked.csv")
    assert done.code == 0, done.err
    done = shell("compare", *about, "--folds", 2, "--repeats", 1)
    assert done.code == 0, done.err
